#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Shard $1 of @SHARDS@ of a campaign: chunks $1, $1 + @SHARDS@, ... of @CHUNKS@, each of a seed of
# its own. Started again, finished chunks stay and one that was cut short begins anew.
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
    # 1: something was found, which is what a campaign is for.
    [ "$status" -le 1 ] || exit "$status"
    touch "$out/finished"
  fi
  chunk=$((chunk + @SHARDS@))
done
