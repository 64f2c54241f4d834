// SPDX-License-Identifier: Apache-2.0
// Computes products of real numbers in any order (lemma 15).
#include <algorithm>
#include <cmath>

#include "reference/judge/sums/real_sum.h"
#include "reference/judge/sums/reductions.h"

namespace hlocts::reference {
namespace {

using Flag = AcceptanceSet::Flag;

// An interval of products with a separate exponent. Partial products, which are in the judge's own
// order, thus cannot overflow, and do not become a NaN when a factor may be zero.
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

struct Factors {
  ProductInterval product;
  double largest = 1, least = 1;  // bounds of partial products
  int bits = 0;
  bool points = true;
  bool is_special = false;  // an infinity, NaN or zero determines the product's class
  bool may_be_nan = false, may_be_infinite = false;  // for factors that may also be finite
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
    // A partial product may be flushed or lose all its bits. A rounding in the subnormal range at
    // most doubles it, and only factors above 1 make it normal again.
    const double most = std::max(std::fabs(lo), std::fabs(hi)) * (1 + growth);
    double bound = std::max(most, min_normal * factors.largest * (1 + growth));
    constexpr double kStepsMax = 500;
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

// A product of exact complex numbers in any order. The error of each multiplication is below 4
// units of the magnitude. A flush loses at most the least normal number times the other factors.
class ComplexProduct {
 public:
  explicit ComplexProduct(const FloatFacts& facts) : facts_(facts) {}

  // Returns false if the factor is not a pair of finite values.
  bool Multiply(const AcceptanceSet& re, const AcceptanceSet& im) {
    if (!re.IsPoint() || !im.IsPoint() || !re.finite() || !im.finite()) return false;
    long double a = re_ * re.lo - im_ * im.lo;
    im_ = re_ * im.lo + im_ * re.lo;
    re_ = a;
    double magnitude = std::hypot(re.lo, im.lo);
    magnitude_ *= magnitude;
    largest_ *= std::max(magnitude, 1.0);
    for (double x : {re.lo, im.lo}) {
      normal_ = normal_ && (x == 0 || std::fabs(x) >= facts_.min_normal);
    }
    integral_ = integral_ && re.lo == std::rint(re.lo) && im.lo == std::rint(im.lo);
    ++count_;
    return true;
  }

  void Finish(const SetContext& context, std::vector<AcceptanceSet>& sets) const {
    double unit = std::ldexp(1.0, -facts_.p);
    bool exact = (count_ <= 1 && normal_) || (integral_ && largest_ * 2 * unit <= 1);
    double relative = std::expm1(static_cast<double>(count_) *
                                 std::log1p(context.bounds->ComplexProductUnits() * unit));
    double radius = magnitude_ * relative + context.bounds->ComplexProductFlushes() *
                                                static_cast<double>(count_) * facts_.min_normal *
                                                largest_;
    if (!(largest_ * 2 * (1 + relative) < facts_.max)) {
      sets.insert(sets.end(), 2,
                  AcceptanceSet::Unspecified(WideningCause::kOverflow, context.origin));
      return;
    }
    for (long double part : {re_, im_}) {
      double middle = static_cast<double>(part), spread = exact ? 0 : NextUp(radius);
      AcceptanceSet s = AcceptanceSet::Interval(facts_.RoundDown(middle - spread),
                                                facts_.RoundUp(middle + spread));
      if (!exact) s.cause = WideningCause::kProduct;
      s.origin = context.origin;
      sets.push_back(s);
    }
  }

 private:
  const FloatFacts& facts_;
  long double re_ = 1, im_ = 0;
  double magnitude_ = 1, largest_ = 1;
  bool integral_ = true, normal_ = true;
  int64_t count_ = 0;
};

}  // namespace

AcceptanceSet FinishProduct(absl::Span<const AcceptanceSet> terms, const SetContext& context) {
  const FloatFacts& facts = *context.result;
  // Partial products may be f32, in which the least f8e8m0fnu is subnormal and may be flushed.
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

absl::StatusOr<SetArray> ComplexProducts(const ReductionOperands& r, const SetContext& context) {
  const AcceptanceSet re = r.init.At(0, 0), im = r.init.At(0, 1);
  bool identity = re.IsPoint() && im.IsPoint() && re.finite() && re.lo == 1 && IsZero(im);
  if (!identity || !r.operand.runtime_sizes.empty()) {
    return UnspecifiedResult(r.interpreter, r.instruction, r.shape, WideningCause::kUnknown).array;
  }
  const std::vector<int64_t>& sizes = r.operand.shape().dimensions();
  HLOCTS_ASSIGN_OR_RETURN(
      const ReductionTerms lists,
      TermsOf(r.instruction, sizes, sizes, r.interpreter.runner().options().memory_bytes_max));
  std::vector<AcceptanceSet> sets;
  for (const auto& terms : lists.terms) {
    ComplexProduct product(FactsOf(ComponentType(r.operand.element_type())));
    bool finite = true;
    for (int64_t i : terms) {
      finite = finite && product.Multiply(r.operand.At(i, 0), r.operand.At(i, 1));
    }
    if (finite) {
      product.Finish(context, sets);
    } else {
      sets.insert(sets.end(), 2,
                  AcceptanceSet::Unspecified(WideningCause::kFreedom, context.origin));
    }
  }
  SetArray result(r.shape, std::move(sets));
  result.origin = context.origin;
  return result;
}

}  // namespace hlocts::reference
