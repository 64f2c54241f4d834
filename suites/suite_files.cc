// SPDX-License-Identifier: Apache-2.0
#include "suites/suite_files.h"

#include <algorithm>

#include "backends/engine_list.h"

namespace hlocts::suites {

std::string HomeFolder() { return backends::EnginesHome(); }

absl::StatusOr<std::vector<Case>> SelectCases(const std::vector<std::string>& queries, Tier tier) {
  HLOCTS_ASSIGN_OR_RETURN(std::vector<Case> cases, LoadCases(HomeFolder() + "/suites/cases"));
  auto selected = [&](const Case& one) {
    if (one.tier > tier) return false;
    return queries.empty() || std::any_of(queries.begin(), queries.end(), [&](const auto& query) {
             return QueryMatches(query, one.address);
           });
  };
  cases.erase(
      std::remove_if(cases.begin(), cases.end(), [&](const Case& one) { return !selected(one); }),
      cases.end());
  if (cases.empty()) return InvalidInput("no case of tier ", TierName(tier), " matches the query");
  return cases;
}

}  // namespace hlocts::suites
