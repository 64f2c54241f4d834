// SPDX-License-Identifier: Apache-2.0
// Sets of topk (RULES 13): values exact, any index among equal values.
#include <cstring>
#include <map>

#include "reference/judge/interpreter/handlers.h"
#include "spec/ir/float_format.h"

namespace hlocts::reference {
namespace {

// A value as what ties are told by: ±0 tie where an engine does not order them.
Int128 TieKey(const AcceptanceSet& s) {
  if (s.integer()) return s.ilo;
  if (s.Has(AcceptanceSet::kBitsKnown)) {
    return (Int128{1} << 70) + static_cast<Int128>(s.nan_bits);
  }
  if (!s.finite()) return (Int128{1} << 69) + (s.Has(AcceptanceSet::kPosInf) ? 1 : 0);
  double zeroless = s.lo == 0 ? 0.0 : s.lo;
  int64_t raw;
  std::memcpy(&raw, &zeroless, sizeof(raw));
  return static_cast<Int128>(raw);
}

// A NaN whose place in the order is not known: its sign is open, or its format has but one, which
// has no place in the total order (ruling 0059).
bool HasNanOfNoPlace(const SetArray& operand) {
  const PrimitiveType type = operand.element_type();
  bool one_nan = IsFloat(type) && FormatOf(type).non_finite == NonFinite::kNegZero;
  return (operand.nan_bits_free || one_nan) && HasNan(operand);
}

}  // namespace

absl::StatusOr<SetValue> TopkSets(SetInterpreter& interpreter, const Instruction& instruction,
                                  const Shape& shape, absl::Span<const SetValue> operands) {
  const SetArray& operand = operands[0].array;
  Rule rule = interpreter.RuleOf(Opcode::kTopk, operand.element_type());
  uint32_t origin = interpreter.OriginOf(instruction, rule);
  if (!operand.exact() || HasNanOfNoPlace(operand) || operand.zero_sign_free) {
    return UnspecifiedResult(interpreter, instruction, shape, WideningCause::kJump);
  }
  HLOCTS_ASSIGN_OR_RETURN(SetValue plain, PlainResult(interpreter, instruction, shape, operands));
  SetArray values = plain.elements[0].array, indices = plain.elements[1].array;
  int64_t n = operand.shape().dimension(-1), k = values.shape().dimension(-1);
  int64_t lines = n == 0 ? 0 : operand.element_count() / n;
  for (int64_t line = 0; line < lines; ++line) {
    std::map<Int128, std::vector<int64_t>> places;
    for (int64_t i = 0; i < n; ++i) places[TieKey(operand.At(line * n + i))].push_back(i);
    for (int64_t j = 0; j < k; ++j) {
      AcceptanceSet value = values.At(line * k + j);
      const std::vector<int64_t>& tied = places[TieKey(value)];
      if (tied.size() < 2) continue;
      AcceptanceSet index = AcceptanceSet::Integers(tied.front(), tied.back());
      index.cause = WideningCause::kFreedom;
      index.origin = origin;
      indices.mutable_sets()[line * k + j] = index;
      if (!value.integer() && value.finite() && value.lo == 0) {
        AcceptanceSet& to = values.mutable_sets()[line * k + j];
        for (int64_t i : tied) to = Join(to, operand.At(line * n + i));
      }
    }
  }
  values.origin = indices.origin = origin;
  return SetValue::Tuple({Compress(std::move(values)), Compress(std::move(indices))});
}

}  // namespace hlocts::reference
