// SPDX-License-Identifier: Apache-2.0
#include "tools/cmd_cluster_jobs.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "nlohmann/json.hpp"
#include "spec/files/file_io.h"

namespace hlocts::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr absl::string_view kRunScript = R"(#!/bin/sh
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
"${HLOCTS:-@PROGRAM@}" run @ARGUMENTS@ --shard="$1/@SHARDS@" --out="$out"
status=$?
# 1: some cases fail, which is what the suite is for.
[ "$status" -le 1 ] || exit "$status"
)";

constexpr absl::string_view kFuzzScript = R"(#!/bin/sh
# Shard $1 of @SHARDS@ of a campaign: chunks $1, $1 + @SHARDS@, ... of @CHUNKS@, each of a seed of its
# own. Started again, finished chunks stay and one that was cut short begins anew.
set -u
cd "$(dirname "$0")" || exit 3
chunk=$1
while [ "$chunk" -le @CHUNKS@ ]; do
  out=chunk-$chunk
  modules=@CHUNK@
  [ "$chunk" -lt @CHUNKS@ ] || modules=@LAST@
  if [ ! -e "$out/finished" ]; then
    rm -rf "$out"
    "${HLOCTS:-@PROGRAM@}" fuzz @ARGUMENTS@ --seed=$((@SEED@ + chunk - 1)) --modules="$modules" --out="$out"
    status=$?
    # 1: something was found, which is what a campaign is for.
    [ "$status" -le 1 ] || exit "$status"
    touch "$out/finished"
  fi
  chunk=$((chunk + @SHARDS@))
done
)";

constexpr absl::string_view kSlurm = R"(#!/bin/sh
#SBATCH --job-name=hlocts
#SBATCH --array=1-@SHARDS@
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=slurm-%a.txt
# sbatch --chdir="$(dirname "$0")" job.sbatch; a lost shard: sbatch --array=I job.sbatch
exec ./shard.sh "$SLURM_ARRAY_TASK_ID"
)";

constexpr absl::string_view kKubernetes = R"(# kubectl apply -f job.yaml; shard.sh and its results are on the volume claim "hlocts".
apiVersion: batch/v1
kind: Job
metadata:
  name: hlocts
spec:
  completionMode: Indexed
  completions: @SHARDS@
  parallelism: @SHARDS@
  backoffLimitPerIndex: 3
  template:
    spec:
      restartPolicy: Never
      automountServiceAccountToken: false
      containers:
        - name: shard
          image: @IMAGE@
          # Indices count from 0, shards from 1.
          command: ["/bin/sh", "-c", "exec /hlocts/shard.sh $((JOB_COMPLETION_INDEX + 1))"]
          resources:
            requests:
              cpu: "2"
              memory: 4Gi
          volumeMounts:
            - name: hlocts
              mountPath: /hlocts
      volumes:
        - name: hlocts
          persistentVolumeClaim:
            claimName: hlocts
)";

constexpr absl::string_view kActions = R"(# .github/workflows/hlocts.yml: every night, and by hand.
name: hlocts
on:
  schedule:
    - cron: "17 2 * * *"
  workflow_dispatch:
permissions:
  contents: read
jobs:
  shard:
    runs-on: ubuntu-24.04
    container: debian:12
    timeout-minutes: 350
    strategy:
      fail-fast: false
      matrix:
        shard: [@MATRIX@]
    steps:
      - uses: actions/checkout@v4
      - uses: actions/cache@v4
        with:
          path: ~/.cache
          key: hlocts-${{ github.sha }}
          restore-keys: hlocts-
      - name: Build
        run: |
          ci/setup
          cmake --preset release -DHLOCTS_UNITY=ON -DHLOCTS_XLA_DIR="$(ci/fetch-xla | tail -n 1)"
          cmake --build --preset release --target hlocts
      - name: Shard
        run: |
          mkdir -p out/cluster
          cp @FOLDER@/shard.sh @FOLDER@/cluster.json out/cluster/
          HLOCTS=$PWD/build/hlocts out/cluster/shard.sh ${{ matrix.shard }}
      - uses: actions/upload-artifact@v4
        if: always()
        with:
          name: hlocts-shard-${{ matrix.shard }}
          path: out/cluster
  merge:
    needs: shard
    if: always()
    runs-on: ubuntu-24.04
    container: debian:12
    timeout-minutes: 120
    steps:
      - uses: actions/checkout@v4
      - uses: actions/cache@v4
        with:
          path: ~/.cache
          key: hlocts-${{ github.sha }}
          restore-keys: hlocts-
      - name: Build
        run: |
          ci/setup
          cmake --preset release -DHLOCTS_UNITY=ON -DHLOCTS_XLA_DIR="$(ci/fetch-xla | tail -n 1)"
          cmake --build --preset release --target hlocts
      - uses: actions/download-artifact@v4
        with:
          pattern: hlocts-shard-*
          merge-multiple: true
          path: out/cluster
      - uses: actions/cache@v4
        with:
          path: out/store.db
          key: hlocts-store-${{ github.run_id }}
          restore-keys: hlocts-store-
      - name: Merge and tell
        run: |
          build/hlocts cluster merge --out=out/cluster
          build/hlocts store import out/cluster/merged
          build/hlocts report --store=out/store.db --html=out/page.html --markdown=out/night.md --badge=out/badge.svg
      - uses: actions/upload-artifact@v4
        if: always()
        with:
          name: hlocts-page
          path: |
            out/page.html
            out/night.md
            out/badge.svg
)";

