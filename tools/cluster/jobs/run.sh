#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs shard $1 of @SHARDS@ of a run of the suite, without communication. On a restart, a finished
# shard stays as it is and an interrupted one starts again. `hlocts cluster merge` reports missing
# ones.
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
# 1: some cases fail, which is the purpose of the suite.
[ "$status" -le 1 ] || exit "$status"
