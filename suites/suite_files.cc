// SPDX-License-Identifier: Apache-2.0
#include "suites/suite_files.h"

#include <algorithm>
#include <cstdio>
#include <optional>

#include "absl/strings/match.h"
#include "suites/lint.h"
#include "suites/selection.h"

namespace hlocts::suites {
namespace {

// Returns true if a query could select a case of this file.
bool Concerns(const std::vector<std::string>& queries, const BadFile& file) {
  if (queries.empty()) return true;
  const std::string cases = file.prefix + ":";
  return std::any_of(queries.begin(), queries.end(), [&](const std::string& query) {
    return QueryMatches(query, file.prefix) || absl::StartsWith(query, cases) ||
           absl::StrContains(query, '*');
  });
}

}  // namespace

absl::StatusOr<std::vector<Case>> SelectCases(const std::vector<std::string>& queries, Tier tier) {
  std::vector<BadFile> bad;
  HLOCTS_ASSIGN_OR_RETURN(std::vector<Case> cases, LoadCases(HomeFolder() + "/suites/cases", &bad));
  for (const BadFile& file : bad) {
    if (Concerns(queries, file)) return file.error;
    std::fprintf(stderr, "hlocts: file omitted: %s\n", std::string(file.error.message()).c_str());
  }
  std::vector<bool> selected(cases.size(), queries.empty());
  for (const std::string& query : queries) {
    bool any = false;
    std::optional<Tier> least;
    for (size_t i = 0; i < cases.size(); ++i) {
      if (!QueryMatches(query, cases[i].address)) continue;
      least = std::min(least.value_or(cases[i].tier), cases[i].tier);
      if (cases[i].tier <= tier) selected[i] = any = true;
    }
    if (least && !any) {
      return InvalidInput("no case of tier ", TierName(tier), " matches \"", query,
                          "\"; --tier=", TierName(*least), " has some");
    }
    if (!any)
      return InvalidInput("no case matches \"", query, "\"",
                          NearestQuery(query, AddressesOf(cases)));
  }
  std::vector<Case> kept;
  for (size_t i = 0; i < cases.size(); ++i) {
    if (selected[i] && cases[i].tier <= tier) kept.push_back(std::move(cases[i]));
  }
  if (kept.empty()) return InvalidInput("no case of tier ", TierName(tier));
  HLOCTS_ASSIGN_OR_RETURN(CaseNames names, CaseNames::Load());
  for (const Case& one : kept) {
    for (const std::string& mistake : names.MistakesOf(one)) return InvalidInput(mistake);
  }
  return kept;
}

}  // namespace hlocts::suites
