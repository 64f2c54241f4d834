// SPDX-License-Identifier: Apache-2.0
// A run of the suite as the folder it leaves: what was asked for (run.json, selection.txt) and what
// came (verdicts.jsonl). Shards of one run merge into one, and the merge is checked to be complete.
#ifndef HLOCTS_REPORTS_RUN_RECORD_H_
#define HLOCTS_REPORTS_RUN_RECORD_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "reports/verdict.h"
#include "spec/base/status.h"

namespace hlocts::reports {

struct RunRecord {
  std::vector<std::string> backends, queries;
  std::map<std::string, std::vector<std::string>> facts;  // what each engine promises
  std::string tier, profile;
  int64_t shard_index = 1, shard_count = 1;
  std::string started, finished;  // UTC, 2026-01-31T12:00:00Z; no `finished`: cut short
  // Addresses that all shards together run, sorted; in selection.txt, one a line.
  std::vector<std::string> selection;
};

// Writes run.json and selection.txt. kInternal when the folder cannot be written.
absl::Status WriteRunRecord(const RunRecord& record, const std::string& folder);

struct LoadedRun {
  std::string folder;
  RunRecord record;
  std::vector<Verdict> verdicts;
};
// kInvalidArgument names file and line. A last line that was cut off in the middle is left out: the
// merge reports its case as missing.
absl::StatusOr<LoadedRun> LoadRun(const std::string& folder);

struct MergedRun {
  std::vector<Verdict> verdicts;      // by engine and address
  std::vector<std::string> problems;  // empty: every case is there, once, on every engine
};
// Runs that differ in what they were asked for are a problem, not an error.
MergedRun MergeRuns(const std::vector<LoadedRun>& runs);

// Cases whose verdict is another one than in `before`: "address on engine: pass, was fail".
struct RunChanges {
  std::vector<std::string> worse, better, other;
};
RunChanges CompareRuns(const std::vector<Verdict>& before, const std::vector<Verdict>& now);

// Now, as RunRecord writes it.
std::string UtcNow();

}  // namespace hlocts::reports

#endif  // HLOCTS_REPORTS_RUN_RECORD_H_
