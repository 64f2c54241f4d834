// SPDX-License-Identifier: Apache-2.0
// One sum of reals, term by term: what enters it, in the terms of SumParts.
#ifndef HLOCTS_REFERENCE_JUDGE_SUMS_REAL_SUM_H_
#define HLOCTS_REFERENCE_JUDGE_SUMS_REAL_SUM_H_

#include "reference/judge/sums/sums.h"
#include "spec/judge/float_sets.h"

namespace hlocts::reference {

// The middles are added in 64-bit significands and a wide range, so that f64 sums are not judged by
// their own rounding or overflow.
struct RealSum {
  long double centre = 0, magnitude = 0, radius = 0;
  int64_t count = 0;
  int quantum = 100000;
  bool open = false;  // some term may be anything, or an infinity or NaN beside numbers
  bool nan = false, pos_inf = false, neg_inf = false;  // certain
  WideningCause cause = WideningCause::kPoint;
  uint32_t origin = 0;
};
void AddTerm(const AcceptanceSet& term, const SetContext& context, RealSum& sum);
AcceptanceSet FinishSum(const RealSum& sum, const SumRule& rule, const SetContext& context);

// Products of real terms in any order (RULES 15).
AcceptanceSet FinishProduct(absl::Span<const AcceptanceSet> terms, const SetContext& context);

// Exponent of the least significant set bit of a finite number other than zero.
int QuantumOf(double x);

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_JUDGE_SUMS_REAL_SUM_H_
