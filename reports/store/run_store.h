// SPDX-License-Identifier: Apache-2.0
// The run store: nightly runs in one SQLite file.
//
// An import is one transaction: a killed process, a full disk or a second writer loses that import
// and nothing else. A run counts once it is complete; missing cases are an error, or with
// --incomplete the verdict `lost`. Per case and engine the store has verdict, time, elements, bits
// checked and seed; it never has the name of a machine or person, or a path. New column: a step at
// the end of kSteps in schema.cc, which is never changed later.
#ifndef HLOCTS_REPORTS_STORE_RUN_STORE_H_
#define HLOCTS_REPORTS_STORE_RUN_STORE_H_

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
  bool pruned = false;  // only counts are left
};

struct ImportOptions {
  std::string night;        // label; empty: the day of the earliest start
  bool incomplete = false;  // take a run that lacks verdicts; they count as lost
};

struct Imported {
  int runs = 0, known_already = 0, campaigns = 0, findings = 0;
  int64_t verdicts = 0;
  std::string night;
};

class RunStore {
 public:
  // Creates or migrates the store. Errors: of the file system; damage; a file of another program.
  static absl::StatusOr<std::unique_ptr<RunStore>> OpenToWrite(const std::string& path);
  static absl::StatusOr<std::unique_ptr<RunStore>> OpenToRead(const std::string& path);

  // Imports directories of `run --out` (the shards of a run together, and several runs), of `fuzz
  // --out`, and those with a history.jsonl, the output of `replay --json` on the open findings;
  // also bundles with the history.json of `history --keep`, which supplies results that the nightly
  // run did not produce. Shards that are not complete are an error that names the missing cases,
  // unless options.incomplete.
  absl::StatusOr<Imported> Import(const std::vector<std::string>& folders,
                                  const ImportOptions& options);
  absl::StatusOr<std::vector<StoredRun>> List();
  // Loads the newest `nights` nightly runs up to the one named (empty: the newest).
  absl::StatusOr<History> Load(int nights, const std::string& until = "");
  // Deletes verdicts of all but the newest `keep` nightly runs; their counts and findings stay.
  // Returns the number of deleted verdicts.
  absl::StatusOr<int64_t> Prune(int keep);
  // Reads every page; kUnavailable with the damage. If there is none, renews a copy next to the
  // store, PATH.backup.
  absl::Status Check();

 private:
  explicit RunStore(std::unique_ptr<Database> database) : database_(std::move(database)) {}
  std::unique_ptr<Database> database_;
};

// Sets the file aside as PATH.damaged-N and makes a new store of all rows that can still be read
// from it, and of those that only PATH.backup has. Returns a sentence about the recovered rows.
absl::StatusOr<std::string> RecoverStore(const std::string& path);

}  // namespace hlocts::reports

#endif  // HLOCTS_REPORTS_STORE_RUN_STORE_H_
