// SPDX-License-Identifier: Apache-2.0
// Detects outputs that are acceptable but improbable (lemma 32). This never changes a verdict.
#pragma once

#include <string>

#include "absl/types/span.h"
#include "spec/judge/judge.h"

namespace hlocts {

// The lambda of the likely sets. A sum of n terms with independent roundings (unit roundoff u) is
// within lambda sqrt(n) u of the exact sum with probability 1 - 2 exp(-lambda^2 / 2): 1 in 11 sums
// may be outside.
inline constexpr double kLikelyLambda = 2.5;
// The probability that at least one of the `sums` sums of a module is outside its far set, which is
// made with VeryLikelyFactor.
inline constexpr double kVeryLikelyProbability = 1e-7;
double VeryLikelyFactor(int64_t sums);
// The minimum number of distinct likely sets for the joint statement that more than half of the
// elements are outside their likely sets.
inline constexpr int64_t kJointTestMin = 32;

struct Unusual {
  int64_t tensors = 0, tensors_marked = 0;    // arrays with `likely` sets narrower than `usual`
  int64_t elements = 0, elements_marked = 0;  // elements of these arrays
  std::string text;  // "output 0: 3 of 128 elements ..., the first at [5]"; "": nothing is unusual
};
// Compares outputs with three acceptances of the same module: `usual`, which is not probabilistic,
// and `far` and `likely`, computed with the lambdas above. `actual`, in root order, is acceptable.
Unusual FindUnusual(const ModuleAcceptance& usual, const ModuleAcceptance& far,
                    const ModuleAcceptance& likely, absl::Span<const Literal> actual);

}  // namespace hlocts
