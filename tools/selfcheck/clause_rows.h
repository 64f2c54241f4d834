// SPDX-License-Identifier: Apache-2.0
// Makes the rows of clauses in reports. Each has the clause of the registry and its seeded fault
// (suites/clause_mutants.txt), or, if no case can test the clause, the program that does
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
