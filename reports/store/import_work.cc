// SPDX-License-Identifier: Apache-2.0
#include "reports/store/import_work.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "reports/store/scrub.h"

namespace hlocts::reports {
namespace {

namespace fs = std::filesystem;

// Returns the fields that are equal in all shards of a run and distinguish runs.
std::string RunKey(const RunRecord& record) {
  return absl::StrCat(absl::StrJoin(record.backends, ","), "|", record.tier, "|", record.profile,
                      "|", absl::StrJoin(record.queries, " "), "|", record.shard_count);
}

}  // namespace

std::string IdentityOf(const RunShards& run) {
  std::vector<std::string> starts;
  for (const RunRecord& record : run.records)
    starts.push_back(absl::StrCat(record.shard_index, "@", record.started));
  std::sort(starts.begin(), starts.end());
  return Scrubbed(absl::StrCat(RunKey(run.records[0]), "|", absl::StrJoin(starts, ",")));
}

absl::StatusOr<ImportWork> SortFolders(const std::vector<std::string>& folders) {
  ImportWork work;
  std::map<std::string, size_t> groups;
  std::string earliest;
  for (const std::string& folder : folders) {
    const auto has = [&](const char* name) { return fs::exists(folder + name); };
    if (!has("/run.json") && !has("/state.json") && !has("/history.jsonl") &&
        !has("/history.json")) {
      return InvalidInput(
          folder,
          ": expected a directory of `run --out` (run.json), of `fuzz --out` (state.json), with "
          "history.jsonl or a bundle with history.json, found none of these");
    }
    if (has("/run.json")) {
      HLOCTS_ASSIGN_OR_RETURN(RunRecord record, ReadRunRecord(folder));
      auto [at, added] = groups.emplace(RunKey(record), work.runs.size());
      if (added) work.runs.emplace_back();
      if (earliest.empty() || record.started < earliest) earliest = record.started;
      work.runs[at->second].folders.push_back(folder);
      work.runs[at->second].records.push_back(std::move(record));
    } else if (has("/state.json")) {
      work.campaigns.push_back(folder);
    }
    if (has("/history.jsonl")) work.histories.push_back(folder + "/history.jsonl");
    if (has("/history.json")) work.bundles.push_back(folder);
  }
  work.first_day = (earliest.empty() ? UtcNow() : earliest).substr(0, 10);
  return work;
}

}  // namespace hlocts::reports
