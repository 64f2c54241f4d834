// SPDX-License-Identifier: Apache-2.0
// Reads and writes the directory of a suite run: the request (run.json, selection.txt) and the
// results (verdicts.jsonl). Merges the shards of a run and checks that they are complete.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "reports/verdict.h"
#include "spec/base/status.h"

namespace hlocts::reports {

struct RunRecord {
  std::vector<std::string> backends, queries;
  std::map<std::string, std::vector<std::string>> facts;  // facts of each engine
  std::map<std::string, std::string> plugins;  // engine -> sha256 of its file when the run started
  std::map<std::string, std::string> options;  // other options that change verdicts
  std::string tier, profile;
  int64_t shard_index = 1, shard_count = 1;
  std::string started, finished;  // UTC, 2026-01-31T12:00:00Z; `finished` is empty if cut short
  // Addresses that all shards together run, sorted; selection.txt has one per line.
  std::vector<std::string> selection;
  // The environment: version of this program, hash of the suite, processor. Contains neither paths
  // nor names of machines or persons.
  std::string program, suite, cpu;
  int64_t cores = 0;
};
// Sets `program`, `cores` and `cpu` to this process's values.
void SetMachine(RunRecord& record);

// Writes run.json and selection.txt. Returns kInternal if the directory cannot be written.
absl::Status WriteRunRecord(const RunRecord& record, const std::string& folder);

struct LoadedRun {
  std::string folder;
  RunRecord record;
  std::vector<Verdict> verdicts;
};
absl::StatusOr<RunRecord> ReadRunRecord(const std::string& folder);
// Reads every verdict of the directory, one at a time. Returns kInvalidArgument, with file and
// line, for an invalid line. Skips an incomplete last line; the merge reports its case as missing.
absl::Status ReadVerdicts(const std::string& folder,
                          const std::function<absl::Status(Verdict)>& take);
absl::StatusOr<LoadedRun> LoadRun(const std::string& folder);

// Checks that shards belong to one run and together have exactly one verdict for every case and
// engine. Uses one bit per verdict, so that millions of cases need little memory.
class MergeCheck {
 public:
  // The records must outlive the check.
  MergeCheck(std::vector<std::string> folders, std::vector<const RunRecord*> records);
  // Returns false if this engine already has a verdict on this case.
  bool Add(const std::string& backend, const std::string& address);
  // Returns the problems; none if the shards are complete. Different requests are also a problem.
  std::vector<std::string> Problems();
  std::set<std::pair<std::string, std::string>> Missing() const;  // engine, address

 private:
  std::vector<std::string> folders_;
  std::vector<const RunRecord*> records_;
  std::vector<absl::string_view> requested_;       // unique addresses, sorted
  std::map<std::string, std::vector<bool>> seen_;  // engine -> a bit for each of requested_
  std::set<std::pair<std::string, std::string>> foreign_, twice_;
};

struct MergedRun {
  std::vector<Verdict> verdicts;      // sorted by engine and address
  std::vector<std::string> problems;  // empty if the run is complete
};
MergedRun MergeRuns(const std::vector<LoadedRun>& runs);

// Cases whose verdict changed since `before`: "address on engine: pass, was fail".
struct RunChanges {
  std::vector<std::string> worse, better, other;
};
RunChanges CompareRuns(const std::vector<Verdict>& before, const std::vector<Verdict>& now);

// Returns the current time in the format of RunRecord.
std::string UtcNow();

}  // namespace hlocts::reports
