#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the fuzz targets by the contract of OSS-Fuzz and ClusterFuzzLite: compiler and flags from CC, CXX,
# CFLAGS and CXXFLAGS, engine from LIB_FUZZING_ENGINE, sources in $SRC/hlocts, objects in $WORK, and
# in $OUT each target with <target>_seed_corpus.zip, .dict and .options. Arguments: targets (all).
set -euo pipefail
: "${SRC:?}" "${OUT:?}" "${WORK:?}" "${CC:?}" "${CXX:?}" "${LIB_FUZZING_ENGINE:?}"
source_folder=$SRC/hlocts
build=$WORK/hlocts-build

# The distribution's Abseil, protobuf and Highway use libstdc++, and two standard libraries do not
# share a string. -w: new warnings of a newer compiler do not stop fuzzing.
cxxflags=${CXXFLAGS:-}
cxxflags="${cxxflags//-stdlib=libc++/} -w"

# The build type has no flags, so the service's flags apply.
cmake -S "$source_folder" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Service \
  -DCMAKE_C_COMPILER="$CC" -DCMAKE_CXX_COMPILER="$CXX" \
  -DCMAKE_C_FLAGS="${CFLAGS:-}" -DCMAKE_CXX_FLAGS="$cxxflags" \
  -DCMAKE_UNITY_BUILD=ON -DCMAKE_BUILD_RPATH='$ORIGIN/lib' -DHLOCTS_FUZZING_ENGINE="$LIB_FUZZING_ENGINE" >/dev/null
found=$(cd "$source_folder/fuzz/targets" && ls ./*_fuzzer.cc | sed 's|^\./||; s|_fuzzer\.cc$||')
targets=${*:-$found}
ninja -C "$build" $targets fuzz_seeds

# Copies to $OUT/lib the libraries that a bare machine lacks.
mkdir -p "$OUT/lib"
for target in $targets; do
  cp "$build/$target" "$OUT/"
  ldd "$build/$target" | awk '/=> \// {print $3}' |
    { grep -vE '/(libc|libm|libdl|libpthread|librt|ld-linux.*)\.so' || true; } |
    xargs -r -I{} cp -L {} "$OUT/lib/"
done

seeds=$WORK/hlocts-seeds
source "$source_folder/ci/common.sh" --without-xla
write_fuzz_seeds "$build" "$seeds"
for target in $targets; do
  rm -f "$OUT/${target}_seed_corpus.zip"
  (cd "$seeds/$target" && zip -q -r "$OUT/${target}_seed_corpus.zip" .)
  [ ! -e "$seeds/$target.dict" ] || cp "$seeds/$target.dict" "$OUT/"
  cp "$source_folder/ci/oss-fuzz/$target.options" "$OUT/"
done
