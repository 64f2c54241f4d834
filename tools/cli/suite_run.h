// SPDX-License-Identifier: Apache-2.0
// Runs the suite for `hlocts run` and `hlocts try`.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "reports/run_record.h"
#include "suites/case.h"
#include "suites/costs.h"
#include "suites/expectations.h"
#include "suites/runner.h"
#include "tools/cli/common.h"

namespace hlocts::tools {

struct SuiteOptions {
  CommonOptions common;
  std::vector<std::string> queries, backends;
  std::string tier = "smoke", shard = "1/1", profile = "default", expectations, junit, out,
              suspect = "off";
  std::string words, last_failed;  // -k, --lf
  bool claim = false, update_expectations = false, update_costs = false, in_try = false;
  bool resume = false, first_only = false, verbose = false, unusual = false;
  int64_t jobs = 0, cut = 0, maxfail = 0, durations = 0, partitions = 0;

  void Declare(Flags& flags);
};

// The request of a command line, after checks.
struct SuiteRequest {
  suites::Tier tier = suites::Tier::kSmoke;
  std::vector<std::string> engines;  // as given by the user; the record has their recorded names
  reports::RunRecord record;
  std::vector<suites::Case> cases;
  suites::CaseCosts costs;
  suites::RunnerOptions runner;

  std::map<std::string, std::string> EnginesByName() const;
};
absl::StatusOr<SuiteRequest> MakeSuiteRequest(const SuiteOptions& options);

// Returns the file of --expectations, or else the file for the engine's label or name.
std::string ExpectationsPath(const SuiteOptions& options, const std::string& recorded_backend);
using ExpectationLists = std::map<std::string, suites::ExpectationList>;  // by recorded name
absl::StatusOr<ExpectationLists> LoadExpectations(const SuiteOptions& options,
                                                  const std::vector<std::string>& backends);
// Returns a line for each entry of --expectations that selects no case, such as a misspelt one.
// This is not an error, because a list may contain old names of cases.
absl::StatusOr<std::vector<std::string>> EntriesWithoutCase(const SuiteOptions& options,
                                                            const ExpectationLists& lists);

// Runs the suite, records and prints the results. Returns the exit status.
int RunSuite(const SuiteOptions& options);

}  // namespace hlocts::tools
