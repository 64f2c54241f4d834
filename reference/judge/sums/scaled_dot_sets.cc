// SPDX-License-Identifier: Apache-2.0
// Computes the sets of scaled-dot (ruling 0101, lemma 33) as a dot whose factors are the operands'
// elements times their scales, rounded or not.
#include <algorithm>
#include <cmath>

#include "reference/judge/interpreter/handlers.h"
#include "reference/number_system.h"
#include "reference/ops/scaled_dot.h"
#include "spec/ir/instruction.h"

namespace hlocts::reference {
namespace {

// Returns the type that a product of element and scale may be rounded to.
PrimitiveType FactorType(PrimitiveType element, PrimitiveType scale) {
  const int a = BitWidth(element), b = BitWidth(scale);
  if (a < 16 && b < 16) return PrimitiveType::kBF16;
  if (a == b) return element == scale ? element : PrimitiveType::kF32;
  return a > b ? element : scale;
}

bool IsPowerOfTwo(double x) {
  int exponent;
  return x > 0 && std::isfinite(x) && std::frexp(x, &exponent) == 0.5;
}

// Returns all values that x * scale may be read as.
AcceptanceSet Factor(double x, double scale, const FloatFacts& type, uint32_t origin) {
  const double exact = x * scale, rounded = type.Round(exact);
  if (!std::isfinite(exact) || exact == 0) return AcceptanceSet::Float(exact);
  if (!std::isfinite(rounded)) return AcceptanceSet::Unspecified(WideningCause::kOverflow, origin);
  const bool lost = std::fma(x, scale, -exact) != 0;  // possible in f64 only
  if (rounded == exact && !lost && IsPowerOfTwo(scale)) return AcceptanceSet::Float(exact);
  // Covers engines that multiply a sum by a scale: the rounding to f32, as a share of each factor.
  const int digits = FactsOf(PrimitiveType::kF32).p;
  const double slack = IsPowerOfTwo(scale) ? 0 : std::ldexp(std::fabs(exact), -digits);
  double lo = std::min(exact, rounded) - slack, hi = std::max(exact, rounded) + slack;
  AcceptanceSet set = AcceptanceSet::Interval(NextDown(lo), NextUp(hi));
  set.cause = WideningCause::kContract;
  set.origin = origin;
  return set;
}

// Like Factor(double), for an inexact element. Products and roundings are monotone: ends suffice.
AcceptanceSet Factor(const AcceptanceSet& element, double scale, const FloatFacts& type,
                     uint32_t origin) {
  using Set = AcceptanceSet;
  const bool negative_zero = element.finite() && element.lo == 0 && element.Has(Set::kNegZero);
  if (element.IsPoint()) {
    const double x = element.finite()            ? (negative_zero ? -0.0 : element.lo)
                     : element.Has(Set::kPosInf) ? HUGE_VAL
                     : element.Has(Set::kNegInf) ? -HUGE_VAL
                                                 : std::nan("");
    return Factor(x, scale, type, origin);
  }
  if (!IsNumber(element)) return Set::Unspecified(element.cause, element.origin);
  const auto [lo, hi] = EndsRead(element);
  Set set = Join(Factor(lo, scale, type, origin), Factor(hi, scale, type, origin));
  if (lo <= 0 && hi >= 0) set = Join(set, Set::Interval(0, 0));
  set.cause = element.cause;
  set.origin = element.origin;
  return set;
}

// Returns the factors of one operand. Its scales are exact and not scalar.
SetArray Factors(const SetArray& operand, const Literal& scales, uint32_t origin) {
  const FloatFacts& type = FactsOf(FactorType(operand.element_type(), scales.element_type()));
  const Literal wide = ToSystem(scales, PrimitiveType::kF64);
  std::vector<AcceptanceSet> sets;
  sets.reserve(operand.element_count());
  for (int64_t scale : ScaleOfElements(operand.shape(), scales.shape())) {
    const auto i = static_cast<int64_t>(sets.size());
    sets.push_back(Factor(operand.At(i, 0), wide.data<double>()[scale], type, origin));
  }
  return SetArray(operand.shape().WithElementType(type.type), std::move(sets));
}

}  // namespace

absl::StatusOr<SetValue> ScaledDotSets(SetInterpreter& interpreter, const Instruction& instruction,
                                       const Shape& shape, absl::Span<const SetValue> operands) {
  const Rule rule = interpreter.RuleOf(instruction.opcode(), shape.element_type());
  const uint32_t origin = interpreter.OriginOf(instruction, rule);
  Literal one(Shape(PrimitiveType::kF64, {}));
  one.mutable_data<double>()[0] = 1;
  std::vector<SetValue> factors(4, SetValue(SetArray(one)));
  for (int i : {0, 1}) {
    const SetArray &operand = operands[i].array, &scales = operands[i + 2].array;
    const bool floats = IsFloat(operand.element_type()) && IsFloat(scales.element_type());
    const bool none = scales.shape().IsScalar();
    if (!floats || !scales.exact()) {
      return UnspecifiedResult(interpreter, instruction, shape, WideningCause::kUnknown);
    }
    if (none && ToSystem(scales.literal(), PrimitiveType::kF64).data<double>()[0] != 1) {
      return UnspecifiedResult(interpreter, instruction, shape, WideningCause::kUnknown);
    }
    factors[i] = none ? operands[i] : SetValue(Factors(operand, scales.literal(), origin));
  }
  return DotSets(interpreter, instruction, shape, factors);
}

}  // namespace hlocts::reference
