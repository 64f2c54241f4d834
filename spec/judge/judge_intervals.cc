// SPDX-License-Identifier: Apache-2.0
// Outputs whose elements are intervals of ordinary numbers mostly: by loops, and what is no such
// element one by one.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "spec/base/vector_clones.h"
#include "spec/judge/element_text.h"
#include "spec/judge/interval_columns.h"
#include "spec/judge/ordinary_part.h"
#include "spec/judge/real.h"
#include "spec/judge/tally.h"

namespace hlocts {
namespace {

void AddOrdinary(double lo, double hi, const FloatFacts& facts, double rms, double full,
                 Tally& tally) {
  tally.bits += full - Log2ValuesBetween(lo, hi, facts);
  tally.AddEffective(EffectiveBitsBetween(lo, hi, facts, rms), facts.p);
}

constexpr int64_t kJudgedAtOnce = 256;

// Whether each element of a block is an ordinary one and holds the engine's. A zero only where both
// ends are that zero. Without a branch, as the next.
HLOCTS_VECTOR_CLONES bool AllInside(const double* lo, const double* hi, const double* x,
                                    int64_t size) {
  int64_t bad = 0;
  for (int64_t i = 0; i < size; ++i) {
    int64_t sign_of_x, sign_of_lo;
    std::memcpy(&sign_of_x, &x[i], sizeof(sign_of_x));
    std::memcpy(&sign_of_lo, &lo[i], sizeof(sign_of_lo));
    bad |= static_cast<int64_t>(!((x[i] >= lo[i]) & (x[i] <= hi[i])));
    bad |= static_cast<int64_t>((sign_of_x ^ sign_of_lo) < 0);
  }
  return bad == 0;
}

// Which elements of a block hold more numbers than one, and how many those are.
int64_t WideOfBlock(const double* lo, const double* hi, int64_t size, int16_t* wide) {
  int64_t count = 0;
  for (int64_t i = 0; i < size; ++i) {
    wide[count] = static_cast<int16_t>(i);
    count += static_cast<int64_t>(lo[i] != hi[i]);
  }
  return count;
}

// JudgeElement for the ordinary elements of an array stored by columns; values(i) are the engine's.
template <class Values>
class ColumnJudge {
 public:
  ColumnJudge(const ModuleAcceptance& accepted, int64_t output, const Literal& actual,
              const FloatFacts& facts, const Values& values, Tally& tally)
      : accepted_(accepted),
        output_(output),
        actual_(actual),
        facts_(facts),
        values_(values),
        tally_(tally),
        set_(accepted.leaves[output].set),
        rms_(RootMeanSquare(set_)),
        full_(FullBits(set_.element_type())) {}

  void Judge() {
    const int64_t count = set_.columns()->count();
    for (int64_t first = 0; first < count; first += kJudgedAtOnce) {
      JudgeBlock(first, std::min(kJudgedAtOnce, count - first));
    }
    tally_.bits += full_ * static_cast<double>(points_);
    if (points_ > 0) tally_.AddEffective(facts_.p, facts_.p, points_);
  }

 private:
  // In one go, or in two halves where some element has to be looked at alone.
  void JudgeBlock(int64_t first, int64_t size) {
    const double *lo = set_.columns()->lo() + first, *hi = set_.columns()->hi() + first;
    for (int64_t i = 0; i < size; ++i) actual_values_[i] = values_(first + i);
    const bool inside = AllInside(lo, hi, actual_values_, size);
    if (!inside && size == 1) {
      return JudgeElement(accepted_, output_, actual_, first, &facts_, rms_, tally_);
    }
    if (!inside) {
      JudgeBlock(first, size / 2);
      return JudgeBlock(first + size / 2, size - size / 2);
    }
    const int64_t count = WideOfBlock(lo, hi, size, wide_);
    tally_.elements += size;
    points_ += size - count;
    for (int64_t k = 0; k < count; ++k) {
      AddOrdinary(lo[wide_[k]], hi[wide_[k]], facts_, rms_, full_, tally_);
    }
  }

  const ModuleAcceptance& accepted_;
  int64_t output_;
  const Literal& actual_;
  const FloatFacts& facts_;
  const Values& values_;
  Tally& tally_;
  const SetArray& set_;
  double rms_, full_;
  int64_t points_ = 0;
  double actual_values_[kJudgedAtOnce];
  int16_t wide_[kJudgedAtOnce];
};

// The same of an array of sets; values(k) is the engine's part k, of complex elements two each.
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
    set.columns() != nullptr ? ColumnJudge(accepted, output, actual, facts, values, tally).Judge()
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
