// SPDX-License-Identifier: Apache-2.0
#include "spec/clauses/of_opcodes.h"

#include <fstream>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "spec/clauses/parse_file.h"

namespace hlocts {

absl::StatusOr<ClausesOfOpcodes> LoadClausesOfOpcodes(const std::string& path) {
  std::ifstream in(path);
  if (!in) return absl::NotFoundError(absl::StrCat(path, ": cannot be read"));
  ClausesOfOpcodes found;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.empty() || absl::StartsWith(line, "#")) continue;
    std::vector<std::string> words = absl::StrSplit(line, ' ', absl::SkipEmpty());
    if (words.size() < 2) return ErrorAt(path, number, "expected an opcode and its clauses");
    std::vector<std::string> clauses(words.begin() + 1, words.end());
    if (!found.emplace(words[0], std::move(clauses)).second)
      return ErrorAt(path, number, absl::StrCat("expected one line, found another for ", words[0]));
  }
  return found;
}

}  // namespace hlocts
