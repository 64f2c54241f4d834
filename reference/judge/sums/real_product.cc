// SPDX-License-Identifier: Apache-2.0
// Computes products of real numbers in any order (lemma 15).
#include <algorithm>
#include <cmath>

#include "reference/judge/sums/real_sum.h"

namespace hlocts::reference {
namespace {

using Flag = AcceptanceSet::Flag;

// An interval of products with a separate exponent. Partial products in the judge's own order must
// not overflow, nor become a NaN when a factor may be zero.
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
  // The ends are rounded outward.
  double lo() const { return NextDown(static_cast<double>(std::ldexp(lo_, exponent_))); }
  double hi() const { return NextUp(static_cast<double>(std::ldexp(hi_, exponent_))); }

 private:
  static constexpr int kExponentMax = 1 << 24;
  long double lo_ = 1, hi_ = 1;
  int exponent_ = 0;
};

// The properties of the factors that bound the product.
struct Factors {
  ProductInterval product;
  double largest = 1, least = 1;  // bounds of partial products
  int bits = 0;
  bool points = true;
  bool is_special = false;  // an infinity, NaN or zero determines the product's class
  bool may_be_nan = false, may_be_infinite = false;  // for a factor that may also be a number
  bool open = false;
};

void AddFactor(const AcceptanceSet& s, const SetContext& context, Factors& factors) {
  const View v =
      ReadSet(s, *context.operand, context.rule.permissions, context.rule.Allows(kSkipRounding));
  // A subnormal that may be read as zero does not determine the product's class.
  const bool zero = v.Zero() && v.lo == v.hi, other = v.nan || v.Infinite();
  if (zero || (other && !v.finite)) {
    factors.is_special = true;
    return;
  }
  factors.open = factors.open || std::isinf(v.lo) || std::isinf(v.hi);
  if (factors.open) return;
  factors.may_be_nan = factors.may_be_nan || v.nan;
  factors.may_be_infinite = factors.may_be_infinite || v.Infinite();
  factors.product.Multiply(v.lo, v.hi);
  const double most = std::max(std::fabs(v.lo), std::fabs(v.hi));
  const bool around_zero = v.lo <= 0 && v.hi >= 0;
  const double fewest = around_zero ? 0 : std::min(std::fabs(v.lo), std::fabs(v.hi));
  factors.largest *= std::max(most, 1.0);
  factors.least *= std::min(fewest, 1.0);
  factors.points = factors.points && v.lo == v.hi;
  if (v.lo == 0) return;
  const int below_first = std::ilogb(v.lo) - QuantumOf(v.lo);
  factors.bits += below_first > 0 ? below_first + 1 : 0;  // a power of two adds no bit
}

// Multiplies the terms one after the other, correctly rounded.
AcceptanceSet InOrder(absl::Span<const AcceptanceSet> terms, const SetContext& exact) {
  AcceptanceSet s = terms[0];
  for (size_t i = 1; i < terms.size(); ++i) {
    s = BinaryFloat(Opcode::kMultiply, s, terms[i], exact);
  }
  return s;
}

struct Reach {
  double growth = 0;
  bool may_overflow = false, may_underflow = false;
};

AcceptanceSet SpecialProduct(absl::Span<const AcceptanceSet> terms, const Reach& reach,
                             const SetContext& exact) {
  const AcceptanceSet s = InOrder(terms, exact);
  constexpr uint16_t kOther = Flag::kNan | Flag::kPosInf | Flag::kNegInf;
  const bool zero = s.finite() && s.lo == 0 && s.hi == 0 && !(s.flags & kOther);
  const bool plain = s.IsPoint() || s.Has(Flag::kNan) || zero;
  // Underflow to zero is harmless if the product is a zero anyway.
  if (!plain || reach.may_overflow || (reach.may_underflow && !zero)) {
    return AcceptanceSet::Unspecified(WideningCause::kProduct, exact.origin);
  }
  return s;
}

// Computes the unrounded products of all trees. Returns false if they are not bounded.
bool ProductImage(const Factors& factors, const Reach& reach, double n, double min_normal,
                  Image& image) {
  const double lo = factors.product.lo(), hi = factors.product.hi(), growth = reach.growth;
  double below = lo < 0 ? lo * (1 + growth) : lo * (1 - growth);
  double above = hi < 0 ? hi * (1 - growth) : hi * (1 + growth);
  if (reach.may_underflow) {
    // A partial product may have been flushed or have lost all its bits. A rounding in the
    // subnormal range at most doubles it, and only factors above 1 bring it back to normal.
    const double most = std::max(std::fabs(lo), std::fabs(hi)) * (1 + growth);
    double bound = std::max(most, min_normal * factors.largest * (1 + growth));
    constexpr double kStepsMax = 500;  // nor may the product underflow
    if (n <= kStepsMax && most >= 0x1p-500) {
      bound = std::min(bound, std::ldexp(most, static_cast<int>(n)));
    }
    below = lo < 0 ? -bound : 0;
    above = hi > 0 ? bound : 0;
    image.pos_zero = image.neg_zero = true;
  }
  if (!std::isfinite(below) || !std::isfinite(above)) return false;
  image.finite = true;
  image.lo = {NextDown(below), 0};
  image.hi = {NextUp(above), 0};
  return true;
}

// Returns the effects of rounding, overflow and underflow in the partial products of n factors.
Reach ReachOf(const Factors& factors, double n, double min_normal, const FloatFacts& facts) {
  Reach reach;
  reach.growth = std::expm1(std::max(n - 1, 0.0) * std::log1p(std::ldexp(1.0, -facts.p))) * 1.01;
  reach.may_overflow = factors.largest * (1 + reach.growth) >= facts.max;
  reach.may_underflow = factors.least * (1 - reach.growth) < min_normal;
  return reach;
}

}  // namespace

