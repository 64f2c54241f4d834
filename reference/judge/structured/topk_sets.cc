// SPDX-License-Identifier: Apache-2.0
// Computes the sets of topk (lemmas 13, 31; ruling 0047): the greatest elements first, equal
// elements by ascending index. If the order is uncertain, the set of a position contains every
// element that may be there.
#include <algorithm>
#include <cmath>

#include "reference/judge/interpreter/handlers.h"
#include "reference/judge/joint/row_choice.h"
#include "spec/ir/float_format.h"
#include "spec/ir/instruction.h"
#include "spec/judge/choices.h"

namespace hlocts::reference {
namespace {

// Returns true if the position of some NaN in the order is unknown, because its sign is unknown, or
// because its format has only one NaN, for which the total order has no position (ruling 0059).
bool HasUnorderedNan(const SetArray& operand) {
  const PrimitiveType type = operand.element_type();
  bool one_nan = IsFloat(type) && FormatOf(type).non_finite == NonFinite::kNegZero;
  return (operand.nan_bits_free || one_nan || !operand.exact()) && HasNan(operand);
}

// The range of the key by which an element is ordered; keys are negated to find the smallest. The
// range is exact for 64-bit integers. Keys of NaNs are beyond keys of infinities.
struct TopkKey {
  long double lo = 0, hi = 0;
  bool point = false;  // elements with this key are equal
};
constexpr long double kInfinityKey = 0x1p16000L, kNanKey = 0x1p16001L;

// How an engine compares zeros of different signs (ruling 0047).
enum class Zeros { kEitherWay, kEqual, kOrdered };
constexpr long double kNegativeZeroKey = -0x1p-16000L;  // above all negative doubles

TopkKey TopkKeyOf(const AcceptanceSet& s, PrimitiveType type, bool unrounded, Zeros zeros) {
  if (s.integer()) {
    return {static_cast<long double>(s.ilo), static_cast<long double>(s.ihi), s.ilo == s.ihi};
  }
  if (s.Has(AcceptanceSet::kBitsKnown)) {
    const bool negative = (s.nan_bits & FormatOf(type).sign_mask()) != 0;
    return {negative ? -kNanKey : kNanKey, negative ? -kNanKey : kNanKey, false};
  }
  auto limited = [](double x) {
    return std::isinf(x) ? std::copysign(kInfinityKey, x) : static_cast<long double>(x);
  };
  TopkKey key = {limited(s.lo), limited(s.hi), false};
  if (unrounded && s.Has(AcceptanceSet::kPreRounding))
    key.lo = limited(s.rlo), key.hi = limited(s.rhi);
  const bool finite = s.finite() || (unrounded && s.Has(AcceptanceSet::kPreRounding));
  if (s.Has(AcceptanceSet::kPosInf)) key.hi = kInfinityKey;
  if (s.Has(AcceptanceSet::kPosInf) && !finite) key.lo = kInfinityKey;
  if (s.Has(AcceptanceSet::kNegInf)) key.lo = -kInfinityKey;
  if (s.Has(AcceptanceSet::kNegInf) && !finite && !s.Has(AcceptanceSet::kPosInf)) {
    key.hi = -kInfinityKey;
  }
  if (zeros == Zeros::kOrdered && s.finite() && s.lo == 0 && s.Has(AcceptanceSet::kNegZero)) {
    key.lo = key.hi = kNegativeZeroKey;
  }
  key.point = key.lo == key.hi && (key.lo != 0 || zeros != Zeros::kEitherWay);
  return key;
}

// Returns true if all zeros of the line have the same sign.
bool ZerosAlike(const SetArray& operand, int64_t start, int64_t n) {
  uint16_t signs = 0;
  for (int64_t i = start; i < start + n; ++i) signs |= operand.At(i).flags;
  return !((signs & AcceptanceSet::kPosZero) && (signs & AcceptanceSet::kNegZero));
}

// Returns the keys of a line; the largest key comes first in the result.
std::vector<TopkKey> TopkKeysOfLine(const SetArray& operand, int64_t start, int64_t n,
                                    bool unrounded, bool largest, Zeros zeros) {
  if (ZerosAlike(operand, start, n)) zeros = Zeros::kEqual;
  std::vector<TopkKey> keys;
  for (int64_t i = start; i < start + n; ++i) {
    TopkKey key = TopkKeyOf(operand.At(i), operand.element_type(), unrounded, zeros);
    keys.push_back(largest ? key : TopkKey{-key.hi, -key.lo, key.point});
  }
  return keys;
}

// The positions that each element may have in the sorted line.
struct TopkPlaces {
  std::vector<int64_t> first, last;
};

TopkPlaces TopkPlacesOf(const std::vector<TopkKey>& keys, bool lower_index_first) {
  const int64_t n = static_cast<int64_t>(keys.size());
  std::vector<long double> lows, highs;
  for (const TopkKey& key : keys) lows.push_back(key.lo), highs.push_back(key.hi);
  std::sort(lows.begin(), lows.end());
  std::sort(highs.begin(), highs.end());
  std::vector<int64_t> ties_before(n, 0), ties_after(n, 0);
  if (lower_index_first) {
    std::vector<int64_t> order;
    for (int64_t i = 0; i < n; ++i) {
      if (keys[i].point) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](int64_t a, int64_t b) { return keys[a].lo < keys[b].lo; });
    for (size_t begin = 0, end = 0; begin < order.size(); begin = end) {
      while (end < order.size() && keys[order[end]].lo == keys[order[begin]].lo) ++end;
      for (size_t k = begin; k < end; ++k) {
        ties_before[order[k]] = static_cast<int64_t>(k - begin);
        ties_after[order[k]] = static_cast<int64_t>(end - 1 - k);
      }
    }
  }
  TopkPlaces places;
  for (int64_t i = 0; i < n; ++i) {
    const int64_t above = lows.end() - std::upper_bound(lows.begin(), lows.end(), keys[i].hi);
    const int64_t below = std::lower_bound(highs.begin(), highs.end(), keys[i].lo) - highs.begin();
    places.first.push_back(above + ties_before[i]);
    places.last.push_back(n - 1 - below - ties_after[i]);
  }
  return places;
}

// Requires that no index occurs twice in a line (lemma 31).
class DifferentIndices : public JointPredicate {
 public:
  DifferentIndices(int64_t k, std::shared_ptr<const RowChoice> rows)
      : k_(k), rows_(std::move(rows)) {}
  std::string kind() const override { return "choice"; }
  int slot_count() const override { return 2; }
  Verdict Check(absl::Span<const Literal* const> slots) const override {
    Verdict verdict = rows_->Check(slots);
    if (!verdict.ok || slots[1] == nullptr || k_ == 0) return verdict;
    for (int64_t begin = 0; begin < slots[1]->element_count(); begin += k_) {
      std::vector<std::pair<Int128, int64_t>> seen;
      for (int64_t i = begin; i < begin + k_; ++i) seen.emplace_back(PointOf(*slots[1], i).ilo, i);
      std::sort(seen.begin(), seen.end());
      for (size_t i = 1; i < seen.size(); ++i) {
        if (seen[i].first != seen[i - 1].first) continue;
        verdict.ok = false;
        verdict.slot = 1;
        verdict.index = seen[i].second;
        verdict.expected = "the indices of a line are distinct";
        return verdict;
      }
    }
    return verdict;
  }

