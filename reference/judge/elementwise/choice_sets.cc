// SPDX-License-Identifier: Apache-2.0
// Computes element-wise operations if an element may have one of a few sets (lemma 31): applies the
// operation to each of these sets, as long as there are few.
#include <algorithm>
#include <cmath>

#include "reference/judge/elementwise/element_op.h"
#include "spec/judge/choices.h"
#include "spec/judge/interval_columns.h"
#include "spec/ops/groups.h"
#include "spec/ops/kinds.h"

namespace hlocts::reference {
namespace {

SetArray OneElement(const SetArray& like, const AcceptanceSet& set) {
  return SetArray(Shape(like.element_type(), {1}), std::vector<AcceptanceSet>{set});
}

// If there are more discontinuities or flushes than this, each is an interval, to limit the effort.
constexpr int64_t kJumpsMax = 4096;

// Returns true if the set consists of a few separate values (a discontinuity), as after a rounding,
// conversion or comparison.
bool IsDiscontinuity(const AcceptanceSet& s) {
  if (s.unspecified()) return false;
  constexpr Int128 kMost = Choices::kMax - 1;
  if (s.integer()) return s.ilo < s.ihi && s.ihi - s.ilo <= kMost;
  constexpr uint16_t kWhole = AcceptanceSet::kFinite | AcceptanceSet::kIntegral |
                              AcceptanceSet::kPosZero | AcceptanceSet::kNegZero;
  constexpr uint16_t kNeeded = AcceptanceSet::kFinite | AcceptanceSet::kIntegral;
  return (s.flags & ~kWhole) == 0 && (s.flags & kNeeded) == kNeeded && s.lo < s.hi &&
         s.hi - s.lo <= static_cast<double>(kMost);
}

std::vector<AcceptanceSet> ValuesOfJump(const AcceptanceSet& s) {
  std::vector<AcceptanceSet> values;
  if (s.integer()) {
    for (Int128 value = s.ilo; value <= s.ihi; ++value) {
      values.push_back(AcceptanceSet::Integers(value, value));
    }
  } else {
    constexpr uint16_t kZeros = AcceptanceSet::kPosZero | AcceptanceSet::kNegZero;
    for (double value = s.lo; value <= s.hi; ++value) {
      AcceptanceSet one = s;
      one.lo = one.hi = one.rlo = one.rhi = value;
      if (value != 0) one.flags &= ~kZeros;
      values.push_back(one);
    }
  }
  return values;
}

int64_t CountJumps(const SetArray& array) {
  if (array.exact() || IsComplex(array.element_type())) return 0;
  int64_t count = 0;
  if (array.columns() != nullptr) {
    for (const auto& [i, set] : array.columns()->rest()) count += IsDiscontinuity(set);
  } else {
    for (const AcceptanceSet& set : array.sets()) count += IsDiscontinuity(set);
  }
  return count;
}

std::vector<AcceptanceSet> ChoicesOrJump(const SetArray& operand, int64_t at) {
  std::vector<AcceptanceSet> sets = ChoicesAt(operand, at);
  return sets.size() == 1 && IsDiscontinuity(sets[0]) ? ValuesOfJump(sets[0]) : sets;
}

// Returns true if the join of the sets contains values that no set contains.
bool AnyGap(std::vector<AcceptanceSet> sets) {
  std::sort(sets.begin(), sets.end(), [](const AcceptanceSet& a, const AcceptanceSet& b) {
    return a.integer() ? a.ilo < b.ilo : a.lo < b.lo;
  });
  AcceptanceSet reached = sets[0];
  for (const AcceptanceSet& set : sets) {
    if (HaveGapBetween(reached, set)) return true;
    reached = Join(reached, set);
  }
  return false;
}

// Returns true for arithmetic, functions and conversions that may flush operands and results. The
// others select an operand, or have a least normal number of their own.
bool MayFlush(const ElementOp& op) {
  const auto typed = ops::TypedOperationOf(op.opcode);
  return IsFloat(op.operand_type) && IsFloat(op.result_type) &&
         op.context.rule.Allows(kFlushResult) && !ops::IsExtremum(op.opcode) &&
         (!typed || *typed == ops::TypedOperation::kConvert);
}

// Returns an exact operand as itself and, if it or the unrounded number that an engine may read in
// its place is subnormal and may be flushed, as a zero.
std::vector<AcceptanceSet> ReadingsOf(const ElementOp& op, const AcceptanceSet& s) {
  std::vector<AcceptanceSet> readings = {s};
  const double least = op.context.operand->min_normal;
  const bool subnormal = s.finite() && (s.lo > 0   ? std::min(s.lo, s.rlo) < least
                                        : s.lo < 0 ? std::max(s.hi, s.rhi) > -least
                                                   : false);
  if (subnormal && op.context.rule.Allows(kFlushOperand))
    readings.push_back(AcceptanceSet::Float(std::copysign(0.0, s.lo)));
  return readings;
}

// Returns a set for each reading of exact operands, and the other members of `joined`, the interval
// with all flushes: zeros, and the least normal number if it is an end.
std::vector<AcceptanceSet> FlushedAndNot(const ElementOp& op,
                                         absl::Span<const SetArray* const> operands, int64_t i,
                                         const AcceptanceSet& joined) {
  ElementOp kept = op;
  kept.context.rule.permissions &= ~static_cast<uint32_t>(kFlushOperand | kFlushResult);
  std::vector<AcceptanceSet> results;
  const auto add = [&](const AcceptanceSet& a, const AcceptanceSet& b) {
    const SetArray one = OneElement(*operands[0], a), other = OneElement(*operands.back(), b);
    const SetArray* read[] = {&one, &other};
    results.push_back(RealElement(kept, absl::MakeSpan(read, operands.size()), 0));
    DropUnreadPreRounding(results.back(), op.hull);
  };
  const AcceptanceSet last = operands.back()->At(ElementOf(*operands.back(), i));
  for (const AcceptanceSet& a : ReadingsOf(op, operands[0]->At(ElementOf(*operands[0], i)))) {
    if (op.equal_operands || operands.size() == 1) {
      add(a, a);
    } else {
      for (const AcceptanceSet& b : ReadingsOf(op, last)) add(a, b);
    }
  }
  AcceptanceSet all = results[0];
  for (const AcceptanceSet& one : results) all = Join(all, one);
  const auto also = [&](bool present, double value) {
    if (!present) return;
    results.push_back(AcceptanceSet::Float(value));
    all = Join(all, results.back());
  };
  also(joined.Has(AcceptanceSet::kPosZero), 0.0);
  also(joined.Has(AcceptanceSet::kNegZero), -0.0);
  also(joined.hi > all.hi, joined.hi);
  also(joined.lo < all.lo, joined.lo);
  return IsSubset(joined, all) ? results : std::vector<AcceptanceSet>();
}

// Returns the sets of FlushedAndNot if they leave out numbers of `joined`. Returns {} if nothing is
// flushed, or if an operand is not exact.
std::vector<AcceptanceSet> FlushesApart(const ElementOp& op,
                                        absl::Span<const SetArray* const> operands, int64_t i,
                                        const AcceptanceSet& joined) {
  if (!MayFlush(op) || joined.unspecified() || !joined.finite() || joined.lo >= joined.hi)
    return {};
  const double least = op.context.result->min_normal;
  bool flushes = joined.lo < least && joined.hi > -least;
  for (const SetArray* operand : operands) {
    const AcceptanceSet a = operand->At(ElementOf(*operand, i));
    if (!a.IsPoint() || a.Has(AcceptanceSet::kScaledPreRounding)) return {};
    flushes = flushes || ReadingsOf(op, a).size() > 1;
  }
  if (!flushes) return {};
  std::vector<AcceptanceSet> sets = FlushedAndNot(op, operands, i, joined);
  return !sets.empty() && AnyGap(sets) ? sets : std::vector<AcceptanceSet>();
}

// Returns the results for all combinations of the operands' sets; nullopt if there are too many.
std::optional<std::vector<AcceptanceSet>> Combinations(const ElementOp& op,
                                                       absl::Span<const SetArray* const> operands,
                                                       int64_t i) {
  std::vector<std::vector<SetArray>> all = {{}};
  for (const SetArray* operand : operands) {
    std::vector<std::vector<SetArray>> longer;
    for (const AcceptanceSet& choice : ChoicesOrJump(*operand, ElementOf(*operand, i))) {
      for (const auto& prefix : all) {
        longer.push_back(prefix);
        longer.back().push_back(OneElement(*operand, choice));
      }
    }
    if (longer.size() > Choices::kMax) return std::nullopt;
    all = std::move(longer);
  }
  std::vector<AcceptanceSet> results;
  for (const std::vector<SetArray>& one : all) {
    std::vector<const SetArray*> arrays;
    for (const SetArray& array : one) arrays.push_back(&array);
    AcceptanceSet result = RealElement(op, arrays, 0);
    if (!result.integer()) DropUnreadPreRounding(result, op.hull);
    std::vector<AcceptanceSet> apart = FlushesApart(op, arrays, 0, result);
    if (apart.empty()) apart.push_back(result);
    results.insert(results.end(), apart.begin(), apart.end());
  }
  return results;
}

}  // namespace

void KeepFlushesApart(const ElementOp& op, absl::Span<const SetArray* const> operands,
                      SetArray& result) {
  if (!MayFlush(op) || result.exact()) return;
  ChoiceMap apart;
  int64_t left = kJumpsMax;
  const auto visit = [&](int64_t i, const AcceptanceSet& s) {
    const std::vector<AcceptanceSet> sets = FlushesApart(op, operands, i, s);
    if (!sets.empty() && left-- > 0) JoinChoices(sets, s.cause, s.origin, i, apart);
  };
  if (result.columns() != nullptr) {
    for (const auto& [i, s] : result.columns()->rest()) visit(i, s);
  } else {
    for (size_t i = 0; i < result.sets().size() && left >= 0; ++i)
      visit(static_cast<int64_t>(i), result.sets()[i]);
  }
  if (left >= 0) SetChoices(std::move(apart), result);
}

std::vector<AcceptanceSet> ChoicesOfBothOperands(const SetArray& on_true, const SetArray& on_false,
                                                 int64_t at) {
  Choices choices;
  bool few = choices.AddAll(ChoicesAt(on_true, at)) && choices.AddAll(ChoicesAt(on_false, at));
  return few ? choices.sets() : std::vector<AcceptanceSet>();
}

bool AnyChoices(absl::Span<const SetArray* const> operands) {
  for (const SetArray* operand : operands) {
    if (operand->choices != nullptr) return true;
  }
  return false;
}

bool HasFewDiscontinuities(absl::Span<const SetArray* const> operands) {
  int64_t count = 0;
  for (const SetArray* operand : operands) count += CountJumps(*operand);
  return count > 0 && count <= kJumpsMax;
}

void MapChoices(const ElementOp& op, absl::Span<const SetArray* const> operands, bool jumps,
                SetArray& result) {
  if (IsComplex(op.operand_type) || IsComplex(op.result_type) || result.exact()) return;
  ChoiceMap mapped;
  std::vector<std::pair<int64_t, AcceptanceSet>> joins;
  for (int64_t i = 0; i < result.element_count(); ++i) {
    bool chosen = false, jump = false;
    for (const SetArray* operand : operands) {
      const int64_t at = ElementOf(*operand, i);
      chosen = chosen || (operand->choices != nullptr && operand->choices->Find(at) != nullptr);
      jump = jump || (jumps && IsDiscontinuity(operand->At(at)));
    }
    // The set of a result that is itself a discontinuity already consists of separate values.
    if (!chosen && (!jump || IsDiscontinuity(result.At(i)))) continue;
    std::optional<std::vector<AcceptanceSet>> results = Combinations(op, operands, i);
    if (!results.has_value() || (!chosen && !AnyGap(*results))) continue;
    const AcceptanceSet like = result.At(i);
    const WideningCause cause =
        like.cause == WideningCause::kPoint ? WideningCause::kJump : like.cause;
    AcceptanceSet joined = JoinChoices(*results, cause, like.origin, i, mapped);
    if (cause == WideningCause::kUnderflow) joined.cause = cause;
    if (chosen) joins.emplace_back(i, joined);
  }
  if (!joins.empty()) {
    std::vector<AcceptanceSet>& sets = result.mutable_sets();
    for (const auto& [i, set] : joins) sets[i] = set;
  }
  SetChoices(std::move(mapped), result);
}

}  // namespace hlocts::reference
