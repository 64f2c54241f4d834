#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ClusterFuzzLite reads the folder .clusterfuzzlite of a checkout: cp -r ci/clusterfuzzlite .clusterfuzzlite
exec "$SRC/hlocts/ci/oss-fuzz/build.sh"