 private:
  int64_t k_;
  std::shared_ptr<const RowChoice> rows_;
};

// The sets of both results during construction.
struct TopkOutputs {
  std::vector<AcceptanceSet> values, indices;
  ChoiceMap value_choices, index_choices;
  std::shared_ptr<RowChoice> rows = std::make_shared<RowChoice>(2);
};

// Adds the sets of a position. Returns the candidates for its value and index.
std::vector<RowChoice::Row> PutPlace(const SetArray& operand, int64_t start,
                                     const std::vector<int64_t>& candidates, uint32_t origin,
                                     TopkOutputs& out) {
  const int64_t at = static_cast<int64_t>(out.values.size());
  std::vector<AcceptanceSet> values, indices;
  std::vector<RowChoice::Row> rows;
  for (int64_t i : candidates) {
    values.push_back(operand.At(start + i));
    indices.push_back(AcceptanceSet::Integers(i, i));
    if (rows.size() <= RowChoice::kRowsMax) rows.push_back({{values.back()}, {indices.back()}});
  }
  const WideningCause cause = operand.exact() ? WideningCause::kFreedom : WideningCause::kJump;
  out.values.push_back(JoinChoices(values, cause, origin, at, out.value_choices));
  out.indices.push_back(JoinChoices(indices, cause, origin, at, out.index_choices));
  return rows;
}

// Returns the elements that each of the first k positions of a line may have.
std::vector<std::vector<int64_t>> CandidatesOf(const TopkPlaces& places, int64_t k) {
  std::vector<std::vector<int64_t>> candidates(k);
  for (size_t i = 0; i < places.first.size(); ++i) {
    const int64_t end = std::min(places.last[i], k - 1);
    for (int64_t j = places.first[i]; j <= end; ++j) {
      candidates[j].push_back(static_cast<int64_t>(i));
    }
  }
  return candidates;
}

// Adds a line that has one of two orders as a whole: zeros are either equal or ordered.
void PutTwoOrders(const SetArray& operand, int64_t start, const TopkPlaces& equal,
                  const TopkPlaces& ordered, int64_t k, uint32_t origin, TopkOutputs& out) {
  const auto one = CandidatesOf(equal, k), other = CandidatesOf(ordered, k);
  std::vector<RowChoice::Row> orders(2, RowChoice::Row(2));
  for (int64_t j = 0; j < k; ++j) {
    const auto rows = PutPlace(operand, start, {one[j][0], other[j][0]}, origin, out);
    for (size_t order = 0; order < 2; ++order) {
      for (size_t slot = 0; slot < 2; ++slot) orders[order][slot].push_back(rows[order][slot][0]);
    }
  }
  if (one != other)
    out.rows->Put(start / static_cast<int64_t>(equal.first.size()), std::move(orders));
}

bool IsFullyDetermined(const SetArray& operand, const std::vector<TopkPlaces>& lines) {
  if (!operand.exact() || operand.zero_sign_free) return false;
  return std::all_of(lines.begin(), lines.end(),
                     [](const TopkPlaces& line) { return line.first == line.last; });
}

SetValue FinishTopk(TopkOutputs out, const Shape& shape, int64_t k, uint32_t origin) {
  SetArray values = Compress(SetArray(shape.tuple_shapes()[0], std::move(out.values)));
  SetArray indices = Compress(SetArray(shape.tuple_shapes()[1], std::move(out.indices)));
  if (!values.exact()) SetChoices(std::move(out.value_choices), values);
  if (!indices.exact()) {
    SetChoices(std::move(out.index_choices), indices);
    values.joint = indices.joint = std::make_shared<DifferentIndices>(k, std::move(out.rows));
    indices.joint_slot = 1;
  }
  values.origin = indices.origin = origin;
  return SetValue::Tuple({std::move(values), std::move(indices)});
}

// Returns true if an element may be unspecified or a NaN without a position in the order.
bool HasNoOrder(const SetArray& operand) {
  if (!operand.runtime_sizes.empty()) return !operand.exact();
  if (HasUnorderedNan(operand)) return true;
  for (int64_t i = 0; !operand.exact() && i < operand.element_count(); ++i) {
    if (operand.At(i).unspecified()) return true;
  }
  return false;
}

}  // namespace

