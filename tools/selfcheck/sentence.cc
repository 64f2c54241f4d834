// SPDX-License-Identifier: Apache-2.0
#include "tools/selfcheck/sentence.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"

namespace hlocts::tools {
namespace {

std::string FileOf(const std::string& clause) { return clause.substr(0, clause.rfind('.')); }

}  // namespace

std::set<std::string> WordsOf(absl::string_view text) {
  static const std::set<std::string> dull = {
      "operand", "result", "attribute", "refused", "read",  "the",  "and", "for", "with", "zero",
      "one",     "more",   "less",      "wrong",   "first", "last", "all", "not", "form", "type"};
  std::set<std::string> words;
  for (absl::string_view word : absl::StrSplit(absl::AsciiStrToLower(text),
                                               absl::ByAnyChar(" .,:;/-_(){}[]=<>0123456789"))) {
    std::string stem(word);
    if (absl::EndsWith(stem, "s")) stem.pop_back();
    if (stem.size() > 2 && !dull.count(stem)) words.insert(stem);
  }
  return words;
}

bool IsPermission(absl::string_view text) {
  for (absl::string_view word :
       {" may ", " can ", "allow", " any ", "ptional", "upport", "rbitrary", "ccept", "possible",
        "ariable number", "zero or more"}) {
    if (absl::StrContains(text, word)) return true;
  }
  return false;
}

Signatures SignaturesOf(const std::vector<ClauseText>& clauses) {
  Signatures signatures;
  for (const ClauseText& clause : clauses) {
    size_t open = clause.text.find('('), close = clause.text.find(")");
    if (close == std::string::npos || open > close || signatures.count(FileOf(clause.id))) continue;
    if (!absl::StrContains(clause.text, "signature")) continue;
    for (absl::string_view name : absl::StrSplit(clause.text.substr(open + 1, close - open - 1),
                                                 absl::ByAnyChar(" ,."), absl::SkipEmpty())) {
      signatures[FileOf(clause.id)].emplace_back(name);
    }
  }
  return signatures;
}

int64_t ArgumentOf(const ClauseText& clause, const Signatures& signatures) {
  auto names = signatures.find(FileOf(clause.id));
  if (names == signatures.end()) return -1;
  const std::string first = clause.text.substr(0, clause.text.find(' '));
  for (size_t i = 0; i < names->second.size(); ++i) {
    if (names->second[i] == first) return static_cast<int64_t>(i);
  }
  return -1;
}

}  // namespace hlocts::tools
