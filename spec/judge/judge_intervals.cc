// SPDX-License-Identifier: Apache-2.0
// Judges outputs whose elements are mostly ordinary intervals, without a set for each element.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "spec/judge/acceptance_set.h"
#include "spec/judge/effective_bits.h"
#include "spec/judge/interval_columns.h"
#include "spec/judge/joint.h"
#include "spec/judge/real.h"

namespace hlocts {
namespace {

// Counts the numbers and the bits of ordinary parts, where a part is a real element or one
// component of a complex element. A part is ordinary if it accepts all numbers from lo to hi and
// nothing else, and lo and hi are normal and of the same sign. Nearly all real data are ordinary.

// Returns the number of values of the format from lo to hi inclusive, both normal and of the same
// sign. It follows from the distance between the bits of lo and hi as f32 or f64; the bits that a
// narrower format lacks are 0.
inline int64_t ValuesBetween(double lo, double hi, const FloatFacts& facts) {
  if (facts.is_f64) {
    int64_t a, b;
    std::memcpy(&a, &lo, sizeof(a));
    std::memcpy(&b, &hi, sizeof(b));
    return std::abs(b - a) + 1;
  }
  float low = static_cast<float>(lo), high = static_cast<float>(hi);
  int32_t a, b;
  std::memcpy(&a, &low, sizeof(a));
  std::memcpy(&b, &high, sizeof(b));
  return (std::abs(static_cast<int64_t>(b) - a) >> (24 - facts.p)) + 1;
}

inline double Log2OfCount(int64_t count) {
  static const std::vector<double>* table = [] {
    auto* logs = new std::vector<double>(4096);
    for (size_t i = 1; i < logs->size(); ++i) (*logs)[i] = std::log2(static_cast<double>(i));
    return logs;
  }();
  return count < 4096 ? (*table)[count] : std::log2(static_cast<double>(count));
}

inline double Log2ValuesBetween(double lo, double hi, const FloatFacts& facts) {
  return Log2OfCount(ValuesBetween(lo, hi, facts));
}

// Returns EffectiveBitsOf before it is clamped to the format's precision.
inline double EffectiveBitsBetween(double lo, double hi, const FloatFacts& facts, double rms) {
  const double reference = std::max(std::fabs(lo / 2 + hi / 2), 1e-3 * rms);
  return facts.p - RoughLog2(1 + (hi - lo) / facts.Ulp(reference));
}

// Returns true if the part is ordinary, has more than one number, and contains x.
inline bool IsOrdinaryWith(const AcceptanceSet& s, double x, const FloatFacts& facts) {
  constexpr uint16_t kUnrounded = AcceptanceSet::kPreRounding | AcceptanceSet::kContractible;
  if ((s.flags & ~kUnrounded) != AcceptanceSet::kFinite || !(s.lo < s.hi)) return false;
  const double least = std::min(std::fabs(s.lo), std::fabs(s.hi));
  return x >= s.lo && x <= s.hi && (s.lo > 0) == (s.hi > 0) && least >= facts.min_normal &&
         std::max(-s.lo, s.hi) <= facts.max;
}

void AddOrdinary(double lo, double hi, const FloatFacts& facts, double rms, double full,
                 Tally& tally) {
  tally.bits += full - Log2ValuesBetween(lo, hi, facts);
  const double bits = EffectiveBitsBetween(lo, hi, facts, rms);
  tally.AddEffective(bits, facts.p);
  tally.AddCheckedBits(bits, facts.p);
}

// Returns true if an ordinary element contains x. Zero requires that both ends are the same zero.
bool Holds(double lo, double hi, double x) {
  return x >= lo && x <= hi && std::signbit(x) == std::signbit(lo);
}

// Judges an array that is stored in columns; JudgeElement judges the elements for which Holds is
// false. values(i) is the engine's value of element i.
template <class Values>
void JudgeColumns(const ModuleAcceptance& accepted, int64_t output, const Literal& actual,
                  const FloatFacts& facts, const Values& values, Tally& tally) {
  const SetArray& set = accepted.leaves[output].set;
  const double *lo = set.columns()->lo(), *hi = set.columns()->hi();
  const double rms = RootMeanSquare(set), full = FullBits(set.element_type());
  int64_t points = 0;
  for (int64_t i = 0; i < set.columns()->count(); ++i) {
    if (!Holds(lo[i], hi[i], values(i))) {
      JudgeElement(accepted, output, actual, i, &facts, rms, tally);
      continue;
    }
    ++tally.elements;
    if (lo[i] == hi[i]) {
      ++points;
    } else {
      AddOrdinary(lo[i], hi[i], facts, rms, full, tally);
    }
  }
  tally.bits += full * static_cast<double>(points);
  if (points > 0) tally.AddEffective(facts.p, facts.p, points);
}

// Judges an array that is stored as sets. values(k) is part k (see above) of the output.
template <class Values>
void JudgeSets(const ModuleAcceptance& accepted, int64_t output, const Literal& actual,
               const FloatFacts& facts, const Values& values, Tally& tally) {
  const SetArray& set = accepted.leaves[output].set;
  const absl::Span<const AcceptanceSet> sets = set.sets();
  const int64_t parts = set.components();
  const double rms = RootMeanSquare(set), full = FullBits(ComponentType(set.element_type()));
  for (int64_t i = 0; i < actual.element_count(); ++i) {
    bool ordinary = true;
    for (int64_t k = i * parts; k < (i + 1) * parts; ++k) {
      ordinary = ordinary && IsOrdinaryWith(sets[k], values(k), facts);
    }
    if (!ordinary) {
      JudgeElement(accepted, output, actual, i, &facts, rms, tally);
      continue;
    }
    ++tally.elements;
    for (int64_t k = i * parts; k < (i + 1) * parts; ++k) {
      AddOrdinary(sets[k].lo, sets[k].hi, facts, rms, full, tally);
    }
  }
}

}  // namespace

bool JudgedByIntervals(const ModuleAcceptance& accepted, int64_t output, const Literal& actual,
                       Tally& tally) {
  const SetArray& set = accepted.leaves[output].set;
  const PrimitiveType type = set.element_type();
  const bool real = IsFloat(type) || IsComplex(type);
  if (!real || set.exact() || set.choices != nullptr || actual.has_runtime_sizes()) return false;
  const FloatFacts& facts = FactsOf(type);
  const auto judge = [&](const auto& values) {
    set.columns() != nullptr ? JudgeColumns(accepted, output, actual, facts, values, tally)
                             : JudgeSets(accepted, output, actual, facts, values, tally);
  };
  const PrimitiveType part = ComponentType(type);
  const void* raw = actual.raw_data();
  if (part == PrimitiveType::kF32) {
    judge([data = static_cast<const float*>(raw)](int64_t k) { return double{data[k]}; });
  } else if (part == PrimitiveType::kF64) {
    judge([data = static_cast<const double*>(raw)](int64_t k) { return data[k]; });
  } else {
    judge([&](int64_t k) { return RealAt(actual, k); });
  }
  return true;
}

}  // namespace hlocts
