// SPDX-License-Identifier: Apache-2.0
#include "tools/cmd_cluster_jobs.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "backends/engine_list.h"
#include "nlohmann/json.hpp"
#include "spec/base/json_text.h"
#include "spec/files/file_io.h"
#include "suites/suite_files.h"

namespace hlocts::tools {
namespace {

using Json = nlohmann::ordered_json;

// Quotes a word for a shell.
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

// The lines of a shard's script that install the releases that it runs.
std::string Installs(const ClusterPlan& plan) {
  const auto list = backends::LoadEngineList();
  std::string lines;
  for (const std::string& backend : plan.backends) {
    const auto* engine =
        list.ok() ? backends::FindEngine(*list, backend.substr(0, backend.find('?'))) : nullptr;
    if (engine == nullptr || engine->sha256().empty()) continue;
    absl::StrAppend(&lines, "\"${HLOCTS:-", plan.program, "}\" engines install ",
                    Quoted(engine->name()), " || exit 3\n");
  }
  return lines;
}

// A file of tools/cluster/jobs with the plan filled in.
absl::StatusOr<std::string> Filled(const char* name, const ClusterPlan& plan) {
  HLOCTS_ASSIGN_OR_RETURN(
      std::string text, ReadFile(absl::StrCat(suites::HomeFolder(), "/tools/cluster/jobs/", name)));
  std::vector<int64_t> shards;
  for (int64_t i = 1; i <= plan.shards; ++i) shards.push_back(i);
  const int64_t last = plan.modules - (plan.Chunks() - 1) * plan.chunk;
  return absl::StrReplaceAll(text, {{"@SHARDS@", absl::StrCat(plan.shards)},
                                    {"@CHUNKS@", absl::StrCat(plan.Chunks())},
                                    {"@CHUNK@", absl::StrCat(plan.chunk)},
                                    {"@LAST@", absl::StrCat(last)},
                                    {"@SEED@", absl::StrCat(plan.seed)},
                                    {"@INSTALLS@\n", Installs(plan)},
                                    {"@PROGRAM@", plan.program},
                                    {"@IMAGE@", plan.image},
                                    {"@FOLDER@", ".github/hlocts"},
                                    {"@MATRIX@", absl::StrJoin(shards, ", ")},
                                    {"@ARGUMENTS@", Arguments(plan)}});
}

}  // namespace

absl::StatusOr<std::string> ShardScript(const ClusterPlan& plan) {
  return Filled(plan.IsCampaign() ? "fuzz.sh" : "run.sh", plan);
}
absl::StatusOr<std::string> SlurmJob(const ClusterPlan& plan) { return Filled("job.sbatch", plan); }
absl::StatusOr<std::string> KubernetesJob(const ClusterPlan& plan) {
  return Filled("job.yaml", plan);
}
absl::StatusOr<std::string> ActionsWorkflow(const ClusterPlan& plan) {
  return Filled("hlocts.yml", plan);
}

absl::Status WritePlan(const ClusterPlan& plan, const std::string& kind,
                       const std::string& folder) {
  Json json = {{"kind", kind},
               {"shards", plan.shards},
               {"backends", plan.backends},
               {"queries", plan.queries},
               {"tier", plan.tier},
               {"profile", plan.profile},
               {"modules", plan.modules},
               {"chunk", plan.chunk},
               {"seed", plan.seed}};
  return WriteFile(folder + "/cluster.json", JsonText(json, 1) + "\n");
}

absl::StatusOr<StoredPlan> ReadPlan(const std::string& folder) {
  const std::string path = folder + "/cluster.json";
  HLOCTS_ASSIGN_OR_RETURN(std::string text, ReadFile(path));
  Json json = ParseJson<Json>(text);
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
