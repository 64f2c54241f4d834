// SPDX-License-Identifier: Apache-2.0
// Defines functions of a case's address: queries, shards, inconclusive cases, and the clause of a
// failure.
#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "suites/case.h"

namespace hlocts::suites {

std::string InconclusiveReason(absl::string_view text, absl::string_view parameters) {
  std::pair<absl::string_view, absl::string_view> split =
      absl::StrSplit(text, absl::MaxSplits(": ", 1));
  if (!absl::StrContains(split.first, '=')) return std::string(text);
  absl::ConsumePrefix(&parameters, ":");
  const std::vector<absl::string_view> given = absl::StrSplit(parameters, ',');
  auto holds = [&](absl::string_view equation) {
    return std::find(given.begin(), given.end(), equation) != given.end();
  };
  for (absl::string_view word : absl::StrSplit(split.first, ' ', absl::SkipEmpty())) {
    const std::vector<absl::string_view> equations = absl::StrSplit(word, ',');
    if (std::all_of(equations.begin(), equations.end(), holds)) return std::string(split.second);
  }
  return "";
}

bool QueryMatches(absl::string_view query, absl::string_view address) {
  // `*` matches any characters. Without it, the query is the address or ends before a separator.
  size_t star = query.find('*');
  if (star == absl::string_view::npos) {
    if (!absl::StartsWith(address, query)) return false;
    if (address.size() == query.size()) return true;
    char next = address[query.size()];
    return next == '/' || next == ':' || next == ',';
  }
  if (!absl::StartsWith(address, query.substr(0, star))) return false;
  absl::string_view rest = query.substr(star + 1);
  for (size_t at = star; at <= address.size(); ++at) {
    if (rest.empty() || QueryMatches(rest, address.substr(at))) return true;
  }
  return false;
}

std::string CasePlace::Located(const std::string& block, absl::string_view error) const {
  const auto begin = blocks.find(block);
  const size_t digits = absl::StartsWith(error, "line ") ? 5 : error.size();
  const size_t end = std::min(error.find_first_not_of("0123456789", digits), error.size());
  int below = 0;
  if (begin == blocks.end() || begin->second == 0 ||
      !absl::SimpleAtoi(error.substr(digits, end - digits), &below))
    return absl::StrCat(file, ": @", block, ": ", error);
  return absl::StrCat(file, ":", begin->second + below, ": @", block, error.substr(end));
}

std::string ClauseOfCase(const std::string& clause, const std::vector<std::string>& clauses) {
  if (absl::StrContains(clause, '.')) return clause;
  const std::string beginning = clause + ".";
  std::string found;
  for (const std::string& one : clauses) {
    if (!absl::StartsWith(one, beginning)) continue;
    if (!found.empty()) return clause;
    found = one;
  }
  return found.empty() ? clause : found;
}

int ShardOf(absl::string_view address, int count) {
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a, 64 bit
  for (char c : address) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  return static_cast<int>(hash % static_cast<uint64_t>(count)) + 1;
}

}  // namespace hlocts::suites
