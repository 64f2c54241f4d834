// SPDX-License-Identifier: Apache-2.0
// What is acceptable and yet improbable (RULES 32). Advice for where to look, never a verdict.
#ifndef HLOCTS_SPEC_JUDGE_UNUSUAL_H_
#define HLOCTS_SPEC_JUDGE_UNUSUAL_H_

#include <string>

#include "absl/types/span.h"
#include "spec/judge/judge.h"

namespace hlocts {

// By how much the sum of n roundings exceeds their root mean square with probability of about
// 2 exp(-kLikelyLambda^2 / 2) = 0.09: the likely sets are made with it, lambda sqrt(n) u in the
// place of n u.
inline constexpr double kLikelyLambda = 2.5;
// So many half widths from the middle of a likely set a single element is unusual: 2 exp(-32) for
// a normal error, 1 in 10^13.
inline constexpr double kFarHalfWidths = 3.2;
// So many elements say something together: that more than half of them lie outside.
inline constexpr int64_t kTogetherMin = 32;

// "output 0: 3 of 128 elements are improbable, the first at [5]"; "" if nothing is unusual.
// `likely` are the module's likely sets; outputs are acceptable ones, in root order.
std::string UnusualText(const ModuleAcceptance& likely, absl::Span<const Literal> actual);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_JUDGE_UNUSUAL_H_