// A word of a shell's command line.
std::string Quoted(const std::string& text) {
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"'", "'\\''"}}), "'");
}

std::string Arguments(const ClusterPlan& plan) {
  std::vector<std::string> words;
  if (!plan.IsCampaign()) {
    for (const std::string& query : plan.queries) words.push_back(Quoted(query));
    if (!plan.tier.empty()) words.push_back(Quoted("--tier=" + plan.tier));
  }
  for (const std::string& backend : plan.backends) words.push_back(Quoted("--backend=" + backend));
  if (!plan.profile.empty()) words.push_back(Quoted("--profile=" + plan.profile));
  return absl::StrJoin(words, " ");
}

std::string Filled(absl::string_view text, const ClusterPlan& plan) {
  std::vector<int64_t> shards;
  for (int64_t i = 1; i <= plan.shards; ++i) shards.push_back(i);
  const int64_t last = plan.modules - (plan.Chunks() - 1) * plan.chunk;
  return absl::StrReplaceAll(text, {{"@SHARDS@", absl::StrCat(plan.shards)},
                                    {"@CHUNKS@", absl::StrCat(plan.Chunks())},
                                    {"@CHUNK@", absl::StrCat(plan.chunk)},
                                    {"@LAST@", absl::StrCat(last)},
                                    {"@SEED@", absl::StrCat(plan.seed)},
                                    {"@PROGRAM@", plan.program},
                                    {"@IMAGE@", plan.image},
                                    {"@FOLDER@", ".github/hlocts"},
                                    {"@MATRIX@", absl::StrJoin(shards, ", ")},
                                    {"@ARGUMENTS@", Arguments(plan)}});
}

}  // namespace

std::string ShardScript(const ClusterPlan& plan) {
  return Filled(plan.IsCampaign() ? kFuzzScript : kRunScript, plan);
}
std::string SlurmJob(const ClusterPlan& plan) { return Filled(kSlurm, plan); }
std::string KubernetesJob(const ClusterPlan& plan) { return Filled(kKubernetes, plan); }
std::string ActionsWorkflow(const ClusterPlan& plan) { return Filled(kActions, plan); }

absl::Status WritePlan(const ClusterPlan& plan, const std::string& kind,
                       const std::string& folder) {
  Json json = {{"kind", kind},           {"shards", plan.shards},     {"backends", plan.backends},
               {"queries", plan.queries}, {"tier", plan.tier},        {"profile", plan.profile},
               {"modules", plan.modules}, {"chunk", plan.chunk},      {"seed", plan.seed}};
  return WriteFile(folder + "/cluster.json", json.dump(1) + "\n");
}

absl::StatusOr<StoredPlan> ReadPlan(const std::string& folder) {
  const std::string path = folder + "/cluster.json";
  HLOCTS_ASSIGN_OR_RETURN(std::string text, ReadFile(path));
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  StoredPlan stored;
  try {
    json.at("kind").get_to(stored.kind);
    json.at("shards").get_to(stored.plan.shards);
    json.at("backends").get_to(stored.plan.backends);
    json.at("modules").get_to(stored.plan.modules);
    json.at("chunk").get_to(stored.plan.chunk);
    json.at("seed").get_to(stored.plan.seed);
  } catch (const nlohmann::json::exception& error) {
    return InvalidInput(path, ": ", error.what());
  }
  return stored;
}

}  // namespace hlocts::tools
