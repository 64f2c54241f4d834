// SPDX-License-Identifier: Apache-2.0
#include "fuzz/triage/telling_words.h"

#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "backends/worker/worker_client.h"

namespace hlocts::fuzz {
namespace {

constexpr size_t kMessageMax = 80;

// The line that says what happened: a failed check, where there is one, else the first. What a
// process wrote before a signal ended it is no part of that.
absl::string_view TellingLine(absl::string_view message) {
  std::vector<absl::string_view> lines = absl::StrSplit(message, '\n');
  for (const char* telling :
       {"Check failed", "LLVM ERROR", "what():", "Assertion `", "error:", "Error"}) {
    for (absl::string_view line : lines) {
      if (!absl::StrContains(line, telling)) continue;
      size_t wrote = line.find(backends::kLastWrote);
      return wrote == line.npos ? line : line.substr(wrote + backends::kLastWrote.size());
    }
  }
  return lines[0].substr(0, lines[0].find(backends::kLastWrote));
}

// "Assertion n == 2" of "opt: Shape.cpp:99: int mlir::rank(): Assertion `n == 2' failed."; "" of
// another line. The place before it moves from release to release, the condition seldom does.
std::string AssertionOf(absl::string_view line) {
  constexpr absl::string_view kBegin = "Assertion `";
  const size_t begin = line.find(kBegin);
  if (begin == line.npos) return "";
  const absl::string_view condition = line.substr(begin + kBegin.size(), kMessageMax);
  return absl::StrCat("Assertion ", condition.substr(0, condition.rfind("' failed")));
}

}  // namespace

// "%add.7 = add: expected f32[2,3]" and "%p.19 = add: expected pred[]" are the same complaint:
// words with digits, names, shapes and quoted words go.
std::string TellingWords(absl::string_view message) {
  const absl::string_view line = TellingLine(message);
  std::string result = AssertionOf(line);
  if (!result.empty()) return result;
  for (absl::string_view word : absl::StrSplit(line, absl::ByAnyChar(" \t"), absl::SkipEmpty())) {
    bool detail = word.find_first_of("0123456789%'\"`[]{}") != absl::string_view::npos;
    if (detail || result.size() + word.size() > kMessageMax) continue;
    absl::StrAppend(&result, result.empty() ? "" : " ", word);
  }
  return result;
}

}  // namespace hlocts::fuzz
