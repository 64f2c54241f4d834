// SPDX-License-Identifier: Apache-2.0
// Verdicts grouped by likely cause: one fix makes a group pass.
#ifndef HLOCTS_REPORTS_CAUSES_H_
#define HLOCTS_REPORTS_CAUSES_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "reports/verdict.h"

namespace hlocts::reports {

// A text without its numbers and the names of instructions: equal for similar messages.
std::string Pattern(absl::string_view text);

// Equal for verdicts that probably have one cause: "fail: a number, where only NaN is accepted" for
// every operation, "fail: cbrt, rule ulp(2)", "accepted: invalid modules".
std::string CauseOf(const Verdict& verdict);

// The verdicts in the order of their causes, the most frequent cause first.
std::vector<const Verdict*> InOrderOfCauses(std::vector<const Verdict*> verdicts);
// A line for each of the first causes of such a list: number of verdicts, cause, operations, first
// address. "" for fewer than two verdicts.
std::string CausesText(const std::vector<const Verdict*>& ordered);

}  // namespace hlocts::reports

#endif  // HLOCTS_REPORTS_CAUSES_H_
