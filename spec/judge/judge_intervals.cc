// SPDX-License-Identifier: Apache-2.0
// Judges outputs whose elements are mostly ordinary intervals, without a set for each element.
#include <algorithm>
#include <cmath>

#include "spec/judge/element_text.h"
#include "spec/judge/interval_columns.h"
#include "spec/judge/joint.h"
#include "spec/judge/ordinary_part.h"
#include "spec/judge/real.h"
#include "spec/judge/tally.h"

namespace hlocts {
namespace {

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

// Judges an array that is stored in columns; elements that are not ordinary use JudgeElement.
// values(i) is the engine's value of element i.
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

// Judges an array that is stored as sets. values(k) is part k of the output; a complex element has
// two parts.
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
