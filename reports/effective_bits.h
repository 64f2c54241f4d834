// SPDX-License-Identifier: Apache-2.0
// Measures how much the acceptance sets check in all verdicts: the effective significand bits of
// floating-point elements, by precision. Data that is exact by construction is counted separately.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "reports/verdict_fwd.h"

namespace hlocts::reports {

struct VerdictStatistics;  // reports/verdict_parts.h

// Return the number of elements in a histogram of checked bits (in quarters of a bit), and the
// quantile `share` of the histogram, rounded down to a quarter of a bit.
int64_t Total(const std::vector<int64_t>& quarters);
double Quantile(const std::vector<int64_t>& quarters, double share);

// Return the number of floating-point elements with fewer than two checked bits (fewer than one for
// a format of one bit), including unspecified elements. ElementsBarelyChecked also includes the
// unspecified elements of other types.
int64_t ElementsBelowTwoBits(const Verdict& verdict);
int64_t ElementsBarelyChecked(const Verdict& verdict);

// Adds the counts of `from`, `times` times, and recomputes the mean and the quantiles.
void AddCounts(const VerdictStatistics& from, int64_t times, VerdictStatistics& into);

class EffectiveBitsTable {
 public:
  void Add(const Verdict& verdict);
  // Returns a line per kind of data and precision: "of 24: median 23.8, 5th percentile 21.0, 0.2%
  // below 2 bits (1024 elements)". Returns "" if there are no elements.
  std::string ToText() const;

 private:
  std::map<std::pair<bool, int>, std::vector<int64_t>> quarters_;  // (exact data?, precision)
  int64_t draws_ = 0;
};

}  // namespace hlocts::reports
