#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Shard $1 of @SHARDS@ of a run of the suite. It asks nobody and tells nobody: started again, a
# finished shard stays as it is and one that was cut short begins anew. `hlocts cluster merge` says
# which are missing.
set -u
cd "$(dirname "$0")" || exit 3
out=shard-$1
if grep -qs '"finished"' "$out/run.json"; then
  echo "shard $1 of @SHARDS@ is finished"
  exit 0
fi
rm -rf "$out"
@INSTALLS@
"${HLOCTS:-@PROGRAM@}" run @ARGUMENTS@ --shard="$1/@SHARDS@" --out="$out"
status=$?
# 1: some cases fail, which is what the suite is for.
[ "$status" -le 1 ] || exit "$status"
