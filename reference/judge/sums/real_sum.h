// SPDX-License-Identifier: Apache-2.0
// Adds real terms one by one and converts the sum to SumParts.
#pragma once

#include "reference/judge/sums/sums.h"
#include "spec/judge/float_sets.h"

namespace hlocts::reference {

// A sum of terms. Midpoints are added with 64-bit significands and a wide range, so that the
// judge's own rounding or overflow does not affect sums in f64.
struct RealSum {
  long double centre = 0, magnitude = 0, radius = 0;
  int64_t count = 0;
  int quantum = 100000;
  bool open = false;  // a term is unspecified, or may but need not be finite
  bool nan = false, pos_inf = false, neg_inf = false;  // values of terms that certainly occur
  WideningCause cause = WideningCause::kPoint;
  uint32_t origin = 0;
};
void AddTerm(const AcceptanceSet& term, const SetContext& context, RealSum& sum);
AcceptanceSet FinishSum(const RealSum& sum, const SumRule& rule, const SetContext& context);

// Returns the product of real terms in any order (lemma 15).
AcceptanceSet FinishProduct(absl::Span<const AcceptanceSet> terms, const SetContext& context);

// Returns the exponent of the least significant set bit of a finite nonzero number.
int QuantumOf(double x);

}  // namespace hlocts::reference