absl::StatusOr<SetValue> TopkSets(SetInterpreter& interpreter, const Instruction& instruction,
                                  const Shape& shape, absl::Span<const SetValue> operands) {
  const SetArray& operand = operands[0].array;
  Rule rule = interpreter.RuleOf(Opcode::kTopk, operand.element_type());
  uint32_t origin = interpreter.OriginOf(instruction, rule);
  if (HasNoOrder(operand)) {
    return UnspecifiedResult(interpreter, instruction, shape, WideningCause::kJump);
  }
  if (operand.element_count() == 0 || !operand.runtime_sizes.empty()) {
    return PlainResult(interpreter, instruction, shape, operands);
  }
  const bool relaxed = interpreter.profile() == Profile::kRelaxed;
  const bool largest = instruction.BoolOr(Attr::kLargest, true);
  const int64_t n = operand.shape().dimension(-1), k = shape.tuple_shapes()[0].dimension(-1);
  const auto lines_of = [&](Zeros zeros) {
    std::vector<TopkPlaces> lines;
    for (int64_t start = 0; start < operand.element_count(); start += n) {
      lines.push_back(TopkPlacesOf(
          TopkKeysOfLine(operand, start, n, rule.Allows(kSkipRounding), largest, zeros), !relaxed));
    }
    return lines;
  };
  const std::vector<TopkPlaces> lines = lines_of(Zeros::kEitherWay);
  if (IsFullyDetermined(operand, lines))
    return PlainResult(interpreter, instruction, shape, operands);
  TopkOutputs out;
  const std::vector<TopkPlaces> equal = lines_of(Zeros::kEqual);
  const std::vector<TopkPlaces> ordered = lines_of(Zeros::kOrdered);
  const bool two = IsFullyDetermined(operand, equal) && IsFullyDetermined(operand, ordered);
  if (two) out.rows = std::make_shared<RowChoice>(2, k);
  for (size_t line = 0; line < lines.size(); ++line) {
    const int64_t start = static_cast<int64_t>(line) * n;
    if (two) {
      PutTwoOrders(operand, start, equal[line], ordered[line], k, origin, out);
    } else {
      for (const auto& candidates : CandidatesOf(lines[line], k)) {
        const int64_t at = static_cast<int64_t>(out.values.size());
        out.rows->Put(at, PutPlace(operand, start, candidates, origin, out));
      }
    }
  }
  return FinishTopk(std::move(out), shape, k, origin);
}

}  // namespace hlocts::reference
