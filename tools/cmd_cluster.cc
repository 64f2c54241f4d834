// SPDX-License-Identifier: Apache-2.0
// The subcommand `hlocts cluster`: distributes a run or a campaign over many machines.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "backends/backend_list.h"
#include "backends/engine_list.h"
#include "fuzz/triage/bucket.h"
#include "nlohmann/json.hpp"
#include "reports/run_record.h"
#include "reports/scorecard.h"
#include "reports/store/findings.h"
#include "spec/base/json_text.h"
#include "spec/base/status.h"
#include "spec/base/version.h"
#include "spec/files/file_io.h"
#include "suites/replay.h"
#include "suites/suite_files.h"
#include "tools/cli/common.h"
#include "tools/cli/flag_values.h"
#include "tools/commands.h"

namespace hlocts::tools {
namespace {

// A run or campaign, divided into shards.
struct ClusterPlan {
  int64_t shards = 1;
  std::vector<std::string> backends, queries;
  std::string tier, profile;
  // For a campaign: chunk k runs up to `chunk` modules with the seed `seed` + k - 1. Shard i runs
  // chunks i, i + shards, ...; the set of all modules does not depend on the number of shards.
  int64_t modules = 0, chunk = 0;
  uint64_t seed = 1;
  std::string program;  // path of hlocts on these machines
  std::string image;    // a container image for Kubernetes

  bool IsCampaign() const { return modules > 0; }
  int64_t Chunks() const { return IsCampaign() ? (modules + chunk - 1) / chunk : 0; }
};

struct StoredPlan {
  ClusterPlan plan;
  std::string kind;  // "slurm", "k8s" or "actions"
};

struct ClusterMerge {
  std::vector<int64_t> lost;          // shards that must run again
  std::vector<std::string> problems;  // all other problems
  int64_t verdicts = 0, modules = 0, buckets = 0, met = 0;
};

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string Arguments(const ClusterPlan& plan) {
  std::vector<std::string> words;
  if (!plan.IsCampaign()) {
    for (const std::string& query : plan.queries) words.push_back(suites::ShellQuoted(query));
    if (!plan.tier.empty()) words.push_back(suites::ShellQuoted("--tier=" + plan.tier));
  }
  for (const std::string& backend : plan.backends)
    words.push_back(suites::ShellQuoted("--backend=" + backend));
  if (!plan.profile.empty()) words.push_back(suites::ShellQuoted("--profile=" + plan.profile));
  return absl::StrJoin(words, " ");
}

// Returns the lines of a shard's script that install the releases that the shard runs.
std::string Installs(const ClusterPlan& plan) {
  std::string lines;
  for (const std::string& backend : plan.backends) {
    const auto engine = backends::ListedEngine(backend);
    if (!engine || engine->sha256().empty()) continue;
    absl::StrAppend(&lines, "\"${HLOCTS:-", plan.program, "}\" engines install ",
                    suites::ShellQuoted(engine->name()), " || exit 3\n");
  }
  return lines;
}

// Returns a file of tools/cluster/jobs with the values of the plan.
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
                                    {"@RELEASE@", kReleaseTarball},
                                    {"@FOLDER@", ".github/hlocts"},
                                    {"@MATRIX@", absl::StrJoin(shards, ", ")},
                                    {"@ARGUMENTS@", Arguments(plan)}});
}

// Creates hard links to the files of failing cases instead of copies.
void LinkCases(const std::string& from, const std::string& to) {
  std::error_code error;
  fs::copy(from + "/cases", to + "/cases",
           fs::copy_options::recursive | fs::copy_options::create_hard_links |
               fs::copy_options::skip_existing,
           error);
}

void AppendFile(const std::string& from, const std::string& to) {
  auto text = ReadFile(from);
  if (text.ok()) std::ofstream(to, std::ios::app) << *text;
}

