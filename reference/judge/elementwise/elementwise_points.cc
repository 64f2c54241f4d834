// SPDX-License-Identifier: Apache-2.0
// Element-wise operations on points: the plain evaluator's result, and sets only where a rule
// leaves more than one value (subnormals, what does not fit the result's type, zeros of free sign).
#include <algorithm>
#include <cmath>
#include <cstring>

#include "reference/judge/elementwise/element_op.h"
#include "reference/judge/interpreter/handlers.h"
#include "spec/ops/groups.h"
#include "spec/ops/kinds.h"

namespace hlocts::reference {
namespace {

bool Inexact(PrimitiveType type) { return IsFloat(type) || IsComplex(type); }

// The elements of a float literal as doubles.
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

// Whether the plain result of a float operation can stand for the set at all (but for single
// elements that NeedsSet names).
bool PlainIsBase(const ElementOp& op, HullUse hull) {
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

bool Subnormal(double x, const FloatFacts& facts) {
  return x != 0 && std::fabs(x) < facts.min_normal;
}

// The values a float may have to become an integer of the type: more than lo, less than hi.
struct OpenRange {
  double lo, hi;
};
OpenRange ConvertibleTo(PrimitiveType type) {
  if (type == PrimitiveType::kPred) return {-HUGE_VAL, HUGE_VAL};
  int bits = BitWidth(type);
  if (!IsSigned(type)) return {-1, std::ldexp(1.0, bits)};
  double limit = std::ldexp(1.0, bits - 1);
  // Where no double lies between -limit - 1 and -limit, the latter is left to the slow path.
  return {bits <= 32 ? -limit - 1 : -limit, limit};
}

// Whether a conversion that may round to f32 first can give another value so.
bool RoundsTwice(const ElementOp& op) {
  return op.opcode == Opcode::kConvert && op.context.rule.Allows(kDoubleRounding) &&
         IsFloat(op.result_type) && BitWidth(op.result_type) <= 16 &&
         BitWidth(op.operand_type) >= 32 && op.operand_type != PrimitiveType::kF32;
}
template <class T>
void FlagTwice(const Literal& from, const std::vector<double>& results, const FloatFacts& facts,
               std::vector<bool>& flagged) {
  auto data = from.data<T>();
  // A first rounding decides the second only where it ends halfway between two values.
  const bool to_bf16 = facts.type == PrimitiveType::kBF16;
  for (size_t i = 0; i < flagged.size(); ++i) {
    float first = static_cast<float>(data[i]);
    uint32_t bits;
    std::memcpy(&bits, &first, sizeof(bits));
    if (to_bf16 && (bits & 0xffff) != 0x8000) continue;
    double single = first;
    double twice = std::isinf(single) ? single : facts.Round(single);
    if (twice != results[i] && !(twice != twice && results[i] != results[i])) flagged[i] = true;
  }
}
void FlagRoundedTwice(const ElementOp& op, const Literal& from, const std::vector<double>& results,
                      std::vector<bool>& flagged) {
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
      flagged.assign(flagged.size(), true);
  }
}

// A first look at f32 operands and results, without a branch: false where NeedsSet would name no
// element. May be true for nothing.
struct F32Scan {
  bool subnormal = false, small = false, zero = false, nan = false;
};
F32Scan Scan(const Literal& literal) {
  const uint32_t* bits = reinterpret_cast<const uint32_t*>(literal.raw_data());
  int64_t count = literal.element_count();
  uint32_t subnormal = 0, small = 0, zero = 0, nan = 0;
  for (int64_t i = 0; i < count; ++i) {
    uint32_t magnitude = bits[i] & 0x7fffffffu;
    subnormal |= magnitude - 1 < 0x7fffffu;
    small |= magnitude - 1 < 0x800000u;
    zero |= magnitude == 0;
    nan |= magnitude > 0x7f800000u;
  }
  return {subnormal != 0, small != 0, zero != 0, nan != 0};
}
// Every f32 becomes an integer of the type, and none is subnormal (they all become 0 anyway but for
// pred).
bool AllConvert(const Literal& literal, PrimitiveType to) {
  if (to == PrimitiveType::kPred) return false;
  OpenRange range = ConvertibleTo(to);
  // In f32: the nearest ends inside.
  float lo = static_cast<float>(range.lo), hi = static_cast<float>(range.hi);
  if (lo < range.lo) lo = std::nextafter(lo, 0.0f);
  const float* data = literal.data<float>().data();
  int64_t count = literal.element_count();
  int inside = 1;
  for (int64_t i = 0; i < count; ++i) inside &= (data[i] > lo) & (data[i] < hi);
  return inside != 0;
}
// An integer that f32 does not hold, and whose f32 lies halfway between two values of bf16.
template <class T>
bool SomeEndHalfway(const Literal& from) {
  auto data = from.data<T>();
  uint32_t some = 0;
  for (size_t i = 0; i < data.size(); ++i) {
    float first = static_cast<float>(data[i]);
    uint32_t bits;
    std::memcpy(&bits, &first, sizeof(bits));
    some |=
        ((bits & 0xffff) == 0x8000) & (static_cast<double>(first) != static_cast<double>(data[i]));
  }
  return some != 0;
}
// Integers become numbers that no flush concerns.
bool IntegersConvert(const ElementOp& op, const Literal& from) {
  if (op.opcode != Opcode::kConvert || !IsInteger(op.operand_type)) return false;
  if (op.result_type == PrimitiveType::kF32 || op.result_type == PrimitiveType::kF64) return true;
  if (op.result_type != PrimitiveType::kBF16) return false;
  if (op.operand_type == PrimitiveType::kS32) return !SomeEndHalfway<int32_t>(from);
  return op.operand_type == PrimitiveType::kU32 && !SomeEndHalfway<uint32_t>(from);
}
bool NothingOpen(const ElementOp& op, absl::Span<const SetArray* const> operands,
                 const Literal& result, bool& has_nan) {
  if (IntegersConvert(op, operands[0]->literal())) return true;
  bool daz = op.context.rule.Allows(kFlushOperand), ftz = op.context.rule.Allows(kFlushResult);
  bool zeros = ops::IsExtremum(op.opcode);
  const bool converts = op.opcode == Opcode::kConvert;
  if (converts && op.operand_type == PrimitiveType::kF32 && !IsFloat(op.result_type)) {
    return AllConvert(operands[0]->literal(), op.result_type);
  }
  for (const SetArray* operand : operands) {
    if (operand->element_type() != PrimitiveType::kF32 || converts || operand->zero_sign_free ||
        op.total_order) {
      return false;
    }
    F32Scan scan = Scan(operand->literal());
    if (daz && scan.subnormal) return false;
    zeros = zeros && scan.zero;
  }
  if (zeros) return false;
  if (!IsFloat(op.result_type)) return true;
  if (op.result_type != PrimitiveType::kF32) return false;
  F32Scan scan = Scan(result);
  has_nan = scan.nan;
  return !(ftz && scan.small);
}

// Marks the elements of one operand that are read in more than one way.
void FlagOperand(const ElementOp& op, const SetArray& operand, std::vector<bool>& flagged,
                 std::vector<bool>& zeros) {
  const FloatFacts& facts = FactsOf(operand.element_type());
  bool daz = op.context.rule.Allows(kFlushOperand);
  bool free_zero = operand.zero_sign_free && (op.opcode == Opcode::kDivide || op.total_order);
  bool to_integer = op.opcode == Opcode::kConvert && !IsFloat(op.result_type);
  OpenRange range = to_integer ? ConvertibleTo(op.result_type) : OpenRange{0, 0};
  std::vector<double> values = Reals(operand.literal());
  bool scalar = values.size() != flagged.size();
  for (size_t i = 0; i < flagged.size(); ++i) {
    double x = values[scalar ? 0 : i];
    if ((daz && Subnormal(x, facts)) || (free_zero && x == 0) ||
        (op.total_order && operand.nan_bits_free && std::isnan(x)) ||
        (to_integer && !(x > range.lo && x < range.hi))) {
      flagged[i] = true;
    }
    if (x != 0) zeros[i] = false;
  }
}

// Elements whose plain result is not the whole set: subnormal operands and results, zeros of free
// sign where the sign matters, conversions out of range or rounded twice.
std::vector<int64_t> NeedsSet(const ElementOp& op, absl::Span<const SetArray* const> operands,
                              const Literal& result, bool& has_nan) {
  if (NothingOpen(op, operands, result, has_nan)) return {};
  std::vector<bool> flagged(result.element_count(), false), zeros(flagged.size(), true);
  bool ftz = op.context.rule.Allows(kFlushResult);
  for (const SetArray* operand : operands) {
    if (IsFloat(operand->element_type())) FlagOperand(op, *operand, flagged, zeros);
  }
  if (IsFloat(op.result_type)) {
    const FloatFacts& facts = FactsOf(op.result_type);
    std::vector<double> values = Reals(result);
    for (size_t i = 0; i < flagged.size(); ++i) {
      double r = values[i];
      if (std::isnan(r)) has_nan = true;
      if (ftz && r != 0 && std::fabs(r) <= facts.min_normal) flagged[i] = true;
      if (ops::IsExtremum(op.opcode) && zeros[i]) flagged[i] = true;  // either one (ruling 0003)
    }
    if (RoundsTwice(op)) FlagRoundedTwice(op, operands[0]->literal(), values, flagged);
  }
  std::vector<int64_t> indices;
  for (size_t i = 0; i < flagged.size(); ++i) {
    if (flagged[i]) indices.push_back(static_cast<int64_t>(i));
  }
  return indices;
}

absl::StatusOr<SetValue> PlainThenPatch(SetInterpreter& interpreter, const ElementOp& op,
                                        const Shape& shape, absl::Span<const SetValue> operands,
                                        absl::Span<const SetArray* const> arrays) {
  HLOCTS_ASSIGN_OR_RETURN(Literal plain,
                          interpreter.RunElementwise(*op.instruction, shape, operands));
  bool has_nan = false;
  std::vector<int64_t> open = NeedsSet(op, arrays, plain, has_nan);
  SetArray result(plain);
  if (plain.has_runtime_sizes()) result.runtime_sizes = plain.runtime_sizes();
  result.origin = op.context.origin;
  result.nan_bits_free = has_nan;
  // Of a selection's zeros it is one of those that were there: NeedsSet names them.
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

// Integer operations on points: the plain result but where the documents leave it open.
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
