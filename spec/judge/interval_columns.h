// SPDX-License-Identifier: Apache-2.0
// IntervalColumns: the acceptance sets of an array of real floats, stored in columns. In real data,
// nearly every set is an interval of ordinary numbers, which takes two doubles here instead of an
// AcceptanceSet. Element-wise operations process the columns in plain loops.
//
// An element is ordinary if it accepts the numbers of [lo, hi] and nothing else, and if both ends
// are either normal numbers of the format with the same sign or the same zero (of that sign only).
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "spec/judge/acceptance_set.h"
#include "spec/judge/real.h"

namespace hlocts {

class IntervalColumns {
 public:
  // Allocates columns with indeterminate contents; `hull` adds columns for the pre-rounding ends.
  IntervalColumns(int64_t count, bool hull, bool contractible);
  IntervalColumns(const IntervalColumns&) = delete;
  IntervalColumns& operator=(const IntervalColumns&) = delete;

  int64_t count() const { return count_; }
  bool has_pre_rounding() const { return rlo_ != nullptr; }
  // Returns true if an addition may read the pre-rounding ends.
  bool contractible() const { return contractible_; }

  // The ends of ordinary elements; lo is NaN for other elements.
  double* lo() { return lo_; }
  double* hi() { return hi_; }
  const double* lo() const { return lo_; }
  const double* hi() const { return hi_; }
  // The pre-rounding ends. They enclose the stored ends, and equal them if no rounding was skipped.
  double* rlo() { return rlo_; }
  double* rhi() { return rhi_; }
  const double* rlo() const { return rlo_; }
  const double* rhi() const { return rhi_; }
  // The packed WideningCause and origin of each element.
  uint32_t* causes() { return causes_; }
  const uint32_t* causes() const { return causes_; }
  static uint32_t PackCause(WideningCause cause, uint32_t origin) {
    return static_cast<uint32_t>(cause) << 24 | (origin & 0xffffff);
  }
  static WideningCause TermOf(uint32_t cause) { return static_cast<WideningCause>(cause >> 24); }
  static uint32_t OriginOf(uint32_t cause) { return cause & 0xffffff; }

  // Sets element i, which need not be ordinary. Call it with ascending i.
  void Append(int64_t i, const AcceptanceSet& set);
  const std::vector<std::pair<int64_t, AcceptanceSet>>& rest() const { return rest_; }
  bool ordinary(int64_t i) const { return lo_[i] == lo_[i]; }

  AcceptanceSet At(int64_t i) const;
  std::vector<AcceptanceSet> ToSets() const;
  // Returns true if every ordinary element is a single number without a pre-rounding interval.
  bool AllPoints() const;

 private:
  int64_t count_;
  bool contractible_;
  struct ReturnToPool {
    size_t bytes;
    void operator()(void* data) const;
  };
  std::unique_ptr<void, ReturnToPool> block_;
  double *lo_, *hi_, *rlo_, *rhi_;  // point into block_
  uint32_t* causes_;
  std::vector<std::pair<int64_t, AcceptanceSet>> rest_;
};

// Returns true if x may be an end of an ordinary interval (zero only if both ends are zero).
inline bool OrdinaryNumber(double x, const FloatFacts& facts) {
  double magnitude = std::fabs(x);
  return magnitude <= facts.max && (magnitude >= facts.min_normal || x == 0);
}
// Returns true if the set can be stored in the columns as an ordinary element.
bool IsOrdinary(const AcceptanceSet& set, const FloatFacts& facts);

// Returns the columns of an array of real floats, and creates them if it has none. Returns nullptr
// if few elements are ordinary, or if additions may read some pre-rounding intervals but not all.
std::shared_ptr<const IntervalColumns> ColumnsOf(const SetArray& array);

}  // namespace hlocts
