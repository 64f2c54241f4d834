// SPDX-License-Identifier: Apache-2.0
// Writes rows of the store inside a transaction, with statements that are prepared once.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "reports/run_record.h"
#include "reports/store/run_store.h"
#include "reports/store/sqlite.h"

namespace hlocts::reports {

class StoreWriter {
 public:
  explicit StoreWriter(Database& database) : database_(database) {}

  absl::StatusOr<int64_t> NightlyRunId(const std::string& label);
  absl::StatusOr<int64_t> EngineId(const std::string& name);
  absl::StatusOr<int64_t> CaseId(const std::string& address);
  absl::StatusOr<int64_t> TextId(const std::string& body);
  // Returns true if the store has this complete run. Deletes an incomplete one.
  absl::StatusOr<bool> HasRun(const std::string& identity);
  absl::StatusOr<int64_t> AddRun(int64_t night, const std::string& identity,
                                 const RunRecord& record);
  // `module` is the HLO text of a failing case, or empty.
  absl::Status AddVerdict(int64_t run, const Verdict& verdict, const std::string& module);
  absl::Status AddMissingVerdict(int64_t run, const std::string& engine,
                                 const std::string& address);
  // Writes the counts, versions and bits checked for everything that was added to the run.
  absl::Status FinishRun(int64_t run);

 private:
  struct Sums {
    std::string version;
    double seconds = 0;
    std::map<char, int64_t> marks;
    std::map<std::pair<std::string, int>, std::vector<int64_t>> quarters;  // operation, significand
    std::vector<WorstUlps> worst;
  };
  absl::StatusOr<Statement*> Prepared(const std::string& sql);
  absl::StatusOr<int64_t> IdOf(const char* table, const char* column, const std::string& text,
                               std::unordered_map<std::string, int64_t>& ids);
  absl::Status AddFailure(int64_t run, int64_t engine, int64_t one, const Verdict& verdict,
                          const std::string& module);
  absl::Status FinishBits(int64_t run, int64_t engine, const Sums& sums);
  absl::Status FinishUlps(int64_t run, int64_t engine, const Sums& sums);

  Database& database_;
  std::unordered_map<std::string, std::unique_ptr<Statement>> statements_;
  std::unordered_map<std::string, int64_t> engines_, cases_, texts_;
  std::map<int64_t, Sums> sums_;  // by engine
};

}  // namespace hlocts::reports
