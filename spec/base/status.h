// SPDX-License-Identifier: Apache-2.0
// Status propagation and invariant checks for the whole project (Debian's Abseil has neither).
//
// Input can cause only a Status: `return InvalidInput("pad.3", "negative interior padding: ", n)`.
// HLOCTS_CHECK is for internal invariants: it prints the condition and its location, then aborts.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

namespace hlocts {

// Returns the error that the input breaks `rule` (a clause id or a parser rule such as
// "text.syntax"). The status payload contains the rule, so callers can print it separately.
absl::Status RuleError(absl::string_view rule, absl::string_view message);

// Returns the rule id attached by RuleError, or "" if there is none.
std::string RuleOf(const absl::Status& status);

// Attaches the name of the instruction that an error is about, unless one is attached already.
// Callers that have the HLO text find the line by the name. InstructionOf returns the name or "".
absl::Status AtInstruction(absl::Status status, absl::string_view name);
std::string InstructionOf(const absl::Status& status);

// Returns the same status (code, rule, instruction) with "context: " before its message.
absl::Status Annotate(const absl::Status& status, absl::string_view context);

template <typename... Args>
absl::Status InvalidInput(const Args&... args) {
  return absl::InvalidArgumentError(absl::StrCat(args...));
}

template <typename... Args>
absl::Status Unsupported(const Args&... args) {
  return absl::UnimplementedError(absl::StrCat(args...));
}

[[noreturn]] inline void CheckFailed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: check failed: %s\n", file, line, condition);
  std::abort();
}

}  // namespace hlocts

// HLOCTS_FILE is the file name without directories if the compiler supports it, so that programs do
// not reveal where they were built and a compiler cache works for every clone.
#ifdef __FILE_NAME__
#define HLOCTS_FILE __FILE_NAME__
#else
#define HLOCTS_FILE __FILE__
#endif

#define HLOCTS_CHECK(condition)                        \
  (static_cast<bool>(condition) ? static_cast<void>(0) \
                                : ::hlocts::CheckFailed(#condition, HLOCTS_FILE, __LINE__))

#define HLOCTS_CONCAT_INNER(a, b) a##b
#define HLOCTS_CONCAT(a, b) HLOCTS_CONCAT_INNER(a, b)

#define HLOCTS_RETURN_IF_ERROR(expression)         \
  do {                                             \
    absl::Status hlocts_status = (expression);     \
    if (!hlocts_status.ok()) return hlocts_status; \
  } while (false)

#define HLOCTS_ASSIGN_OR_RETURN(target, expression) \
  HLOCTS_ASSIGN_OR_RETURN_INNER(HLOCTS_CONCAT(hlocts_or_, __LINE__), target, expression)

#define HLOCTS_ASSIGN_OR_RETURN_INNER(temporary, target, expression) \
  auto temporary = (expression);                                     \
  if (!temporary.ok()) return temporary.status();                    \
  target = *std::move(temporary)
