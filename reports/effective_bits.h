// SPDX-License-Identifier: Apache-2.0
// How much the acceptance sets check, summed over verdicts: effective significand bits of
// floating-point elements, by precision, with data that is exact by construction apart.
#ifndef HLOCTS_REPORTS_EFFECTIVE_BITS_H_
#define HLOCTS_REPORTS_EFFECTIVE_BITS_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "reports/verdict_fwd.h"

namespace hlocts::reports {

// Floating-point elements with fewer than two checked bits (fewer than all, for a format of one
// bit), including those that may have any value; ElementsHardlyChecked counts the latter in all
// other types, too.
int64_t ElementsBelowTwoBits(const Verdict& verdict);
int64_t ElementsHardlyChecked(const Verdict& verdict);

class EffectiveBitsTable {
 public:
  void Add(const Verdict& verdict);
  // A line per kind of data and precision: "of 24: median 23.8, 5th percentile 21.0, 0.2% below 2
  // bits (1024 elements)". Empty without elements.
  std::string ToText() const;

 private:
  std::map<std::pair<bool, int>, std::vector<int64_t>> quarters_;  // (exact data?, precision)
  int64_t draws_ = 0;
};

}  // namespace hlocts::reports

#endif  // HLOCTS_REPORTS_EFFECTIVE_BITS_H_
