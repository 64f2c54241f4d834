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

AcceptanceSet FinishSum(const RealSum& sum, const SumRule& rule, const SetContext& context) {
  if (sum.open) return AcceptanceSet::Unspecified(sum.cause, sum.origin);
  if (sum.nan || (sum.pos_inf && sum.neg_inf)) return AcceptanceSet::Float(std::nan(""));
  if (sum.pos_inf || sum.neg_inf) {
    AcceptanceSet s = AcceptanceSet::Float(sum.pos_inf ? HUGE_VAL : -HUGE_VAL);
    // The finite terms may overflow to the other infinity first.
    const double roundings = static_cast<double>(sum.count) * rule.factor;
    const double growth = std::expm1(roundings * std::ldexp(1.0, 1 - rule.precision));
    if (!(sum.magnitude * (1 + growth) < rule.accumulator->max)) s.flags |= Flag::kNan;
    return s;
  }
  SumParts parts;
  // Beyond the range of f64 everything is scaled down (sums.h).
  constexpr int kScale = 64;
  bool wide = sum.magnitude > 0x1p1000L;
  parts.scale = wide ? kScale : 0;
  long double factor = wide ? 0x1p-64L : 1;
  double centre = static_cast<double>(sum.centre * factor);
  auto scalar = [](long double x) {
    static const auto* const shape =
        new std::shared_ptr<const Shape>(new Shape(PrimitiveType::kF64, {}));
    Literal literal = Literal::Uninitialized(*shape);
    literal.mutable_data<double>()[0] = static_cast<double>(x);
    return literal;
  };
  Literal& to_centre = wide ? parts.scaled_centre : parts.centre;
  Literal& to_magnitude = wide ? parts.scaled_magnitude : parts.magnitude;
  to_centre = scalar(centre);
  to_magnitude = scalar(sum.magnitude * factor);
  if (wide) parts.centre = parts.magnitude = scalar(HUGE_VAL);
  long double lost = sum.centre * factor - static_cast<long double>(centre);
  long double radius = sum.radius * factor + std::fabs(lost) +
                       sum.magnitude * factor * 0x1p-62L * static_cast<long double>(sum.count);
  bool exact_centre = sum.quantum != Linear::kNoQuantum && lost == 0 &&
                      sum.magnitude <= std::ldexp(1.0, std::min(53 + sum.quantum, 1023));
  if (sum.radius > 0 || (context.result->is_f64 && !exact_centre)) {
    (wide ? parts.scaled_radius : parts.radius) = scalar(radius * (1 + 0x1p-50L));
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

namespace {

// An interval of products. The exponent is apart: neither a partial product of the judge's own
// order nor a factor that may be zero is to make an infinity or a NaN of it.
class ProductInterval {
 public:
  void Multiply(double lo, double hi) {
    const long double ends[4] = {lo_ * lo, lo_ * hi, hi_ * lo, hi_ * hi};
    lo_ = std::nextafter(*std::min_element(ends, ends + 4), -HUGE_VALL);
    hi_ = std::nextafter(*std::max_element(ends, ends + 4), HUGE_VALL);
    const int shift = std::ilogb(std::max(std::fabs(lo_), std::fabs(hi_)));
    lo_ = std::ldexp(lo_, -shift);
    hi_ = std::ldexp(hi_, -shift);
    exponent_ = std::clamp(exponent_ + shift, -kExponentMax, kExponentMax);
  }
  // Outward.
  double lo() const { return NextDown(static_cast<double>(std::ldexp(lo_, exponent_))); }
  double hi() const { return NextUp(static_cast<double>(std::ldexp(hi_, exponent_))); }

 private:
  static constexpr int kExponentMax = 1 << 24;
  long double lo_ = 1, hi_ = 1;
  int exponent_ = 0;
};

}  // namespace

// Products in any order (RULES 15).
AcceptanceSet FinishProduct(absl::Span<const AcceptanceSet> terms, const SetContext& context) {
  const FloatFacts& facts = *context.result;
  // Partial products may be of f32, where the least number of f8e8m0fnu is subnormal: it may go.
  const double min_normal = context.rule.Allows(kFlushResult) && !facts.is_f64
                                ? std::max(facts.min_normal, 0x1p-126)
                                : facts.min_normal;
  SetContext exact = context;
  exact.rule.rule_class = RuleClass::kCorrectlyRounded;
  ProductInterval product;
  double largest = 1, least = 1;
  int bits = 0;
  bool points = true;
  bool is_special = false;  // an infinity, NaN or zero decides the class of the product
  bool may_be_nan = false, may_be_infinite = false;  // some factor, besides being a number
  for (const AcceptanceSet& s : terms) {
    if (s.unspecified()) return s;
    View v =
        ReadSet(s, *context.operand, context.rule.permissions, context.rule.Allows(kSkipRounding));
    if (std::isinf(v.lo) || std::isinf(v.hi)) {
      return AcceptanceSet::Unspecified(WideningCause::kProduct, context.origin);
    }
    // A subnormal that may be read as zero decides nothing.
    const bool zero = v.Zero() && v.lo == v.hi, other = v.nan || v.Infinite();
    if (zero || (other && !v.finite)) {
      is_special = true;
      continue;
    }
    may_be_nan = may_be_nan || v.nan;
    may_be_infinite = may_be_infinite || v.Infinite();
    product.Multiply(v.lo, v.hi);
    double most = std::max(std::fabs(v.lo), std::fabs(v.hi));
    bool around_zero = v.lo <= 0 && v.hi >= 0;
    double fewest = around_zero ? 0 : std::min(std::fabs(v.lo), std::fabs(v.hi));
    largest *= std::max(most, 1.0);
    least *= std::min(fewest, 1.0);
    points = points && v.lo == v.hi;
    if (v.lo != 0) {
      const int below_first = std::ilogb(v.lo) - QuantumOf(v.lo);
      bits += below_first > 0 ? below_first + 1 : 0;  // a power of two adds none
    }
  }
  const double n = static_cast<double>(terms.size());
  const double growth =
      std::expm1(std::max(n - 1, 0.0) * std::log1p(std::ldexp(1.0, -facts.p))) * 1.01;
  // Partial products are rounded, too.
  const bool may_overflow = largest * (1 + growth) >= facts.max;
  const bool may_underflow = least * (1 - growth) < min_normal;
  if (is_special) {
    AcceptanceSet s = terms[0];
    for (size_t i = 1; i < terms.size(); ++i)
      s = BinaryFloat(Opcode::kMultiply, s, terms[i], exact);
    constexpr uint16_t kOther = Flag::kNan | Flag::kPosInf | Flag::kNegInf;
    bool zero = s.finite() && s.lo == 0 && s.hi == 0 && !(s.flags & kOther);
    bool plain = s.IsPoint() || s.Has(Flag::kNan) || zero;
    // Nothing underflows that is a zero anyway.
    if (!plain || may_overflow || (may_underflow && !zero)) {
      return AcceptanceSet::Unspecified(WideningCause::kProduct, context.origin);
    }
    return s;
  }
  if (may_be_infinite) return AcceptanceSet::Unspecified(WideningCause::kProduct, context.origin);
  const uint16_t maybe = may_be_nan ? Flag::kNan : 0;
  if (points && !may_be_nan && bits <= facts.p && largest < facts.max && least >= min_normal) {
    AcceptanceSet s = terms[0];
    for (size_t i = 1; i < terms.size(); ++i)
      s = BinaryFloat(Opcode::kMultiply, s, terms[i], exact);
    s.flags &= ~(Flag::kHull | Flag::kContractible);
    return s;
  }
  const double lo = product.lo(), hi = product.hi();
  Image image;
  image.finite = true;
  double below = lo < 0 ? lo * (1 + growth) : lo * (1 - growth);
  double above = hi < 0 ? hi * (1 - growth) : hi * (1 + growth);
  if (may_underflow) {
    // A partial product may have been flushed, or have lost all its bits. Each rounding in the
    // subnormal range doubles at most; and what was there once leaves it by factors above 1 only.
    double most = std::max(std::fabs(lo), std::fabs(hi)) * (1 + growth);
    double bound = std::max(most, min_normal * largest * (1 + growth));
    constexpr double kStepsMax = 500;  // and no underflow of this product itself
    if (n <= kStepsMax && most >= 0x1p-500)
      bound = std::min(bound, std::ldexp(most, static_cast<int>(n)));
    below = lo < 0 ? -bound : 0;
    above = hi > 0 ? bound : 0;
    image.pos_zero = image.neg_zero = true;
  }
  if (!std::isfinite(below) || !std::isfinite(above)) {
    return AcceptanceSet::Unspecified(WideningCause::kProduct, context.origin);
  }
  image.lo = {NextDown(below), 0};
  image.hi = {NextUp(above), 0};
  AcceptanceSet s = StoreImage(image, exact);
  if (may_overflow) {
    AddPartialOverflow(true, true, exact, s);
    if (!may_underflow && facts.infinity) s.flags &= ~Flag::kNan;
  }
  s.flags |= maybe;
  if (!s.IsPoint()) s.cause = WideningCause::kProduct;
  return s;
}

}  // namespace hlocts::reference
