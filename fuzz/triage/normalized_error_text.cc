// SPDX-License-Identifier: Apache-2.0
#include "fuzz/triage/normalized_error_text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "backends/worker/last_words.h"

namespace hlocts::fuzz {
namespace {

constexpr size_t kMessageMax = 80;

}  // namespace

// Removes words with digits, names, shapes or quotes: "%add.7 = add: expected f32[2,3]" and "%p.19
// = add: expected pred[]" are the same message.
std::string NormalizedErrorText(const EngineError& error) {
  if (!error.condition.empty()) return absl::StrCat("Assertion ", error.condition);
  const absl::string_view line = backends::MainErrorLine(error);
  std::string result;
  for (absl::string_view word : absl::StrSplit(line, absl::ByAnyChar(" \t"), absl::SkipEmpty())) {
    bool detail = word.find_first_of("0123456789%'\"`[]{}") != absl::string_view::npos;
    if (detail || result.size() + word.size() > kMessageMax) continue;
    absl::StrAppend(&result, result.empty() ? "" : " ", word);
  }
  return result;
}

}  // namespace hlocts::fuzz
