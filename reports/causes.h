// SPDX-License-Identifier: Apache-2.0
// Groups verdicts by likely cause, i.e. by shared properties. A group may have several causes.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "reports/verdict.h"

namespace hlocts::reports {

// Returns the text without its numbers and instruction names, so that similar messages are equal.
std::string Pattern(absl::string_view text);

// Returns a text that is equal for verdicts with the same probable cause: "fail: cbrt, rule
// ulp(2)", "accepted: invalid modules", "fail: compare, rule exact, operands with subnormal, only
// when compiled together".
std::string CauseOf(const Verdict& verdict);

// Returns the verdicts ordered by cause, the most frequent cause first.
std::vector<const Verdict*> InOrderOfCauses(std::vector<const Verdict*> verdicts);
// Returns a line for each of the most frequent causes of `ordered` (InOrderOfCauses): number of
// verdicts, cause, operations, address of the first case. Returns "" for fewer than two verdicts.
// If `cases`, returns all causes, each with the addresses of its cases.
std::string CausesText(const std::vector<const Verdict*>& ordered, bool cases = false);

}  // namespace hlocts::reports
