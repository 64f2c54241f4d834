// SPDX-License-Identifier: Apache-2.0
#include "reports/run_record.h"

#include <algorithm>
#include <ctime>
#include <fstream>
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "nlohmann/json.hpp"
#include "spec/files/file_io.h"

namespace hlocts::reports {
namespace {

using Json = nlohmann::ordered_json;
using Key = std::pair<std::string, std::string>;  // engine, address

constexpr size_t kNamedMax = 20;  // cases named one by one in a problem

Key KeyOf(const Verdict& verdict) { return {verdict.backend, verdict.case_address}; }

// What must be equal in all shards of one run.
std::string Asked(const RunRecord& record) {
  return absl::StrCat(absl::StrJoin(record.backends, ","), " ", record.tier, " ", record.profile,
                      " ", absl::StrJoin(record.queries, ","), " of ", record.shard_count,
                      " shards, ", record.selection.size(), " cases");
}

absl::StatusOr<RunRecord> ReadRecord(const std::string& folder) {
  const std::string path = folder + "/run.json";
  HLOCTS_ASSIGN_OR_RETURN(std::string text, ReadFile(path));
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return InvalidInput(path, ": expected a JSON object");
  RunRecord record;
  try {
    json.at("backends").get_to(record.backends);
    json.at("queries").get_to(record.queries);
    json.at("tier").get_to(record.tier);
    json.at("profile").get_to(record.profile);
    json.at("shard_index").get_to(record.shard_index);
    json.at("shard_count").get_to(record.shard_count);
    json.at("started").get_to(record.started);
    record.finished = json.value("finished", "");
    record.facts = json.value("facts", record.facts);
  } catch (const nlohmann::json::exception& error) {
    return InvalidInput(path, ": ", error.what());
  }
  HLOCTS_ASSIGN_OR_RETURN(std::string selection, ReadFile(folder + "/selection.txt"));
  record.selection = absl::StrSplit(selection, '\n', absl::SkipEmpty());
  return record;
}

void AppendNamed(absl::string_view what, const std::set<Key>& keys,
                 std::vector<std::string>& problems) {
  if (keys.empty()) return;
  std::string text = absl::StrCat(keys.size(), " ", what, ":");
  size_t named = 0;
  for (const auto& [backend, address] : keys) {
    if (++named > kNamedMax) break;
    absl::StrAppend(&text, "\n  ", address, " on ", backend);
  }
  if (keys.size() > kNamedMax) absl::StrAppend(&text, "\n  ...");
  problems.push_back(std::move(text));
}

void CheckShards(const std::vector<LoadedRun>& runs, std::vector<std::string>& problems) {
  const RunRecord& first = runs[0].record;
  std::map<int64_t, std::string> shards;
  for (const LoadedRun& run : runs) {
    if (Asked(run.record) != Asked(first) || run.record.selection != first.selection) {
      problems.push_back(absl::StrCat(run.folder, " is of another run than ", runs[0].folder, ": ",
                                      Asked(run.record), "; ", Asked(first)));
    }
    auto [at, added] = shards.emplace(run.record.shard_index, run.folder);
    if (!added) {
      problems.push_back(absl::StrCat("shard ", run.record.shard_index, " twice: ", at->second,
                                      " and ", run.folder));
    }
    if (run.record.finished.empty()) {
      problems.push_back(absl::StrCat(run.folder, " was cut short"));
    }
  }
  for (int64_t i = 1; i <= first.shard_count; ++i) {
    if (!shards.count(i)) {
      problems.push_back(absl::StrCat("shard ", i, " of ", first.shard_count, " is missing"));
    }
  }
}

}  // namespace

absl::Status WriteRunRecord(const RunRecord& record, const std::string& folder) {
  Json json = {{"backends", record.backends},       {"facts", record.facts},
               {"queries", record.queries},         {"tier", record.tier},
               {"profile", record.profile},         {"shard_index", record.shard_index},
               {"shard_count", record.shard_count}, {"started", record.started}};
  if (!record.finished.empty()) json["finished"] = record.finished;
  HLOCTS_RETURN_IF_ERROR(WriteFile(folder + "/run.json", json.dump(1) + "\n"));
  return WriteFile(folder + "/selection.txt", absl::StrJoin(record.selection, "\n") + "\n");
}

absl::StatusOr<LoadedRun> LoadRun(const std::string& folder) {
  LoadedRun run;
  run.folder = folder;
  HLOCTS_ASSIGN_OR_RETURN(run.record, ReadRecord(folder));
  const std::string path = folder + "/verdicts.jsonl";
  std::ifstream in(path);
  if (!in) return absl::NotFoundError(absl::StrCat(path, ": cannot be read"));
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    auto verdict = VerdictFromJson(line);
    if (!verdict.ok() && in.eof()) break;  // no newline: the run was killed while writing
    if (!verdict.ok()) {
      return InvalidInput(path, ": line ", number, ": ", verdict.status().message());
    }
    run.verdicts.push_back(*std::move(verdict));
  }
  return run;
}

MergedRun MergeRuns(const std::vector<LoadedRun>& runs) {
  MergedRun merged;
  if (runs.empty()) return merged;
  CheckShards(runs, merged.problems);
  std::map<Key, Verdict> verdicts;
  std::set<Key> twice, missing, foreign;
  for (const LoadedRun& run : runs) {
    for (const Verdict& verdict : run.verdicts) {
      if (!verdicts.emplace(KeyOf(verdict), verdict).second) twice.insert(KeyOf(verdict));
    }
  }
  const RunRecord& record = runs[0].record;
  const std::set<std::string> asked(record.selection.begin(), record.selection.end());
  for (const std::string& backend : record.backends) {
    for (const std::string& address : asked) {
      if (!verdicts.count({backend, address})) missing.insert({backend, address});
    }
  }
  for (auto& [key, verdict] : verdicts) {
    if (!asked.count(key.second)) foreign.insert(key);
    merged.verdicts.push_back(std::move(verdict));
  }
  AppendNamed("cases missing", missing, merged.problems);
  AppendNamed("cases twice", twice, merged.problems);
  AppendNamed("cases nobody asked for", foreign, merged.problems);
  return merged;
}

RunChanges CompareRuns(const std::vector<Verdict>& before, const std::vector<Verdict>& now) {
  std::map<Key, VerdictKind> old;
  for (const Verdict& verdict : before) old[KeyOf(verdict)] = verdict.kind;
  RunChanges changes;
  for (const Verdict& verdict : now) {
    auto found = old.find(KeyOf(verdict));
    if (found == old.end() || found->second == verdict.kind) continue;
    std::string line =
        absl::StrCat(verdict.case_address, " on ", verdict.backend, ": ", VerdictName(verdict.kind),
                     ", was ", VerdictName(found->second));
    auto& list = verdict.kind == VerdictKind::kPass    ? changes.better
                 : found->second == VerdictKind::kPass ? changes.worse
                                                       : changes.other;
    list.push_back(std::move(line));
  }
  return changes;
}

std::string UtcNow() {
  std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

}  // namespace hlocts::reports
