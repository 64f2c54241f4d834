// SPDX-License-Identifier: Apache-2.0
// Queries, shards, reasons of inconclusive cases, and the clause of a failure.
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "spec/files/file_io.h"
#include "suites/case.h"
#include "suites/case_template.h"

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
  // Without `*`, the query must be the whole address or end before a separator.
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

std::vector<std::string> AddressesOf(const std::vector<Case>& cases) {
  std::vector<std::string> addresses;
  for (const Case& one : cases) addresses.push_back(one.address);
  return addresses;
}

std::vector<std::string> TakenAddresses(const std::vector<Case>& cases) {
  std::map<absl::string_view, const Case*> first;
  std::vector<std::string> mistakes;
  for (const Case& one : cases) {
    const auto [owner, is_new] = first.emplace(one.address, &one);
    if (is_new) continue;
    const CasePlace& place = owner->second->place;
    mistakes.push_back(absl::StrCat(one.place.file, ":", one.place.line, ": address ", one.address,
                                    " is already used in ", place.file, ":", place.line));
  }
  return mistakes;
}

absl::StatusOr<std::vector<Case>> LoadCases(const std::string& root, std::vector<BadFile>* bad) {
  namespace fs = std::filesystem;
  std::vector<Case> cases;
  std::error_code error;
  if (fs::exists(root, error) && !fs::is_directory(root, error)) {
    HLOCTS_ASSIGN_OR_RETURN(const std::string text, ReadFile(root));
    const fs::path file(root);
    std::vector<absl::Status> mistakes;
    cases = ParseAllCases(text, file.parent_path().filename(), file.stem(), root, mistakes);
    if (!mistakes.empty() && bad == nullptr) return mistakes[0];
    for (const absl::Status& mistake : mistakes) bad->push_back({root, mistake});
    return cases;
  }
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(root, error)) {
    if (entry.path().extension() == ".case") files.push_back(entry.path());
  }
  if (error) return absl::NotFoundError(absl::StrCat(root, ": ", error.message()));
  std::sort(files.begin(), files.end());
  for (const fs::path& path : files) {
    std::string area = fs::relative(path.parent_path(), root).string();
    auto text = ReadFile(path);
    std::vector<absl::Status> mistakes;
    std::vector<Case> of_file;
    if (text.ok()) {
      of_file = ParseAllCases(*text, area, path.stem().string(), fs::relative(path, root).string(),
                              mistakes);
    } else {
      mistakes.push_back(text.status());
    }
    if (!mistakes.empty() && bad == nullptr) return mistakes[0];
    for (const absl::Status& mistake : mistakes)
      bad->push_back({absl::StrCat(area, "/", path.stem().string()), mistake});
    std::move(of_file.begin(), of_file.end(), std::back_inserter(cases));
  }
  std::stable_sort(cases.begin(), cases.end(),
                   [](const Case& a, const Case& b) { return a.address < b.address; });
  for (const std::string& taken : TakenAddresses(cases)) return InvalidInput(taken);
  return cases;
}

absl::StatusOr<Case> CaseOfFile(const std::string& address) {
  const size_t colon = address.find(".case:") + 5;
  HLOCTS_ASSIGN_OR_RETURN(std::vector<Case> cases, LoadCases(address.substr(0, colon)));
  const std::string wanted = address.substr(colon + 1);
  std::vector<std::string> names, of_wanted;  // a case with parameters has several names
  for (Case& one : cases) {
    if (one.name() == wanted) return std::move(one);
    (absl::StartsWith(one.name(), wanted + ":") ? of_wanted : names).push_back(one.name());
  }
  std::vector<std::string>& shown = of_wanted.empty() ? names : of_wanted;
  shown.resize(std::min<size_t>(shown.size(), 12));
  return InvalidInput(address, ": expected a case of this file, such as ",
                      absl::StrJoin(shown, ", "));
}

}  // namespace hlocts::suites
