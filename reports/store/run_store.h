// SPDX-License-Identifier: Apache-2.0
// Declares the run store, which keeps nightly runs in one SQLite file.
//
// An import is one transaction: a killed process, a full disk or a second writer loses only that
// import. A run must be complete: missing cases are an error or, with --incomplete, have the
// verdict `lost`. The store keeps verdict, time, elements, bits checked and seed per case and
// engine, but never a path or the name of a machine or person. A new column needs a step at the end
// of kSteps in schema.cc; steps are never changed later.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "reports/nights/nights.h"
#include "reports/store/sqlite.h"

namespace hlocts::reports {

struct StoredRun {
  int64_t id = 0;
  std::string night, tier, profile, queries, started, finished, problems;
  std::vector<std::string> engines;
  int64_t verdicts = 0, bad = 0;
  bool pruned = false;  // only counts remain
};

struct StoredVerdict {
  std::string night, engine;
  char mark = kAbsentMark;
};

struct ImportOptions {
  std::string night;        // label; if empty, the day of the earliest start
  bool incomplete = false;  // accept a run that lacks verdicts and count them as lost
  std::string engine;       // if not empty, the name to store for the run's only engine
};

struct Imported {
  int runs = 0, already_imported = 0, campaigns = 0, findings = 0;
  int64_t verdicts = 0;
  std::string night;
};

class RunStore {
 public:
  // Creates or migrates the store. Fails for I/O errors, damage, or another program's file.
  static absl::StatusOr<std::unique_ptr<RunStore>> OpenToWrite(const std::string& path);
  static absl::StatusOr<std::unique_ptr<RunStore>> OpenToRead(const std::string& path);

  // Imports directories: those of `run --out` (several runs, each with all its shards) and of `fuzz
  // --out`; those with a history.jsonl, the output of `replay --json` on the open findings; and
  // bundles with a history.json (`history --keep`), which results of the nightly run override.
  // Incomplete shards are an error that names the missing cases, unless options.incomplete.
  absl::StatusOr<Imported> Import(const std::vector<std::string>& folders,
                                  const ImportOptions& options);
  absl::StatusOr<std::vector<StoredRun>> List();
  // Returns a case's verdict in each nightly run and on each engine, in this order.
  absl::StatusOr<std::vector<StoredVerdict>> VerdictsOf(const std::string& address);
  // Records the report of a nightly run (if empty, of the newest one), and those without one.
  absl::Status RecordReport(const std::string& night, const std::vector<std::string>& notes,
                            int64_t not_repeated, const std::vector<std::string>& without);
  // Loads the newest `nights` nightly runs up to `until` (if empty, the newest), as if earlier ones
  // without a complete report did not exist.
  absl::StatusOr<History> Load(int nights, const std::string& until = "");
  // Deletes the verdicts of all nightly runs before the newest `keep` (at least 2, since the newest
  // is compared with the one before) with a complete report, and of those without one before the
  // newest one with a report. Counts, findings and the verdicts that comparisons need remain: of
  // each case on each engine, the last of these nightly runs, and the first in a sequence of equal
  // ones. Returns the number of deleted verdicts.
  absl::StatusOr<int64_t> Prune(int keep);
  // Reads every page. Returns kInternal with the damage, or renews the backup copy, PATH.backup.
  absl::Status Check();

 private:
  absl::Status CheckNight(const std::string& night);  // fails unless the store has it
  explicit RunStore(std::unique_ptr<Database> database) : database_(std::move(database)) {}
  std::unique_ptr<Database> database_;
};

// Renames the file PATH to PATH.damaged-N. Creates a new store from its readable rows and from rows
// that only PATH.backup has. Returns a message about the recovered rows and, by table, lost ones. A
// run that lacks rows is incomplete from then on.
absl::StatusOr<std::string> RecoverStore(const std::string& path);

}  // namespace hlocts::reports
