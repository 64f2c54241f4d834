// SPDX-License-Identifier: Apache-2.0
// Computes argmin and argmax: reductions of (value, index) pairs that return the better pair.
#include <algorithm>
#include <cmath>

#include "reference/judge/joint/row_choice.h"
#include "reference/judge/sums/reductions.h"
#include "spec/ir/instruction.h"
#include "spec/judge/choices.h"

namespace hlocts::reference {
namespace {

struct Key {
  double lo = -HUGE_VAL, hi = HUGE_VAL;
  bool may_nan = false, must_nan = false, point = false;
};

Key KeyOf(const AcceptanceSet& s, const SetContext& context, bool largest) {
  Key key;
  if (s.unspecified()) {
    key.may_nan = true;
    return key;
  }
  if (s.integer()) {
    key.lo = static_cast<double>(s.ilo);
    key.hi = static_cast<double>(s.ihi);
    // 64-bit keys that are equal as doubles may tie.
    key.point = s.ilo == s.ihi && std::fabs(key.lo) <= 0x1p53;
  } else {
    View v =
        ReadSet(s, *context.operand, context.rule.permissions, context.rule.Allows(kSkipRounding));
    key.may_nan = v.nan;
    key.must_nan = v.nan && !v.finite && !v.Infinite();
    key.lo = v.neg_inf ? -HUGE_VAL : v.finite ? v.lo : v.pos_inf ? HUGE_VAL : -HUGE_VAL;
    key.hi = v.pos_inf ? HUGE_VAL : v.finite ? v.hi : v.neg_inf ? -HUGE_VAL : HUGE_VAL;
    key.point = !v.nan && key.lo == key.hi;
  }
  if (!largest) {
    std::swap(key.lo, key.hi);
    key.lo = -key.lo;
    key.hi = -key.hi;
  }
  return key;
}

struct ArgCandidate {
  AcceptanceSet key, index;
  Key order;
};

// Returns the pairs that may win: only one if the index decides ties and nothing is uncertain.
std::vector<ArgCandidate> PossibleWinners(std::vector<ArgCandidate> all,
                                          const ArgReducer& reducer) {
  bool any_nan = false, certain_nan = false;
  double surely = -HUGE_VAL;
  for (const ArgCandidate& c : all) {
    any_nan = any_nan || c.order.may_nan;
    certain_nan = certain_nan || c.order.must_nan;
    if (!c.order.may_nan) surely = std::max(surely, c.order.lo);
  }
  if (any_nan && !reducer.nan_wins) return all;
  std::vector<ArgCandidate> winners;
  for (const ArgCandidate& c : all) {
    if (c.order.may_nan || (!certain_nan && c.order.hi >= surely)) winners.push_back(c);
  }
  bool certain = reducer.ties != 0 && !(any_nan && !certain_nan);
  for (const ArgCandidate& c : winners) {
    bool decided = c.index.integer() && c.index.ilo == c.index.ihi;
    bool tied = certain_nan ? c.order.must_nan : c.order.point && c.order.lo == surely;
    certain = certain && decided && tied;
  }
  if (!certain || winners.empty()) return winners;
  auto better = [&](const ArgCandidate& a, const ArgCandidate& b) {
    return reducer.ties < 0 ? a.index.ilo < b.index.ilo : a.index.ilo > b.index.ilo;
  };
  return {*std::min_element(winners.begin(), winners.end(), better)};
}

// Removes terms whose f32 keys differ from the best key. Removes none if a key is a NaN, or if the
// best key is zero or subnormal and may be read as another value.
void KeepBest(const float* keys, bool largest, std::vector<int64_t>& terms) {
  const float sign = largest ? 1.0f : -1.0f;
  float best = -HUGE_VALF;
  bool nan = false;
  for (int64_t i : terms) {
    float x = sign * keys[i];
    nan |= x != x;
    best = std::max(best, x);
  }
  if (nan || std::fabs(best) < FactsOf(PrimitiveType::kF32).min_normal) return;
  terms.erase(
      std::remove_if(terms.begin(), terms.end(), [&](int64_t i) { return sign * keys[i] != best; }),
      terms.end());
}

// Returns the value that belongs to the winner's index. The sign of a zero and the bits of a NaN
// may come from the pair with which the winner was compared.
AcceptanceSet ValueOf(const ArgCandidate& winner, const AcceptanceSet& joined) {
  AcceptanceSet key = winner.key;
  if (key.unspecified() || key.integer()) return key;
  constexpr uint16_t kZeros = AcceptanceSet::kPosZero | AcceptanceSet::kNegZero;
  if (key.flags & kZeros) key.flags |= joined.flags & kZeros;
  if (key.Has(AcceptanceSet::kBitsKnown)) key = AcceptanceSet::Float(std::nan(""));
  return key;
}

// Returns the join of all winners, since any of them may be the result, and records which value
// belongs to which index; their joined sets do not show this (lemma 31).
ArgCandidate JoinedOf(const std::vector<ArgCandidate>& winners, uint32_t origin, int64_t element,
                      ChoiceMap& index_choices, RowChoice& pairs) {
  std::vector<AcceptanceSet> keys, indices;
  for (const ArgCandidate& winner : winners) {
    keys.push_back(winner.key);
    indices.push_back(winner.index);
  }
  ChoiceMap none;  // ValueOf widens keys
  const ArgCandidate joined = {
      JoinChoices(keys, WideningCause::kJump, origin, element, none),
      JoinChoices(indices, WideningCause::kJump, origin, element, index_choices),
      {}};
  if (winners.size() > RowChoice::kRowsMax) return joined;
  std::vector<RowChoice::Row> rows;
  for (const ArgCandidate& winner : winners) {
    rows.push_back({{ValueOf(winner, joined.key)}, {winner.index}});
  }
  pairs.Put(element, std::move(rows));
  return joined;
}

SetArray ArrayOf(const Shape& shape, std::vector<AcceptanceSet> sets, uint32_t origin) {
  SetArray array(shape, std::move(sets));
  array.origin = origin;
  return Compress(std::move(array));
}

SetContext ContextOfKeys(SetInterpreter& interpreter, const Instruction& instruction,
                         PrimitiveType type) {
  if (IsFloat(type)) return interpreter.ContextOf(instruction, type, type);
  SetContext context;
  context.rule = interpreter.RuleOf(instruction.opcode(), type);
  context.origin = interpreter.OriginOf(instruction, context.rule);
  return context;
}

// Returns the f32 keys if all of them are known and init is not a NaN, else nullptr. With known
// keys, only the terms that have the best key can win.
const float* PlainKeys(const SetArray& keys, const SetArray& init) {
  const bool plain = keys.exact() && keys.element_type() == PrimitiveType::kF32 && init.exact() &&
                     !std::isnan(init.literal().data<float>()[0]);
  return plain ? keys.literal().data<float>().data() : nullptr;
}

}  // namespace

absl::StatusOr<SetValue> ReduceArg(SetInterpreter& interpreter, const Instruction& instruction,
                                   const Shape& shape, absl::Span<const SetValue> operands,
                                   const ArgReducer& reducer) {
  const SetArray &keys = operands[0].array, &indices = operands[1].array;
  const SetArray &key_init = operands[2].array, &index_init = operands[3].array;
  if (!keys.runtime_sizes.empty()) {
    return UnspecifiedResult(interpreter, instruction, shape, WideningCause::kUnknown);
  }
  const SetContext context = ContextOfKeys(interpreter, instruction, keys.element_type());
  const std::vector<int64_t>& sizes = keys.shape().dimensions();
  HLOCTS_ASSIGN_OR_RETURN(
      ReductionTerms lists,
      TermsOf(instruction, sizes, sizes, interpreter.runner().options().memory_bytes_max));
  std::vector<AcceptanceSet> key_sets, index_sets;
  ChoiceMap index_choices;
  auto pairs = std::make_shared<RowChoice>(2);
  const float* values = PlainKeys(keys, key_init);
  for (std::vector<int64_t>& terms : lists.terms) {
    if (values != nullptr) KeepBest(values, reducer.largest, terms);
    std::vector<ArgCandidate> all;
    for (int64_t i : terms) all.push_back({keys.At(i), indices.At(i), {}});
    all.push_back({key_init.At(0), index_init.At(0), {}});
    for (ArgCandidate& c : all) c.order = KeyOf(c.key, context, reducer.largest);
    std::vector<ArgCandidate> winners = PossibleWinners(std::move(all), reducer);
    const ArgCandidate joined = JoinedOf(
        winners, context.origin, static_cast<int64_t>(key_sets.size()), index_choices, *pairs);
    key_sets.push_back(joined.key);
    index_sets.push_back(joined.index);
  }
  SetArray key_array = ArrayOf(shape.tuple_shapes()[0], std::move(key_sets), context.origin);
  SetArray index_array = ArrayOf(shape.tuple_shapes()[1], std::move(index_sets), context.origin);
  if (!index_array.exact()) SetChoices(std::move(index_choices), index_array);
  if (!pairs->empty()) {
    key_array.joint = index_array.joint = pairs;
    index_array.joint_slot = 1;
  }
  return SetValue::Tuple({std::move(key_array), std::move(index_array)});
}

}  // namespace hlocts::reference
