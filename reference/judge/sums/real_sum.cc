// SPDX-License-Identifier: Apache-2.0
#include "reference/judge/sums/real_sum.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace hlocts::reference {
namespace {

using Flag = AcceptanceSet::Flag;

}  // namespace

int QuantumOf(double x) {
  uint64_t bits;
  std::memcpy(&bits, &x, sizeof(bits));
  int exponent = ExponentOf(x);
  uint64_t mantissa = bits & ((uint64_t{1} << 52) - 1);
  if (exponent == -1023) {
    exponent = -1022;
  } else {
    mantissa |= uint64_t{1} << 52;
  }
  return exponent - 52 + __builtin_ctzll(mantissa);
}

void AddTerm(const AcceptanceSet& s, const SetContext& context, RealSum& sum) {
  ++sum.count;
  if (s.cause != WideningCause::kPoint) {
    sum.cause = s.cause;
    sum.origin = s.origin;
  }
  if (s.unspecified()) {
    sum.open = true;
    return;
  }
  bool hull = context.rule.Allows(kSkipRounding) ||
              (context.rule.Allows(kContract) && s.Has(Flag::kContractible));
  View v = ReadSet(s, *context.operand, context.rule.permissions, hull);
  int classes = v.nan + v.pos_inf + v.neg_inf;
  if (classes > 1 || (classes == 1 && v.finite) || std::isinf(v.lo) || std::isinf(v.hi)) {
    sum.open = true;
    return;
  }
  sum.nan = sum.nan || v.nan;
  sum.pos_inf = sum.pos_inf || v.pos_inf;
  sum.neg_inf = sum.neg_inf || v.neg_inf;
  if (!v.finite) return;
  double middle = v.lo == v.hi ? v.lo : v.lo / 2 + v.hi / 2;
  double radius = v.lo == v.hi ? 0 : NextUp(std::max(v.hi - middle, middle - v.lo));
  sum.centre += middle;
  sum.magnitude += static_cast<long double>(std::fabs(middle)) + radius;
  sum.radius += radius;
  if (radius > 0) {
    sum.quantum = Linear::kNoQuantum;
  } else if (middle != 0) {
    sum.quantum = std::min(sum.quantum, QuantumOf(middle));
  }
}

namespace {

AcceptanceSet InfiniteSum(const RealSum& sum, const SumRule& rule) {
  AcceptanceSet s = AcceptanceSet::Float(sum.pos_inf ? HUGE_VAL : -HUGE_VAL);
  // The finite terms may first overflow to the other infinity; the sum is then a NaN.
  const double roundings = static_cast<double>(sum.count) * rule.factor;
  const double growth = std::expm1(roundings * std::ldexp(1.0, 1 - rule.precision));
  if (!(sum.magnitude * (1 + growth) < rule.accumulator->max)) s.flags |= Flag::kNan;
  return s;
}

Literal ScalarOf(long double x) {
  static const auto* const shape =
      new std::shared_ptr<const Shape>(new Shape(PrimitiveType::kF64, {}));
  Literal literal = Literal::Uninitialized(*shape);
  literal.mutable_data<double>()[0] = static_cast<double>(x);
  return literal;
}

}  // namespace

AcceptanceSet FinishSum(const RealSum& sum, const SumRule& rule, const SetContext& context) {
  if (sum.open) return AcceptanceSet::Unspecified(sum.cause, sum.origin);
  if (sum.nan || (sum.pos_inf && sum.neg_inf)) return AcceptanceSet::Float(std::nan(""));
  if (sum.pos_inf || sum.neg_inf) return InfiniteSum(sum, rule);
  SumParts parts;
  // If the sum leaves the range of f64, all parts are scaled down (sums.h).
  constexpr int kScale = 64;
  bool wide = sum.magnitude > 0x1p1000L;
  parts.scale = wide ? kScale : 0;
  long double factor = wide ? 0x1p-64L : 1;
  double centre = static_cast<double>(sum.centre * factor);
  Literal& to_centre = wide ? parts.scaled_centre : parts.centre;
  Literal& to_magnitude = wide ? parts.scaled_magnitude : parts.magnitude;
  to_centre = ScalarOf(centre);
  to_magnitude = ScalarOf(sum.magnitude * factor);
  if (wide) parts.centre = parts.magnitude = ScalarOf(HUGE_VAL);
  long double lost = sum.centre * factor - static_cast<long double>(centre);
  long double radius = sum.radius * factor + std::fabs(lost) +
                       sum.magnitude * factor * 0x1p-62L * static_cast<long double>(sum.count);
  bool exact_centre = sum.quantum != Linear::kNoQuantum && lost == 0 &&
                      sum.magnitude <= std::ldexp(1.0, std::min(53 + sum.quantum, 1023));
  if (sum.radius > 0 || (context.result->is_f64 && !exact_centre)) {
    (wide ? parts.scaled_radius : parts.radius) = ScalarOf(radius * (1 + 0x1p-50L));
    parts.has_radius = true;
  }
  parts.count = static_cast<double>(sum.count);
  parts.quantum = sum.quantum;
  parts.cause = sum.cause;
  parts.origin = sum.origin;
  AcceptanceSet s = BoundSums(parts, rule, context)[0];
  if (sum.count == 1 && s.finite() && s.lo == 0 && s.hi == 0) s.cause = WideningCause::kZeroSign;
  return s;
}

}  // namespace hlocts::reference