absl::Status WriteMerged(const std::vector<reports::LoadedRun>& runs, const std::string& to,
                         ClusterMerge& merge) {
  reports::MergedRun merged = reports::MergeRuns(runs);
  merge.problems = merged.problems;
  if (!merge.problems.empty()) return absl::OkStatus();
  reports::RunRecord record = runs[0].record;
  record.shard_index = record.shard_count = 1;
  std::error_code error;
  fs::remove_all(to, error);
  fs::create_directories(to, error);
  for (const reports::LoadedRun& run : runs) {
    record.started = std::min(record.started, run.record.started);
    record.finished = std::max(record.finished, run.record.finished);
    LinkCases(run.folder, to);
    for (const char* list : {"/replay.txt", "/failing.txt"})
      AppendFile(run.folder + list, to + list);
  }
  std::string lines;
  reports::Scorecard scorecard;
  for (const reports::Verdict& verdict : merged.verdicts) {
    absl::StrAppend(&lines, reports::VerdictToRecord(verdict), "\n");
    scorecard.Add(verdict);
  }
  merge.verdicts = static_cast<int64_t>(merged.verdicts.size());
  HLOCTS_RETURN_IF_ERROR(WriteFile(to + "/verdicts.jsonl", lines));
  HLOCTS_RETURN_IF_ERROR(WriteFile(to + "/scorecard.txt", scorecard.ToText()));
  return reports::WriteRunRecord(record, to);
}

absl::Status MergeRunShards(const ClusterPlan& plan, const std::string& folder,
                            ClusterMerge& merge) {
  std::vector<reports::LoadedRun> runs;
  for (int64_t i = 1; i <= plan.shards; ++i) {
    auto run = reports::LoadRun(absl::StrCat(folder, "/shard-", i));
    if (run.ok() && !run->record.finished.empty()) {
      runs.push_back(*std::move(run));
    } else {
      merge.lost.push_back(i);
    }
  }
  if (!merge.lost.empty()) return absl::OkStatus();
  return WriteMerged(runs, folder + "/merged", merge);
}

// The buckets of many campaigns. As in one campaign, a bucket absorbs those that it covers.
class Buckets {
 public:
  void Add(const Json& json) {
    const std::string backend = json.value("backend", "");
    fuzz::FailureTraits remains = {json.value("elements", int64_t{0}), json.value("rivals", false),
                                   json.value("needs", std::set<std::string>())};
    std::vector<std::string> absorbed;
    const std::string name =
        sets_[backend].Add(fuzz::BucketOf(json.value("signature", ""), remains), &absorbed);
    for (const std::string& gone : absorbed) Keep(backend, name, Taken(backend, gone));
    Keep(backend, name, {json});
  }
  const std::map<std::pair<std::string, std::string>, std::vector<Json>>& all() const {
    return found_;
  }

 private:
  std::vector<Json> Taken(const std::string& backend, const std::string& name) {
    auto node = found_.extract({backend, name});
    return node.empty() ? std::vector<Json>() : std::move(node.mapped());
  }
  void Keep(const std::string& backend, const std::string& name, std::vector<Json> more) {
    std::vector<Json>& list = found_[{backend, name}];
    list.insert(list.end(), more.begin(), more.end());
  }
  std::map<std::string, fuzz::BucketSet> sets_;
  std::map<std::pair<std::string, std::string>, std::vector<Json>> found_;
};

absl::Status ReadChunk(const std::string& chunk, Buckets& buckets, ClusterMerge& merge) {
  HLOCTS_ASSIGN_OR_RETURN(const auto findings, reports::LastingFindings(chunk + "/findings.jsonl"));
  for (const auto& line : findings) {
    Json json = line;
    // The path of the bundle, relative to the directory that contains all shards.
    json["folder"] = absl::StrCat(fs::path(chunk).filename().string(), "/findings/",
                                  fs::path(json.value("folder", "")).filename().string());
    ++merge.met;
    buckets.Add(json);
  }
  return absl::OkStatus();
}

absl::Status MergeChunks(const ClusterPlan& plan, const std::string& folder, ClusterMerge& merge) {
  Buckets buckets;
  std::set<int64_t> lost;
  for (int64_t i = 1; i <= plan.Chunks(); ++i) {
    const std::string chunk = absl::StrCat(folder, "/chunk-", i);
    if (!fs::exists(chunk + "/finished")) {
      lost.insert((i - 1) % plan.shards + 1);
    } else {
      HLOCTS_RETURN_IF_ERROR(ReadChunk(chunk, buckets, merge));
    }
  }
  merge.lost.assign(lost.begin(), lost.end());
  if (!lost.empty()) return absl::OkStatus();
  std::string lines;
  for (const auto& [key, findings] : buckets.all()) {
    Json smallest =
        *std::min_element(findings.begin(), findings.end(), [](const Json& a, const Json& b) {
          return std::pair(a.value("instructions", 0), a.value("folder", "")) <
                 std::pair(b.value("instructions", 0), b.value("folder", ""));
        });
    smallest["bucket"] = key.second;
    smallest["times"] = findings.size();
    smallest["folder"] = absl::StrCat(folder, "/", smallest.value("folder", ""));
    absl::StrAppend(&lines, JsonText(smallest), "\n");
  }
  merge.buckets = static_cast<int64_t>(buckets.all().size());
  merge.modules = plan.modules;
  std::error_code error;
  fs::create_directories(folder + "/merged", error);
  Json state = {{"seed", plan.seed},
                {"recipe", absl::StrCat(plan.chunk, " modules per seed")},
                {"backends", backends::RecordedNames(plan.backends)},
                {"next", plan.modules}};
  HLOCTS_RETURN_IF_ERROR(WriteFile(folder + "/merged/findings.jsonl", lines));
  return WriteFile(folder + "/merged/state.json", JsonText(state) + "\n");
}

