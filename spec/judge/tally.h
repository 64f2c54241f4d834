// SPDX-License-Identifier: Apache-2.0
// Sums that the judge accumulates over the elements of all outputs, and the functions that visit
// these.
#ifndef HLOCTS_SPEC_JUDGE_TALLY_H_
#define HLOCTS_SPEC_JUDGE_TALLY_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "spec/judge/effective_bits.h"
#include "spec/judge/judge.h"

namespace hlocts {

// An element with fewer significant bits is not informative; formats of 8 bits have hardly more.
inline constexpr double kEffectiveBitsMin = 2;
inline constexpr int kPrecisionOfWide = 8;  // bf16's

// Sums over all leaves.
struct Tally {
  int64_t elements = 0;
  int64_t unspecified = 0;
  int64_t failed = 0;
  int64_t nan_bits = 0;  // among these, NaNs with unexpected bits
  bool first_is_nan_bits = false;
  double bits = 0;
  int64_t empty_leaves = 0;
  EffectiveHistogram effective;
  double joint_bits = 0;  // per element of the current leaf, by its joint predicate
  bool draws = false;     // the current leaf has random draws
  int64_t draw_count = 0;
  std::optional<FirstFailure> first;
  std::string hardly_checked;  // the first output with too few checked bits
  int64_t open = 0;            // parts of the current leaf that are hardly checked

  void AddEffective(double bits, int precision, int64_t count = 1) {
    if (draws) return static_cast<void>(draw_count += count);
    effective.Add(std::max(bits, std::min<double>(joint_bits, precision)), precision, count);
  }
  // Counts a part with that many checked significant bits.
  void NoteOpen(double bits, int precision) {
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

// Judges any element of a leaf. facts: for float types, else nullptr; rms: RootMeanSquare of the
// leaf.
void JudgeElement(const ModuleAcceptance& accepted, int64_t output, const Literal& actual,
                  int64_t index, const FloatFacts* facts, double rms, Tally& tally);
// Judges all elements of a leaf whose sets are mostly intervals. False, without effect, for leaves
// that are exact, have alternative sets, integers or run-time sizes.
bool JudgedByIntervals(const ModuleAcceptance& accepted, int64_t output, const Literal& actual,
                       Tally& tally);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_JUDGE_TALLY_H_
