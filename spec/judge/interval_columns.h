// SPDX-License-Identifier: Apache-2.0
// Sets of an array of real floats, stored in columns. Nearly all elements of real data are an
// interval of ordinary numbers, which takes two doubles here instead of a whole AcceptanceSet, and
// element-wise operations run over them in plain loops.
//
// An element is ordinary when it accepts the numbers of [lo, hi] and nothing else, and both ends
// are normal numbers of the format and of one sign, or both are the same zero (of that sign only).
#ifndef HLOCTS_SPEC_JUDGE_INTERVAL_COLUMNS_H_
#define HLOCTS_SPEC_JUDGE_INTERVAL_COLUMNS_H_

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "spec/judge/acceptance_set.h"
#include "spec/judge/real.h"

namespace hlocts {

class IntervalColumns {
 public:
  // Columns for `count` elements, with indeterminate contents. `hull`: with pre-rounding ends.
  IntervalColumns(int64_t count, bool hull, bool contractible);
  IntervalColumns(const IntervalColumns&) = delete;
  IntervalColumns& operator=(const IntervalColumns&) = delete;

  int64_t count() const { return count_; }
  bool has_hull() const { return rlo_ != nullptr; }
  // Returns true if an addition may read the pre-rounding ends.
  bool contractible() const { return contractible_; }

  // Ends of ordinary elements; lo is NaN for an element that is not ordinary.
  double* lo() { return lo_; }
  double* hi() { return hi_; }
  const double* lo() const { return lo_; }
  const double* hi() const { return hi_; }
  // Pre-rounding ends, around the stored ones and equal to them if no rounding was skipped.
  double* rlo() { return rlo_; }
  double* rhi() { return rhi_; }
  const double* rlo() const { return rlo_; }
  const double* rhi() const { return rhi_; }
  // WideningCause and origin of each element.
  uint32_t* causes() { return causes_; }
  const uint32_t* causes() const { return causes_; }
  static uint32_t PackCause(WideningCause cause, uint32_t origin) {
    return static_cast<uint32_t>(cause) << 24 | (origin & 0xffffff);
  }
  static WideningCause TermOf(uint32_t cause) { return static_cast<WideningCause>(cause >> 24); }
  static uint32_t OriginOf(uint32_t cause) { return cause & 0xffffff; }

  // Sets element i, which need not be ordinary. Call with ascending i.
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
  struct GiveBack {
    size_t bytes;
    void operator()(void* data) const;
  };
  std::unique_ptr<void, GiveBack> block_;
  double *lo_, *hi_, *rlo_, *rhi_;  // in the block
  uint32_t* causes_;
  std::vector<std::pair<int64_t, AcceptanceSet>> rest_;
};

// Returns true if x is an end of an ordinary interval (zeros only as points).
inline bool OrdinaryNumber(double x, const FloatFacts& facts) {
  double magnitude = std::fabs(x);
  return magnitude <= facts.max && (magnitude >= facts.min_normal || x == 0);
}
// Returns true if the set fits the columns as an ordinary element.
bool IsOrdinary(const AcceptanceSet& set, const FloatFacts& facts);

// The columns of an array of real floats, created if it has none; nullptr if too few of its
// elements are ordinary, or additions may read only some of the pre-rounding intervals.
std::shared_ptr<const IntervalColumns> ColumnsOf(const SetArray& array);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_JUDGE_INTERVAL_COLUMNS_H_
