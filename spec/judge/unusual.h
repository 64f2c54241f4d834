// SPDX-License-Identifier: Apache-2.0
// Detects outputs that are acceptable but improbable (RULES 32). Advice on where to look, never a
// verdict.
#ifndef HLOCTS_SPEC_JUDGE_UNUSUAL_H_
#define HLOCTS_SPEC_JUDGE_UNUSUAL_H_

#include <string>

#include "absl/types/span.h"
#include "spec/judge/judge.h"

namespace hlocts {

// A sum of n terms with independent roundings is within lambda sqrt(n) u of the exact one with
// probability 1 - 2 exp(-lambda^2 / 2). The likely sets use this lambda: 1 in 11 of the sums may be
// outside.
inline constexpr double kLikelyLambda = 2.5;
// The far sets use a lambda that all of a module's `sums` satisfy except with this probability.
inline constexpr double kFarChance = 1e-7;
double FarLambda(int64_t sums);
// The minimum number of elements with different sets for a joint statement: more than half of them
// are outside of their likely sets.
inline constexpr int64_t kTogetherMin = 32;

struct Unusual {
  int64_t tensors = 0, tensors_marked = 0;    // with a likely set narrower than the set
  int64_t elements = 0, elements_marked = 0;  // among these tensors
  std::string text;  // "output 0: 3 of 128 elements ..., the first at [5]"; "": nothing is unusual
};
// `usual`, `far` and `likely` are sets of one module, the latter two made with lambdas; outputs are
// acceptable, in root order.
Unusual FindUnusual(const ModuleAcceptance& usual, const ModuleAcceptance& far,
                    const ModuleAcceptance& likely, absl::Span<const Literal> actual);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_JUDGE_UNUSUAL_H_
