# SPDX-License-Identifier: Apache-2.0
# Code that the scripts of this directory share. It is sourced, not run.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
# ccache looks up sources by their dependencies, without preprocessing them.
export CCACHE_NOHASHDIR=1 CCACHE_BASEDIR="$root" CCACHE_DEPEND=1

with_xla=1
for argument in "$@"; do
  case $argument in
    --without-xla) with_xla=0 ;;
    --help | -h) grep '^#' "$0" | sed -e '1d' -e 's/^# \{0,1\}//'; exit 0 ;;
    *) echo "$0: unknown argument $argument (expected --without-xla or --help)" >&2; exit 2 ;;
  esac
done

step() { printf '\n== %s (%s)\n' "$1" "$(date +%H:%M:%S)"; }

# Installs packages and configures the build directory.
configure() {
  step "packages"
  ci/setup
  step "configure"
  cmake --preset ci -DHLOCTS_XLA_DIR="${HLOCTS_XLA_DIR:-}" >/dev/null
}

# Installs real XLA:CPU: the plugin that `xla` names in backends/engines.textproto.
install_xla() {
  [ "$with_xla" = 1 ] || return 0
  step "real XLA:CPU, a plugin of 63 MB"
  build/hlocts engines install xla
}

# sanitized PRESET TARGET...: builds with clang, AddressSanitizer and UndefinedBehaviorSanitizer.
sanitized() {
  local preset=$1
  shift
  cmake --preset "$preset" >/dev/null
  cmake --build --preset "$preset" --target "$@"
}

# write_fuzz_seeds BUILD FOLDER: writes FOLDER/<target>/* and FOLDER/<target>.dict.
write_fuzz_seeds() {
  cmake --build "$1" --target fuzz_seeds
  rm -rf "$2" && mkdir -p "$2/modules"
  awk -v to="$2/modules/" '/^@case/ {file = to $2 ".hlo"} file && !/^[@#]/ {print >file}' tools/bench/modules.case
  "$1/fuzz_seeds" "$2" "$2"/modules/*.hlo
}
