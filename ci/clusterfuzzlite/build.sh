#!/usr/bin/env bash
# ClusterFuzzLite reads the folder .clusterfuzzlite of a checkout: cp -r ci/clusterfuzzlite .clusterfuzzlite
exec "$SRC/hlocts/ci/oss-fuzz/build.sh"
