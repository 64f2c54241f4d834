// SPDX-License-Identifier: Apache-2.0
// Computes element-wise operations on exact operands by the plain evaluator. The result has sets
// only for elements for which a rule permits more than one value (subnormals, values that do not
// fit the result's type, zeros of unknown sign).
#include <cmath>
#include <cstring>

#include "reference/judge/elementwise/element_op.h"
#include "reference/judge/interpreter/handlers.h"
#include "spec/ops/groups.h"
#include "spec/ops/kinds.h"

namespace hlocts::reference {
namespace {

bool Inexact(PrimitiveType type) { return IsFloat(type) || IsComplex(type); }

// Returns true if the plain evaluator's result of a float operation is the whole set, except for
// the elements that OpenPoints returns.
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
  // maximum and minimum return an operand's zero; OpenPoints returns the elements with zeros.
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

// Finds elements of an operation on exact operands that may differ from the plain result.

std::vector<double> Reals(const Literal& literal) {
  std::vector<double> values(literal.element_count());
  switch (literal.element_type()) {
    case PrimitiveType::kF32: {
      auto data = literal.data<float>();
      for (size_t i = 0; i < values.size(); ++i) values[i] = data[i];
      break;
    }
    case PrimitiveType::kF64: {
      auto data = literal.data<double>();
      values.assign(data.begin(), data.end());
      break;
    }
    default: {
      int bytes = StorageBytes(literal.element_type());
      for (size_t i = 0; i < values.size(); ++i) {
        uint16_t bits = literal.raw_data()[i * bytes];
        if (bytes == 2) bits |= static_cast<uint16_t>(literal.raw_data()[i * 2 + 1] << 8);
        values[i] = DecodeNarrow(literal.element_type(), bits);
      }
    }
  }
  return values;
}

// The floats that convert to a value of the integer type: more than lo and less than hi.
struct OpenRange {
  double lo, hi;
};
OpenRange ConvertibleTo(PrimitiveType type) {
  if (type == PrimitiveType::kPred) return {-HUGE_VAL, HUGE_VAL};
  int bits = BitWidth(type);
  if (!IsSigned(type)) return {-1, std::ldexp(1.0, bits)};
  double limit = std::ldexp(1.0, bits - 1);
  // If no double is between -limit - 1 and -limit, set arithmetic handles -limit.
  return {bits <= 32 ? -limit - 1 : -limit, limit};
}

// Returns true if the conversion may round to f32 first, which can change the result.
bool RoundsTwice(const ElementOp& op) {
  return op.opcode == Opcode::kConvert && op.context.rule.Allows(kDoubleRounding) &&
         IsFloat(op.result_type) && BitWidth(op.result_type) <= 16 &&
         BitWidth(op.operand_type) >= 32 && op.operand_type != PrimitiveType::kF32;
}
// One byte per element, so that loops can set flags without a branch.
using Flags = std::vector<uint8_t>;
template <class T>
void FlagTwice(const Literal& from, const std::vector<double>& results, const FloatFacts& facts,
               Flags& flagged) {
  auto data = from.data<T>();
  // For bf16, rounding to f32 first matters only if the f32 is halfway between two bf16 numbers.
  const bool to_bf16 = facts.type == PrimitiveType::kBF16;
  for (size_t i = 0; i < flagged.size(); ++i) {
    float first = static_cast<float>(data[i]);
    uint32_t bits;
    std::memcpy(&bits, &first, sizeof(bits));
    if (to_bf16 && (bits & 0xffff) != 0x8000) continue;
    double single = first;
    double twice = std::isinf(single) ? single : facts.Round(single);
    if (twice != results[i] && !(twice != twice && results[i] != results[i])) flagged[i] = 1;
  }
}
void FlagRoundedTwice(const ElementOp& op, const Literal& from, const std::vector<double>& results,
                      Flags& flagged) {
  const FloatFacts& facts = FactsOf(op.result_type);
  switch (op.operand_type) {
    case PrimitiveType::kF64:
      return FlagTwice<double>(from, results, facts, flagged);
    case PrimitiveType::kS32:
      return FlagTwice<int32_t>(from, results, facts, flagged);
    case PrimitiveType::kU32:
      return FlagTwice<uint32_t>(from, results, facts, flagged);
    case PrimitiveType::kS64:
      return FlagTwice<int64_t>(from, results, facts, flagged);
    case PrimitiveType::kU64:
      return FlagTwice<uint64_t>(from, results, facts, flagged);
    default:
      flagged.assign(flagged.size(), 1);
  }
}

// Flags the elements of one operand that may be read as more than one value.
void FlagOperand(const ElementOp& op, const SetArray& operand, Flags& flagged, Flags& zeros) {
  const bool daz = op.context.rule.Allows(kFlushOperand);
  const bool free_zero = operand.zero_sign_free && (op.opcode == Opcode::kDivide || op.total_order);
  const bool free_nan = op.total_order && operand.nan_bits_free;
  const bool to_integer = op.opcode == Opcode::kConvert && !IsFloat(op.result_type);
  const OpenRange range =
      to_integer ? ConvertibleTo(op.result_type) : OpenRange{-HUGE_VAL, HUGE_VAL};
  const double least = daz ? FactsOf(operand.element_type()).min_normal : 0;
  // Has no branch, since the flagged elements are unpredictable.
  const auto flag = [=](double x) {
    const double size = std::fabs(x);
    bool open = (x != 0) & (size < least);
    open |= free_zero & (x == 0);
    open |= free_nan & (x != x);
    const bool outside = (x <= range.lo) | (x >= range.hi) | (x != x);
    return open | (to_integer & outside);
  };
  const std::vector<double> values = Reals(operand.literal());
  const bool scalar = values.size() != flagged.size();
  for (size_t i = 0; i < flagged.size(); ++i) {
    const double x = values[scalar ? 0 : i];
    flagged[i] |= static_cast<uint8_t>(flag(x));
    zeros[i] &= static_cast<uint8_t>(x == 0);
  }
}

void FlagResult(const ElementOp& op, const std::vector<double>& values, const Flags& zeros,
                Flags& flagged, bool& has_nan) {
  const double least =
      op.context.rule.Allows(kFlushResult) ? FactsOf(op.result_type).min_normal : 0;
  const bool extremum = ops::IsExtremum(op.opcode);  // either zero is permitted (ruling 0003)
  bool nan = false;
  for (size_t i = 0; i < flagged.size(); ++i) {
    const double r = values[i], size = std::fabs(r);
    const bool small = (r != 0) & (size <= least);
    nan |= r != r;
    flagged[i] |= static_cast<uint8_t>(small | (extremum & (zeros[i] != 0)));
  }
  has_nan = has_nan || nan;
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

std::vector<int64_t> OpenPoints(const ElementOp& op, absl::Span<const SetArray* const> operands,
                                const Literal& result, bool& has_nan) {
  Flags flagged(result.element_count(), 0), zeros(flagged.size(), 1);
  for (const SetArray* operand : operands) {
    if (IsFloat(operand->element_type())) FlagOperand(op, *operand, flagged, zeros);
  }
  if (IsFloat(op.result_type)) {
    const std::vector<double> values = Reals(result);
    FlagResult(op, values, zeros, flagged, has_nan);
    if (RoundsTwice(op)) FlagRoundedTwice(op, operands[0]->literal(), values, flagged);
  }
  std::vector<int64_t> indices;
  for (size_t i = 0; i < flagged.size(); ++i) {
    if (flagged[i] != 0) indices.push_back(static_cast<int64_t>(i));
  }
  return indices;
}

}  // namespace hlocts::reference
