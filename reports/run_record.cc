// SPDX-License-Identifier: Apache-2.0
#include "reports/run_record.h"

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <thread>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "nlohmann/json.hpp"
#include "spec/base/count_text.h"
#include "spec/base/json_text.h"
#include "spec/base/version.h"
#include "spec/files/file_io.h"

namespace hlocts::reports {
namespace {

using Json = nlohmann::ordered_json;
using Key = std::pair<std::string, std::string>;  // engine, address

constexpr size_t kNamedMax = 20;  // cases named in a problem

Key KeyOf(const Verdict& verdict) { return {verdict.backend, verdict.case_address}; }

// Returns the fields that must be equal in all shards of a run.
std::string Asked(const RunRecord& record) {
  return absl::StrCat(absl::StrJoin(record.backends, ","), " ", record.tier, " ", record.profile,
                      " ", absl::StrJoin(record.queries, ","), " ",
                      absl::StrJoin(record.options, " ", absl::PairFormatter("=")), " of ",
                      record.shard_count, " shards, ", record.selection.size(), " cases");
}

void AppendNamed(absl::string_view what, const std::set<Key>& keys,
                 std::vector<std::string>& problems) {
  if (keys.empty()) return;
  std::string text = absl::StrCat(CountText(keys.size(), "case"), " ", what, ":");
  size_t named = 0;
  for (const auto& [backend, address] : keys) {
    if (++named > kNamedMax) break;
    absl::StrAppend(&text, "\n  ", address, " on ", backend);
  }
  if (keys.size() > kNamedMax) absl::StrAppend(&text, "\n  ...");
  problems.push_back(std::move(text));
}

void CheckShards(const std::vector<std::string>& folders,
                 const std::vector<const RunRecord*>& records, std::vector<std::string>& problems) {
  const RunRecord& first = *records[0];
  std::map<int64_t, std::string> shards;
  for (size_t i = 0; i < records.size(); ++i) {
    const RunRecord& record = *records[i];
    if (Asked(record) != Asked(first) || record.selection != first.selection) {
      problems.push_back(absl::StrCat(folders[i], " belongs to another run than ", folders[0], ": ",
                                      Asked(record), "; ", Asked(first)));
    }
    auto [at, added] = shards.emplace(record.shard_index, folders[i]);
    if (!added) {
      problems.push_back(absl::StrCat("shard ", record.shard_index, " occurs twice: ", at->second,
                                      " and ", folders[i]));
    }
    if (record.finished.empty()) problems.push_back(absl::StrCat(folders[i], " is unfinished"));
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
  if (!record.plugins.empty()) json["plugins"] = record.plugins;
  if (!record.options.empty()) json["options"] = record.options;
  if (!record.finished.empty()) json["finished"] = record.finished;
  if (!record.program.empty()) json["program"] = record.program;
  if (!record.suite.empty()) json["suite"] = record.suite;
  if (!record.cpu.empty()) json["cpu"] = record.cpu;
  if (record.cores > 0) json["cores"] = record.cores;
  // Writes run.json last: a directory with run.json is a run, which must have selection.txt.
  HLOCTS_RETURN_IF_ERROR(
      WriteFile(folder + "/selection.txt", absl::StrJoin(record.selection, "\n") + "\n"));
  return WriteFile(folder + "/run.json", JsonText(json, 1) + "\n");
}

void SetMachine(RunRecord& record) {
  record.program = kVersion;
  record.cores = std::max(1u, std::thread::hardware_concurrency());
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    if (!absl::StartsWith(line, "model name")) continue;
    record.cpu = std::string(absl::StripAsciiWhitespace(line.substr(line.find(':') + 1)));
    break;
  }
}

absl::StatusOr<RunRecord> ReadRunRecord(const std::string& folder) {
  const std::string path = folder + "/run.json";
  if (!std::filesystem::exists(path))
    return InvalidInput(folder, ": expected a directory of `run --out` (which contains run.json)");
  HLOCTS_ASSIGN_OR_RETURN(std::string text, ReadFile(path));
  Json json = ParseJson<Json>(text);
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
    record.plugins = json.value("plugins", record.plugins);
    record.options = json.value("options", record.options);
    record.program = json.value("program", "");
    record.suite = json.value("suite", "");
    record.cpu = json.value("cpu", "");
    record.cores = json.value("cores", int64_t{0});
  } catch (const nlohmann::json::exception&) {
    return InvalidInput(path, ": expected the fields of a run (backends, queries, tier, profile, ",
                        "shard_index, shard_count, started) with their types");
  }
  HLOCTS_ASSIGN_OR_RETURN(std::string selection, ReadFile(folder + "/selection.txt"));
  record.selection = absl::StrSplit(selection, '\n', absl::SkipEmpty());
  return record;
}

absl::Status ReadVerdicts(const std::string& folder,
                          const std::function<absl::Status(Verdict)>& take) {
  const std::string path = folder + "/verdicts.jsonl";
  std::ifstream in(path);
  if (!in) return absl::NotFoundError(absl::StrCat(path, ": cannot be read"));
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    auto verdict = VerdictFromJson(line);
    if (!verdict.ok() && in.eof()) break;  // no newline: the run was killed
    if (!verdict.ok()) {
      return InvalidInput(path, ": line ", number, ": ", verdict.status().message());
    }
    HLOCTS_RETURN_IF_ERROR(take(*std::move(verdict)));
  }
  return absl::OkStatus();
}

