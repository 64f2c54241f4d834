#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs shard $1 of @SHARDS@ of a campaign: chunks $1, $1 + @SHARDS@, ... of @CHUNKS@, each with its
# own seed. On a restart, finished chunks stay as they are and an interrupted one starts again.
set -u
cd "$(dirname "$0")" || exit 3
@INSTALLS@
chunk=$1
while [ "$chunk" -le @CHUNKS@ ]; do
  out=chunk-$chunk
  modules=@CHUNK@
  [ "$chunk" -lt @CHUNKS@ ] || modules=@LAST@
  if [ ! -e "$out/finished" ]; then
    rm -rf "$out"
    "${HLOCTS:-@PROGRAM@}" fuzz @ARGUMENTS@ --seed=$((@SEED@ + chunk - 1)) \
      --modules="$modules" --out="$out"
    status=$?
    # 1: a failure was found, which is the purpose of a campaign.
    [ "$status" -le 1 ] || exit "$status"
    touch "$out/finished"
  fi
  chunk=$((chunk + @SHARDS@))
done
