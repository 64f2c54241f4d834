// SPDX-License-Identifier: Apache-2.0
#include "backends/worker/last_words.h"

#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "spec/ir/module.h"
#include "spec/ir/opcode.h"

namespace hlocts::backends {
namespace {

constexpr size_t kConditionMax = 80;

bool InWord(char c) { return absl::ascii_isalnum(c) || c == '_'; }

bool HasWord(absl::string_view text, absl::string_view word) {
  for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at == 0 || !InWord(text[at - 1])) && (end == text.size() || !InWord(text[end])))
      return true;
  }
  return false;
}

}  // namespace

absl::string_view MainErrorLine(const EngineError& error) {
  std::vector<absl::string_view> lines = absl::StrSplit(error.message, '\n');
  const absl::string_view first = lines[0];
  for (absl::string_view line : absl::StrSplit(error.log, '\n')) lines.push_back(line);
  for (const char* telling :
       {"Check failed", "LLVM ERROR", "what():", "Assertion `", "error:", "Error"}) {
    for (absl::string_view line : lines) {
      if (absl::StrContains(line, telling)) return line;
    }
  }
  return first;
}

void ReadAssertion(EngineError& error) {
  constexpr absl::string_view kBegin = "Assertion `";
  const absl::string_view line = MainErrorLine(error);
  const size_t begin = line.find(kBegin);
  if (begin == line.npos) return;
  const absl::string_view condition = line.substr(begin + kBegin.size(), kConditionMax);
  error.kind = ErrorKind::kAssertion;
  error.condition = std::string(condition.substr(0, condition.rfind("' failed")));
}

bool SaysOutOfMemory(absl::string_view log) {
  const std::string text = absl::AsciiStrToLower(log);
  for (const char* telling :
       {"bad_alloc", "out of memory", "resource_exhausted", "allocate memory"})
    if (absl::StrContains(text, telling)) return true;
  return false;
}

std::string TargetNamed(absl::string_view message, const Module& module) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (instruction->opcode() != Opcode::kCustomCall) continue;
      const std::string* target = instruction->Get<std::string>(Attr::kCustomCallTarget);
      if (target && !target->empty() && HasWord(message, *target)) return *target;
    }
  }
  return "";
}

}  // namespace hlocts::backends