absl::StatusOr<LoadedRun> LoadRun(const std::string& folder) {
  LoadedRun run;
  run.folder = folder;
  HLOCTS_ASSIGN_OR_RETURN(run.record, ReadRunRecord(folder));
  HLOCTS_RETURN_IF_ERROR(ReadVerdicts(folder, [&](Verdict verdict) {
    run.verdicts.push_back(std::move(verdict));
    return absl::OkStatus();
  }));
  return run;
}

MergeCheck::MergeCheck(std::vector<std::string> folders, std::vector<const RunRecord*> records)
    : folders_(std::move(folders)), records_(std::move(records)) {
  if (records_.empty()) return;
  requested_.assign(records_[0]->selection.begin(), records_[0]->selection.end());
  std::sort(requested_.begin(), requested_.end());
  requested_.erase(std::unique(requested_.begin(), requested_.end()), requested_.end());
}

bool MergeCheck::Add(const std::string& backend, const std::string& address) {
  auto at = std::lower_bound(requested_.begin(), requested_.end(), address);
  bool added = false;
  if (at == requested_.end() || *at != address) {
    added = foreign_.emplace(backend, address).second;
  } else {
    std::vector<bool>& seen = seen_[backend];
    seen.resize(requested_.size());
    added = !seen[at - requested_.begin()];
    seen[at - requested_.begin()] = true;
  }
  if (!added) twice_.emplace(backend, address);
  return added;
}

std::set<std::pair<std::string, std::string>> MergeCheck::Missing() const {
  std::set<Key> missing;
  if (records_.empty()) return missing;
  for (const std::string& backend : records_[0]->backends) {
    auto seen = seen_.find(backend);
    for (size_t i = 0; i < requested_.size(); ++i) {
      if (seen == seen_.end() || !seen->second[i]) missing.emplace(backend, requested_[i]);
    }
  }
  return missing;
}

std::vector<std::string> MergeCheck::Problems() {
  std::vector<std::string> problems;
  if (records_.empty()) return problems;
  CheckShards(folders_, records_, problems);
  AppendNamed("missing", Missing(), problems);
  AppendNamed("twice", twice_, problems);
  AppendNamed("not selected", foreign_, problems);
  return problems;
}

MergedRun MergeRuns(const std::vector<LoadedRun>& runs) {
  std::vector<std::string> folders;
  std::vector<const RunRecord*> records;
  for (const LoadedRun& run : runs) {
    folders.push_back(run.folder);
    records.push_back(&run.record);
  }
  MergeCheck check(std::move(folders), std::move(records));
  std::map<Key, Verdict> verdicts;
  for (const LoadedRun& run : runs) {
    for (const Verdict& verdict : run.verdicts) {
      if (check.Add(verdict.backend, verdict.case_address)) verdicts[KeyOf(verdict)] = verdict;
    }
  }
  MergedRun merged;
  merged.problems = check.Problems();
  for (auto& [key, verdict] : verdicts) merged.verdicts.push_back(std::move(verdict));
  return merged;
}

RunChanges CompareRuns(const std::vector<Verdict>& before, const std::vector<Verdict>& now) {
  std::map<Key, Outcome> old;
  for (const Verdict& verdict : before) old[KeyOf(verdict)] = verdict.kind;
  RunChanges changes;
  for (const Verdict& verdict : now) {
    auto found = old.find(KeyOf(verdict));
    if (found == old.end() || found->second == verdict.kind) continue;
    std::string line =
        absl::StrCat(verdict.case_address, " on ", verdict.backend, ": ", OutcomeName(verdict.kind),
                     ", was ", OutcomeName(found->second));
    auto& list = verdict.kind == Outcome::kPass    ? changes.better
                 : found->second == Outcome::kPass ? changes.worse
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