// Writes cluster.json, which states the expected shards, unless the directory has other shards.
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
  const std::string path = folder + "/cluster.json", text = JsonText(json, 1) + "\n";
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_directory() && ReadFile(path).value_or(text) != text)
      return InvalidInput("--out: ", folder, " has ", name, " of another job: expected another ",
                          "directory, or the same options");
  }
  return WriteFile(path, text);
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

struct ClusterOptions {
  std::vector<std::string> words;  // slurm, k8s, actions or merge; then the queries
  std::string out = "out/cluster";
  std::vector<std::string> backends;
  std::optional<uint64_t> seed;
  ClusterPlan plan;
};

constexpr int64_t kChunk = 10000;  // modules per seed; they take half an hour on a slow engine

std::string AgainWith(const std::string& kind, const std::vector<int64_t>& lost) {
  const std::string list = absl::StrJoin(lost, ",");
  if (kind == "slurm")
    return absl::StrCat("sbatch --array=", list, " job.sbatch, in that directory");
  if (kind == "k8s")
    return "kubectl delete job hlocts; kubectl apply -f job.yaml (finished shards are kept)";
  return absl::StrCat("\"Re-run failed jobs\", shards ", list);
}

// Writes <folder>/merged unless a shard is lost or there is another problem. For a run, this is the
// directory that a run on one machine would have written, with verdicts ordered by engine and
// address. For a campaign, it contains the buckets of all chunks, each with its smallest module.
int Merge(const ClusterOptions& options) {
  auto stored = ReadPlan(options.out);
  if (!stored.ok()) return Fail(stored.status());
  ClusterMerge merge;
  const absl::Status merged =
      (stored->plan.IsCampaign() ? MergeChunks : MergeRunShards)(stored->plan, options.out, merge);
  if (!merged.ok()) return Fail(merged);
  if (!merge.lost.empty()) {
    std::cout << options.out << ": " << merge.lost.size() << " of " << stored->plan.shards
              << (merge.lost.size() == 1 ? " shards is" : " shards are")
              << " not finished: " << absl::StrJoin(merge.lost, ", ")
              << "\nnothing was merged; run them again: " << AgainWith(stored->kind, merge.lost)
              << "\n";
    return kExitFailed;
  }
  for (const std::string& problem : merge.problems) std::cout << problem << "\n";
  if (!merge.problems.empty()) return kExitFailed;
  if (stored->plan.IsCampaign()) {
    std::cout << options.out << "/merged: " << CountText(merge.modules, "module") << ", "
              << CountText(merge.met, "finding") << ", " << CountText(merge.buckets, "bucket")
              << "\n";
  } else {
    std::cout << options.out << "/merged: " << CountText(merge.verdicts, "verdict") << " of "
              << CountText(stored->plan.shards, "shard") << ", none missing, none duplicated\n";
  }
  return kExitOk;
}

absl::Status Complete(const std::string& kind, ClusterOptions& options) {
  ClusterPlan& plan = options.plan;
  if (kind == "k8s" && plan.image.empty())
    return InvalidInput("cluster k8s: expected --image, a container image with hlocts");
  plan.queries.assign(options.words.begin() + 1, options.words.end());
  plan.backends = backends::SplitBackendNames(options.backends);
  if (plan.backends.empty()) return InvalidInput("cluster: expected --backend");
  if (plan.IsCampaign() && !plan.queries.empty())
    return InvalidInput("cluster --modules: expected no query, since a campaign has none");
  for (const std::string& backend : plan.backends) {
    // The machines of the shards may have files and releases that this machine lacks.
    const absl::Status made = backends::MakeBackend(backend).status();
    if (ExitStatusOf(made) == kExitUsage) return made;
  }
  const auto tier = suites::TierFromName(plan.tier.empty() ? "smoke" : plan.tier);
  if (!plan.IsCampaign()) HLOCTS_RETURN_IF_ERROR(suites::SelectCases(plan.queries, *tier).status());
  if (plan.chunk == 0)
    plan.chunk = std::min(kChunk, std::max<int64_t>(1, plan.modules / plan.shards));
  plan.seed = options.seed.value_or(1);
  if (plan.program.empty() && kind != "slurm") plan.program = "hlocts";
  if (plan.program.empty()) {
    std::error_code error;
    plan.program = fs::read_symlink("/proc/self/exe", error).string();
  }
  return absl::OkStatus();
}

