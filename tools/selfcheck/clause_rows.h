// SPDX-License-Identifier: Apache-2.0
// Makes the clauses as reports show them: the registry with the seeded fault of each clause
// (suites/clause_mutants.txt), and the programs that test clauses which no case can test
// (suites/clause_tests.txt).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "reports/page/page.h"
#include "spec/base/status.h"

namespace hlocts::tools {

absl::StatusOr<std::vector<reports::ClauseRow>> LoadClauseRows();

// The programs as "file:test", by clause.
std::map<std::string, std::vector<std::string>> ProgramsOfClauses();

}  // namespace hlocts::tools