AcceptanceSet FinishProduct(absl::Span<const AcceptanceSet> terms, const SetContext& context) {
  const FloatFacts& facts = *context.result;
  // Partial products may be of f32, in which the least f8e8m0fnu is subnormal and may be flushed.
  const bool flushes = context.rule.Allows(kFlushResult) && !facts.is_f64;
  const double min_normal = flushes ? std::max(facts.min_normal, 0x1p-126) : facts.min_normal;
  SetContext exact = context;
  exact.rule.rule_class = RuleClass::kCorrectlyRounded;
  const AcceptanceSet any = AcceptanceSet::Unspecified(WideningCause::kProduct, context.origin);
  Factors factors;
  for (const AcceptanceSet& s : terms) {
    if (s.unspecified()) return s;
    AddFactor(s, context, factors);
  }
  const double n = static_cast<double>(terms.size());
  const Reach reach = ReachOf(factors, n, min_normal, facts);
  if (factors.open) return any;
  if (factors.is_special) return SpecialProduct(terms, reach, exact);
  if (factors.may_be_infinite) return any;
  const bool short_enough = factors.points && !factors.may_be_nan && factors.bits <= facts.p;
  if (short_enough && factors.largest < facts.max && factors.least >= min_normal) {
    AcceptanceSet s = InOrder(terms, exact);
    s.flags &= ~(Flag::kPreRounding | Flag::kContractible);
    return s;
  }
  Image image;
  if (!ProductImage(factors, reach, n, min_normal, image)) return any;
  AcceptanceSet s = StoreImage(image, exact);
  if (reach.may_overflow) {
    AddPartialOverflow(true, true, exact, s);
    if (!reach.may_underflow && facts.infinity) s.flags &= ~Flag::kNan;
  }
  if (factors.may_be_nan) s.flags |= Flag::kNan;
  if (!s.IsPoint()) s.cause = WideningCause::kProduct;
  return s;
}

}  // namespace hlocts::reference
