// SPDX-License-Identifier: Apache-2.0
// Computes element-wise operations on exact operands: takes the plain evaluator's result, and sets
// only where a rule permits more than one value (subnormals, values that do not fit the result's
// type, zeros of unknown sign).

#include "reference/judge/elementwise/element_op.h"
#include "reference/judge/interpreter/handlers.h"
#include "spec/ops/groups.h"
#include "spec/ops/kinds.h"

namespace hlocts::reference {
namespace {

bool Inexact(PrimitiveType type) { return IsFloat(type) || IsComplex(type); }

// Returns true if the plain result of a float operation is the whole set, except for the elements
// that OpenPoints returns.
bool PlainIsBase(const ElementOp& op, UnroundedUse hull) {
  const Rule& rule = op.context.rule;
  bool cr = rule.rule_class == RuleClass::kCorrectlyRounded || rule.rule_class == RuleClass::kExact;
  if (!cr || IsComplex(op.operand_type) || IsComplex(op.result_type)) return false;
  const bool converts = op.opcode == Opcode::kConvert;
  const bool wide = converts && BitWidth(op.operand_type) == 64;
  if (rule.Allows(kDropNan) || (wide && rule.Allows(kConvertTwice))) return false;
  if (Inexact(op.operand_type) && BitWidth(op.operand_type) <= 8) return false;
  if (Inexact(op.result_type) && BitWidth(op.result_type) <= 8) return false;
  if (converts) return !IsFloat(op.result_type) || hull == kHullUnused;
  const std::optional<ops::FloatArithmetic> operation = ops::FloatArithmeticOf(op.opcode);
  if (!operation.has_value()) return op.opcode == Opcode::kCompare;
  switch (*operation) {
    case ops::FloatArithmetic::kAdd:
    case ops::FloatArithmetic::kSubtract:
    case ops::FloatArithmetic::kSqrt:
      return (hull & kHullWiden) == 0;
    case ops::FloatArithmetic::kMultiply:
    case ops::FloatArithmetic::kDivide:
      return hull == kHullUnused;
    case ops::FloatArithmetic::kRemainder:
      return !rule.Allows(kLongQuotient);
    case ops::FloatArithmetic::kMaximum:
    case ops::FloatArithmetic::kMinimum:
    case ops::FloatArithmetic::kAbs:
    case ops::FloatArithmetic::kNegate:
    case ops::FloatArithmetic::kSign:
    case ops::FloatArithmetic::kFloor:
    case ops::FloatArithmetic::kCeil:
    case ops::FloatArithmetic::kRoundNearestAfz:
    case ops::FloatArithmetic::kRoundNearestEven:
    case ops::FloatArithmetic::kIsFinite:
      return true;
    case ops::FloatArithmetic::kReal:
    case ops::FloatArithmetic::kImag:
      return false;
  }
  HLOCTS_UNREACHABLE();
}

absl::StatusOr<SetValue> PlainThenPatch(SetInterpreter& interpreter, const ElementOp& op,
                                        const Shape& shape, absl::Span<const SetValue> operands,
                                        absl::Span<const SetArray* const> arrays) {
  HLOCTS_ASSIGN_OR_RETURN(Literal plain,
                          interpreter.RunElementwise(*op.instruction, shape, operands));
  bool has_nan = false;
  std::vector<int64_t> open = OpenPoints(op, arrays, plain, has_nan);
  SetArray result(plain);
  if (plain.has_runtime_sizes()) result.runtime_sizes = plain.runtime_sizes();
  result.origin = op.context.origin;
  result.nan_bits_free = has_nan;
  // maximum and minimum return one of their operands' zeros; OpenPoints returns those elements.
  result.zero_sign_free = IsFloat(op.result_type) && !ops::IsExtremum(op.opcode) &&
                          op.context.rule.Allows(kZeroSignFree);
  for (const SetArray* array : arrays) {
    if (IsFloat(op.result_type) && array->zero_sign_free) result.zero_sign_free = true;
  }
  if (open.empty()) return SetValue(std::move(result));
  std::vector<AcceptanceSet>& sets = result.mutable_sets();
  for (int64_t i : open) sets[i] = RealElement(op, arrays, i);
  return SetValue(std::move(result));
}

// Computes integer operations on exact operands: the plain result, except where it is undefined.
absl::StatusOr<SetValue> IntegersThenPatch(SetInterpreter& interpreter, const ElementOp& op,
                                           const Shape& shape, absl::Span<const SetValue> operands,
                                           absl::Span<const SetArray* const> arrays) {
  HLOCTS_ASSIGN_OR_RETURN(Literal plain,
                          interpreter.RunElementwise(*op.instruction, shape, operands));
  SetArray result(plain);
  if (plain.has_runtime_sizes()) result.runtime_sizes = plain.runtime_sizes();
  result.origin = op.context.origin;
  bool may_be_open = RowOf(op.opcode).freedom != Freedom::kNone && arrays.size() == 2;
  if (!may_be_open) return SetValue(std::move(result));
  for (int64_t i = 0; i < plain.element_count(); ++i) {
    Int128 a = arrays[0]->At(i).ilo, b = arrays[1]->At(i).ilo;
    if (!IntegerResultIsOpen(op.opcode, a, b, op.integers)) continue;
    result.mutable_sets()[i] =
        AcceptanceSet::Unspecified(WideningCause::kFreedom, op.context.origin);
  }
  return SetValue(std::move(result));
}

}  // namespace

absl::StatusOr<std::optional<SetValue>> ElementwisePoints(
    SetInterpreter& interpreter, const ElementOp& op, const Shape& shape,
    absl::Span<const SetValue> operands, absl::Span<const SetArray* const> arrays) {
  if (!Inexact(op.operand_type) && !Inexact(op.result_type)) {
    HLOCTS_ASSIGN_OR_RETURN(SetValue result,
                            IntegersThenPatch(interpreter, op, shape, operands, arrays));
    return std::optional<SetValue>(std::move(result));
  }
  if (PlainIsBase(op, op.hull)) {
    HLOCTS_ASSIGN_OR_RETURN(SetValue result,
                            PlainThenPatch(interpreter, op, shape, operands, arrays));
    return std::optional<SetValue>(std::move(result));
  }
  if (op.opcode == Opcode::kComplex) {
    HLOCTS_ASSIGN_OR_RETURN(SetValue result,
                            PlainResult(interpreter, *op.instruction, shape, operands));
    return std::optional<SetValue>(std::move(result));
  }
  return std::optional<SetValue>();
}

}  // namespace hlocts::reference
