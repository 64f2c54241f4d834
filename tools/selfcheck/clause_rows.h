// SPDX-License-Identifier: Apache-2.0
// Makes the rows of clauses in reports. A row has the clause of the registry and its seeded fault
// (suites/clause_mutants.txt), or, if no case can test the clause, the program that tests it
// (suites/clause_tests.txt).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "reports/page/page.h"
#include "spec/base/status.h"

namespace hlocts::tools {

absl::StatusOr<std::vector<reports::ClauseRow>> LoadClauseRows();

// Returns the programs that test clauses as "file:test", by clause.
std::map<std::string, std::vector<std::string>> ProgramsOfClauses();

}  // namespace hlocts::tools
