// SPDX-License-Identifier: Apache-2.0
// The judge's sums over the elements of all outputs, and the functions that judge elements.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "spec/judge/effective_bits.h"
#include "spec/judge/judge.h"

namespace hlocts {

// An element with fewer effective bits is not informative. 8-bit formats are exempt.
inline constexpr double kEffectiveBitsMin = 2;
inline constexpr int kPrecisionOfWide = 8;  // the precision of bf16

// Sums over all leaves.
struct Tally {
  int64_t elements = 0;
  int64_t unspecified = 0;
  int64_t failed = 0;
  int64_t nan_bits = 0;  // the failed elements that are NaNs with unexpected bits
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

// Judges one element of a leaf. `facts` is nullptr except for floats; `rms` is the RootMeanSquare.
void JudgeElement(const ModuleAcceptance& accepted, int64_t output, const Literal& actual,
                  int64_t index, const FloatFacts* facts, double rms, Tally& tally);
// Judges all elements of a leaf whose sets are mostly intervals. Returns false without effect if
// the leaf is exact or has alternative sets, integers or run-time sizes.
bool JudgedByIntervals(const ModuleAcceptance& accepted, int64_t output, const Literal& actual,
                       Tally& tally);

}  // namespace hlocts
