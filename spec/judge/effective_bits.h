// SPDX-License-Identifier: Apache-2.0
// Counts the bits of a result that its acceptance set determines. The count distinguishes a strict
// judge from one that accepts anything.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "spec/judge/acceptance_set.h"
#include "spec/judge/judge.h"
#include "spec/judge/real.h"

namespace hlocts {

// A histogram of the effective bits of all elements, in steps of 1/64 bit.
class EffectiveHistogram {
 public:
  void Add(double bits, int precision, int64_t count = 1) {
    if (precision != precision_) Select(precision);
    steps_->Add(static_cast<size_t>(std::clamp(bits, 0.0, 64.0) * kSteps), count);
    total_ += count;
  }
  void AddUnspecified(int precision) {
    Add(0, precision);
    ++unspecified_;
  }
  EffectiveBits Summarize() const;

 private:
  static constexpr size_t kSteps = 64;
  // The counts of all steps. A list holds the steps while they are few, as in a small array.
  class Steps {
   public:
    void Add(size_t step, int64_t count) {
      if (!all_.empty()) {
        all_[step] += count;
      } else if (!few_.empty() && few_.back().first == step) {
        few_.back().second += count;
      } else {
        AddElsewhere(step, count);
      }
    }
    template <typename Visit>
    void ForEach(const Visit& visit) const {
      for (const auto& [step, count] : few_) visit(step, count);
      for (size_t step = 0; step < all_.size(); ++step) {
        if (all_[step] != 0) visit(step, all_[step]);
      }
    }

   private:
    void AddElsewhere(size_t step, int64_t count);
    std::vector<std::pair<size_t, int64_t>> few_;  // empty once all_ is used
    std::vector<int64_t> all_;
  };
  // Selects the counts of a precision. Consecutive elements usually have the same type.
  void Select(int precision) {
    precision_ = precision;
    steps_ = &by_precision_[precision];
  }
  double At(const std::map<size_t, int64_t>& steps, double share) const;

  std::map<int, Steps> by_precision_;
  int precision_ = -1;
  Steps* steps_ = nullptr;
  int64_t total_ = 0, unspecified_ = 0;
};

// RoughLogs() is a table of log2(1 + (k + 1/2) / 2^kRoughBits), with log2(1) for k = 0.
inline constexpr int kRoughBits = 12;
const double* RoughLogs();
// Returns log2 of a number >= 1 with an error of at most 2^-11, finer than any printed figure.
inline double RoughLog2(double x) {
  static const double* const logs = RoughLogs();
  uint64_t bits;
  std::memcpy(&bits, &x, sizeof(bits));
  return ExponentOf(x) + logs[(bits >> (52 - kRoughBits)) & ((uint64_t{1} << kRoughBits) - 1)];
}

// Returns the root mean square of a leaf's values, which is the scale of lemma 29. It uses the
// midpoints of the sets that are narrower than their midpoint's magnitude; a value is off by at
// most half of that. Wider sets are skipped: their midpoints would make all other sets look narrow.
double RootMeanSquare(const SetArray& set);

// Returns the effective bits of one component: 0 if any value is accepted, at most the precision.
inline double EffectiveBitsOf(const AcceptanceSet& s, const FloatFacts& facts, double rms) {
  if (s.unspecified()) return 0;
  if (!s.finite() || s.lo == s.hi) return facts.p;
  // Only a flush causes the width: below the least normal, an engine need not distinguish numbers.
  if (s.lo >= -facts.min_normal && s.hi <= facts.min_normal) return facts.p - 1;
  if (s.Has(AcceptanceSet::kIntegral)) {
    return std::clamp(facts.p - RoughLog2(s.hi - s.lo + 1), 0.0, static_cast<double>(facts.p));
  }
  double reference = std::max(std::fabs(s.lo / 2 + s.hi / 2), 1e-3 * rms);
  double width = s.hi - s.lo;
  if (std::isinf(width)) return 0;
  return std::clamp(facts.p - RoughLog2(1 + width / facts.Ulp(reference)), 0.0,
                    static_cast<double>(facts.p));
}

// Returns the effective bits of an element with alternative sets, from the sum of their widths.
double EffectiveBitsOfChoices(const std::vector<AcceptanceSet>& choices, const FloatFacts& facts,
                              double rms);

}  // namespace hlocts
