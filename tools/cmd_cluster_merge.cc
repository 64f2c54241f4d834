// SPDX-License-Identifier: Apache-2.0
#include "tools/cmd_cluster_merge.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "backends/backend_list.h"
#include "fuzz/triage/bucket.h"
#include "nlohmann/json.hpp"
#include "reports/run_record.h"
#include "reports/scorecard.h"
#include "spec/base/json_text.h"
#include "spec/files/file_io.h"

namespace hlocts::tools {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// Links the files of failing cases instead of copying them.
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

// The buckets of many campaigns. A bucket that covers another absorbs it, as in a single campaign.
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
  std::ifstream in(chunk + "/findings.jsonl");
  for (std::string line; std::getline(in, line);) {
    Json json = ParseJson<Json>(line);
    if (!json.is_object() || json.value("known", false)) continue;
    // The bundle's path, relative to the directory that contains all shards.
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

}  // namespace

absl::StatusOr<ClusterMerge> MergeCluster(const ClusterPlan& plan, const std::string& folder) {
  ClusterMerge merge;
  HLOCTS_RETURN_IF_ERROR(plan.IsCampaign() ? MergeChunks(plan, folder, merge)
                                           : MergeRunShards(plan, folder, merge));
  return merge;
}

}  // namespace hlocts::tools
