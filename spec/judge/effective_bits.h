// SPDX-License-Identifier: Apache-2.0
// Counts the bits of a result that its acceptance set determines. The count distinguishes a strict
// judge from one that accepts anything.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <string>
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
  // The counts of all steps. As long as few steps occur, a list holds them.
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

// Returns the root mean square of a leaf's values, which is the scale of lemma 29. Each value is
// replaced by the midpoint of its set. Only sets that are narrower than their midpoint's magnitude
// are used, so a midpoint is off by at most half of its magnitude. Wider sets are skipped: their
// midpoints would make all other sets look narrow.
double RootMeanSquare(const SetArray& set);

// Returns the effective bits of one component: 0 if any value is accepted, at most the precision.
inline double EffectiveBitsOf(const AcceptanceSet& s, const FloatFacts& facts, double rms) {
  if (s.unspecified()) return 0;
  if (!s.finite() || s.lo == s.hi) return facts.p;
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

// The judge's sums over the elements of all outputs, and the functions that judge elements.

// An element with fewer effective bits is hardly checked. 8-bit formats are exempt.
inline constexpr double kEffectiveBitsMin = 2;
inline constexpr int kPrecisionOfWide = 8;  // the precision of bf16

// Sums over all leaves.
struct Tally {
  int64_t elements = 0;
  int64_t unspecified = 0;
  int64_t failed = 0;
  int64_t nan_bits = 0;  // the failed elements that are NaNs with unexpected bits
  std::set<std::pair<int64_t, int64_t>> by_joint;  // (output, element) that predicates reject
  bool first_is_nan_bits = false;
  double bits = 0;
  int64_t empty_leaves = 0;
  EffectiveHistogram effective;
  double joint_bits = 0;  // bits per element that the current leaf's joint predicate checked
  bool draws = false;     // the current leaf has random draws
  int64_t draw_count = 0;
  std::optional<FirstFailure> first;
  std::string barely_checked;  // the first output with too few checked bits
  int64_t open = 0;            // components of the current leaf that are hardly checked

  void AddEffective(double bits, int precision, int64_t count = 1) {
    if (draws) return static_cast<void>(draw_count += count);
    effective.Add(std::max(bits, std::min<double>(joint_bits, precision)), precision, count);
  }
  // Counts a component with `bits` checked significant bits.
  void AddCheckedBits(double bits, int precision) {
    const bool wide = precision >= kPrecisionOfWide && !draws;
    open += wide && std::max(bits, joint_bits) < kEffectiveBitsMin;
  }
  void AddUnspecified(int precision) {
    if (draws) return static_cast<void>(++draw_count);
    effective.AddUnspecified(precision);
  }
};

inline double FullBits(PrimitiveType type) {
  return type == PrimitiveType::kPred ? 1 : BitWidth(type);
}

// Judges one element of a leaf. `facts` is nullptr for non-floats; `rms` is its RootMeanSquare.
void JudgeElement(const ModuleAcceptance& accepted, int64_t output, const Literal& actual,
                  int64_t index, const FloatFacts* facts, double rms, Tally& tally);
// Judges all elements of a leaf whose sets are mostly intervals. Returns false without effect if
// the leaf is exact or has alternative sets, integers or run-time sizes.
bool JudgedByIntervals(const ModuleAcceptance& accepted, int64_t output, const Literal& actual,
                       Tally& tally);

}  // namespace hlocts
