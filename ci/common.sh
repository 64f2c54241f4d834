# SPDX-License-Identifier: Apache-2.0
# What ci/test and ci/conformance share. Sourced, not run.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
export CCACHE_NOHASHDIR=1 CCACHE_BASEDIR="$root"

with_xla=1
for argument in "$@"; do
  case $argument in
    --without-xla) with_xla=0 ;;
    --help | -h)
      grep '^#' "$0" | sed -e '1d' -e 's/^# \{0,1\}//'
      exit 0
      ;;
    *)
      echo "$0: unknown argument $argument (expected --without-xla or --help)" >&2
      exit 2
      ;;
  esac
done

step() { printf '\n== %s (%s)\n' "$1" "$(date +%H:%M:%S)"; }

# Packages, the members of the XLA wheel, and the configuration of the build folder.
configure() {
  step "packages"
  ci/setup
  xla_dir=""
  if [ "$with_xla" = 1 ]; then
    step "real XLA: members of the tensorflow-cpu wheel"
    xla_dir=$(ci/fetch-xla | tail -n 1)
  fi
  step "configure"
  # PTX alone where there is no GPU. It saves a minute; ci/gpu-bundle builds code for them all, and
  # ci/cuda-kernels lets ptxas see every kernel.
  local cuda=()
  [ -e /dev/nvidiactl ] || cuda=(-DHLOCTS_CUDA_ARCHITECTURES=)
  cmake --preset release -DHLOCTS_UNITY=ON -DHLOCTS_XLA_DIR="$xla_dir" "${cuda[@]}" >/dev/null
}

# Targets below build-asan-fuzz: clang with AddressSanitizer and UndefinedBehaviorSanitizer.
build_fuzzers() {
  cmake --preset asan-fuzz -DHLOCTS_UNITY=ON >/dev/null
  cmake --build --preset asan-fuzz --target "$@"
}

# build-asan-fuzz/seeds/<target>/*, build-asan-fuzz/seeds/<target>.dict.
write_fuzz_seeds() {
  cmake --build --preset release --target fuzz_seeds
  rm -rf build-asan-fuzz/seeds
  build/fuzz/fuzz_seeds build-asan-fuzz/seeds tools/bench/modules/*.hlo
}