absl::Status WriteJob(const ClusterOptions& options, const std::string& kind) {
  std::error_code error;
  fs::create_directories(options.out, error);
  if (error) return InvalidInput("--out: ", options.out, ": ", error.message());
  const std::string script = options.out + "/shard.sh";
  HLOCTS_RETURN_IF_ERROR(WritePlan(options.plan, kind, options.out));
  // The shell script of one shard, for any scheduler. It does not repeat finished work.
  HLOCTS_ASSIGN_OR_RETURN(const std::string shard,
                          Filled(options.plan.IsCampaign() ? "fuzz.sh" : "run.sh", options.plan));
  HLOCTS_RETURN_IF_ERROR(WriteFile(script, shard));
  fs::permissions(script, fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec,
                  fs::perm_options::add, error);
  const char* name = kind == "slurm" ? "job.sbatch" : kind == "k8s" ? "job.yaml" : "hlocts.yml";
  HLOCTS_ASSIGN_OR_RETURN(const std::string job, Filled(name, options.plan));
  return WriteFile(absl::StrCat(options.out, "/", name), job);
}

int RunCluster(ClusterOptions options) {
  const std::string kind = options.words.empty() ? "" : options.words[0];
  if (kind == "merge") return Merge(options);
  if (kind != "slurm" && kind != "k8s" && kind != "actions")
    return Fail(
        InvalidInput("cluster: expected slurm, k8s, actions or merge, found ", FoundText(kind)));
  absl::Status status = Complete(kind, options);
  if (status.ok()) status = WriteJob(options, kind);
  if (!status.ok()) return Fail(status);
  std::cout << options.out << ": " << CountText(options.plan.shards, "shard") << "; start: "
            << (kind == "slurm" ? "(cd " + options.out + " && sbatch job.sbatch)"
                : kind == "k8s" ? "kubectl apply -f " + options.out +
                                      "/job.yaml, with the directory on volume claim hlocts"
                                : "shard.sh and cluster.json to .github/hlocts, hlocts.yml to "
                                  ".github/workflows, and " +
                                      std::string(kReleaseTarball) +
                                      " into the repository (or its address into hlocts.yml)")
            << "; then: " << ProgramAsCalled() << " cluster merge --out=" << options.out << "\n";
  return kExitOk;
}

}  // namespace

Command ClusterCommand() {
  return {"cluster",
          "write a job of many shards for Slurm, Kubernetes or GitHub Actions; merge them",
          [](Flags& flags) {
            auto options = std::make_shared<ClusterOptions>();
            ClusterPlan& plan = options->plan;
            flags.Positional("KIND", &options->words,
                             "slurm, k8s or actions, and queries of the suite; or merge",
                             {"slurm", "k8s", "actions", "merge"});
            flags.Add("--shards", &plan.shards, "number of shards", {1});
            flags.Add("--out", &options->out, "directory of the job and its results (out/cluster)");
            flags.Add("--backend", &options->backends, "engines, comma-separated; repeatable");
            flags.AddTier(&plan.tier, "tier (hlocts help tiers)");
            flags.AddProfile(&plan.profile);
            flags.Add("--modules", &plan.modules,
                      "number of modules of a campaign, instead of the suite");
            flags.Add("--chunk", &plan.chunk, "number of modules per seed (10000, or fewer)");
            flags.Add("--seed", &options->seed, "seed of the first chunk (1)");
            flags.Add("--program", &plan.program,
                      "hlocts on the machines (slurm: this program; otherwise on PATH)");
            flags.Add("--image", &plan.image, "container image with hlocts, for k8s");
            return [options] { return RunCluster(*options); };
          }};
}

}  // namespace hlocts::tools
