// SPDX-License-Identifier: Apache-2.0
#include "spec/judge/complex_sets.h"

#include <algorithm>

#include "spec/judge/complex_boxes.h"
#include "spec/ops/kinds.h"

namespace hlocts {
namespace {

using Flag = AcceptanceSet::Flag;

long double Square(double x) { return static_cast<long double>(x) * x; }

// Widens the modulus by the error of computing x^2 + y^2 in the format. Lemma (lemma 24): each
// square, and the sum, loses less than the least normal number lambda if flushed, and half a
// subnormal step otherwise. The total loss is less than 2 lambda, and the sum gains less than that.
void WidenBySquares(const FloatFacts& facts, Image& image) {
  const long double lost = 2 * static_cast<long double>(facts.min_normal);
  const long double lo = Square(image.lo.value) - lost, hi = Square(image.hi.value) + lost;
  image.lo = {lo > 0 ? NextDown(static_cast<double>(std::sqrt(lo))) : 0, 0};
  image.hi = {NextUp(static_cast<double>(std::sqrt(hi))), 0};
  if (image.lo.value <= 0) image.pos_zero = true;
}

// Returns true if x^2 + y^2 may overflow once its three roundings are considered.
bool SquaresMayOverflow(double modulus, const FloatFacts& facts) {
  return Square(modulus) * (1 + std::ldexp(4.0L, -facts.p)) > facts.max;
}

Image ModulusImage(const View& re, const View& im) {
  auto least = [](const View& v) {
    return v.lo <= 0 && v.hi >= 0 ? 0.0 : std::min(std::fabs(v.lo), std::fabs(v.hi));
  };
  auto most = [](const View& v) { return std::max(std::fabs(v.lo), std::fabs(v.hi)); };
  Image image{.finite = true,
              .lo = {std::max(0.0, NextDown(std::hypot(least(re), least(im)))), 0},
              .hi = {NextUp(std::hypot(most(re), most(im))), 0}};
  if (most(re) == 0 && most(im) == 0) image.lo = image.hi = {0, 0};
  if (image.lo.value == 0) image.pos_zero = true;
  return image;
}

}  // namespace

AcceptanceSet ComplexAbs(const ComplexSet& a, const SetContext& context) {
  if (a.re.unspecified() || a.im.unspecified()) {
    return AcceptanceSet::Unspecified(WideningCause::kUnknown, context.origin);
  }
  const bool hull = context.rule.Allows(kSkipRounding);
  const View re = ReadSet(a.re, *context.operand, context.rule.permissions, hull);
  const View im = ReadSet(a.im, *context.operand, context.rule.permissions, hull);
  Image image;
  if (re.finite && im.finite) image = ModulusImage(re, im);
  image.nan = re.nan || im.nan;
  image.pos_inf = re.Infinite() || im.Infinite();
  if (image.nan && image.pos_inf) {
    return AcceptanceSet::Unspecified(WideningCause::kFreedom, context.origin);
  }
  // Outside the strict profile, formulas may use squares in the element's format (ruling 0034).
  const bool squares = context.rule.Allows(kFlushResult) && image.finite && image.hi.value > 0;
  const double modulus = image.hi.value;
  if (squares) WidenBySquares(*context.result, image);
  SetContext own = context;
  own.guard.lo = 0;
  AcceptanceSet s = StoreImage(image, own);
  if (squares && SquaresMayOverflow(modulus, *context.result)) s.flags |= Flag::kPosInf;
  return s;
}

namespace {

bool Strict(const SetContext& context) {
  return !context.rule.Allows(kFlushOperand) && !context.rule.Allows(kFlushResult);
}

// Returns the product in the strict profile if the formula yields two NaNs: these NaNs, or the
// value in C's Annex G.
ComplexSet AnnexGProduct(const ComplexSet& a, const ComplexSet& b, const ComplexSet& formula,
                         const SetContext& context) {
  Wide x, y;
  if (!Strict(context) || !OneValue(a, x) || !OneValue(b, y)) {
    return OpenSet(WideningCause::kFreedom, context);
  }
  return JoinBoxes(formula, SpecialBox(x * y, SignsFree(x, y), context));
}

// Returns the strict profile's quotient of special values: that of C's Annex G, or NaNs.
ComplexSet AnnexGQuotient(const ComplexSet& a, const ComplexSet& b, const SetContext& context) {
  Wide x, y;
  if (!Strict(context) || !OneValue(a, x) || !OneValue(b, y)) {
    return OpenSet(WideningCause::kFreedom, context);
  }
  const Wide f = x / y;
  if (Finite(x) && Finite(y) && y != Wide(0)) return OpenSet(WideningCause::kFreedom, context);
  return SpecialBox(f, SignsFree(x, f) || SignsFree(y, f) || f == Wide(0), context);
}

ComplexSet Multiply(const ComplexSet& a, const ComplexSet& b, const SetContext& context) {
  SetContext real = context;
  real.rule.rule_class = RuleClass::kCorrectlyRounded;
  // A compiler may evaluate the formula without rounding or saturating the four real products.
  real.rule.permissions |= kContract;
  auto product = [&](const AcceptanceSet& x, const AcceptanceSet& y) {
    return BinaryFloat(Opcode::kMultiply, x, y, real);
  };
  ComplexSet r = {BinaryFloat(Opcode::kSubtract, product(a.re, b.re), product(a.im, b.im), real),
                  BinaryFloat(Opcode::kAdd, product(a.re, b.im), product(a.im, b.re), real)};
  // If the naive formula yields NaN, Annex G of C may give an infinity.
  if (r.re.Has(Flag::kNan) && r.im.Has(Flag::kNan)) return AnnexGProduct(a, b, r, context);
  MarkContractible(r.re);
  MarkContractible(r.im);
  return r;
}

// Returns a number above which an underflow loses less than a quarter of a rounding error.
long double LeastWhole(const FloatFacts& facts) {
  return std::ldexp(static_cast<long double>(facts.min_normal), facts.p + 3);
}

// Returns true if the square of a modulus stays in range (lemma 24): sums of squares do not
// overflow, and flushes leave at least 15/16 of the square.
bool SquaresInRange(long double square, const SetContext& context) {
  const FloatFacts& facts = *context.result;
  return square > context.bounds->RangeOfSquares() * static_cast<long double>(facts.min_normal) &&
         square < facts.max / context.bounds->RangeOfProducts();
}

ComplexSet Divide(const ComplexSet& a, const ComplexSet& b, const SetContext& context) {
  Ball x, y;
  if (!FiniteBall(a, context, x) || !FiniteBall(b, context, y)) {
    return AnnexGQuotient(a, b, context);
  }
  long double modulus = std::abs(y.centre), square = modulus * modulus;
  const FloatFacts& facts = *context.result;
  const bool in_range = SquaresInRange(square, context);
  if (!in_range && context.rule.Allows(kFlushResult))
    return OpenSet(WideningCause::kFreedom, context);
  if (modulus == 0) return AnnexGQuotient(a, b, context);
  Wide f = x.centre / y.centre;
  if (!Finite(f)) return OpenSet(WideningCause::kFreedom, context);
  long double quotient = std::abs(f);
  long double relative = (y.re_radius + y.im_radius) / modulus;
  if (relative > 0.0625L) return OpenSet(WideningCause::kUnknown, context);
  long double tolerance = context.rule.ulps * Unit(context, quotient) +
                          (x.re_radius + x.im_radius) / modulus * 1.1L + quotient * relative * 1.1L;
  // Partial products may be flushed before a division by |y|^2 or by about |y| (lemma 24).
  if (context.rule.Allows(kFlushResult)) {
    tolerance += context.bounds->QuotientFlushes() * static_cast<long double>(facts.min_normal) *
                 std::max(1 / square, 1 / modulus) * (1 + quotient);
    if (std::abs(x.centre) * modulus > facts.max / context.bounds->RangeOfProducts())
      return OpenSet(WideningCause::kFreedom, context);
  }
  return Box(f, tolerance, context);
}

// Returns true if a factor that an engine may compute for a power, |x|^Re(y) or e^(-Im(y) arg x),
// leaves the range, or if the underflow of a square matters relative to |x|^2.
bool FactorsLeaveRange(const Wide& x, const Wide& y, const SetContext& context) {
  const FloatFacts& facts = *context.result;
  const long double modulus = std::abs(x),
                    least = context.bounds->RangeOfFactors() *
                            static_cast<long double>(facts.min_normal),
                    most = facts.max / context.bounds->RangeOfProducts();
  for (long double factor : {std::pow(modulus, y.real()), std::exp(-y.imag() * std::arg(x))}) {
    if (!(factor > least && factor < most)) return true;
  }
  return !(modulus * modulus > LeastWhole(facts) && modulus * modulus < most);
}

// Returns the ulps of e^(y log x) computed from real functions (lemma 24). `exponent` multiplies
// the error of the logarithm; `y` multiplies the error of |x|.
long double PowerUlps(const SetContext& context, long double exponent, long double y) {
  const long double own = context.rule.ulps;
  return own + (own + context.bounds->PowerOfProduct()) * (exponent + 2) +
         context.bounds->PowerOfModulus() * context.rule.backward * y;
}

// The largest relative tolerance for which the first-order bound holds.
constexpr long double kPowerMost = 0.25L;

ComplexSet Power(const ComplexSet& a, const ComplexSet& b, const SetContext& context) {
  Ball x, y;
  if (!FiniteBall(a, context, x) || !FiniteBall(b, context, y)) {
    return OpenSet(WideningCause::kFreedom, context);
  }
  bool points = x.re_radius == 0 && x.im_radius == 0 && y.re_radius == 0 && y.im_radius == 0;
  if (!points || x.centre == Wide(0)) return OpenSet(WideningCause::kFreedom, context);
  Wide exponent = y.centre * std::log(x.centre);
  Wide f = std::exp(exponent);
  if (!Finite(f)) return OpenSet(WideningCause::kFreedom, context);
  bool in_range = std::abs(f) < context.result->max;
  if (in_range && context.rule.Allows(kFlushResult) &&
      FactorsLeaveRange(x.centre, y.centre, context))
    return OpenSet(WideningCause::kFreedom, context);
  long double tolerance =
      PowerUlps(context, std::abs(exponent), std::abs(y.centre)) * Unit(context, std::abs(f));
  if (tolerance > kPowerMost * std::abs(f)) return OpenSet(WideningCause::kFreedom, context);
  ComplexSet box = Box(f, tolerance, context);
  if (x.centre.imag() != 0) return box;
  Wide below = std::exp(y.centre * std::log(std::conj(x.centre)));
  return JoinBoxes(box, Box(below, tolerance, context));
}

// The largest slack of a number near the unit circle for which the first-order bound holds.
constexpr long double kAtan2Most = 0.0625L;

// Computes -i log((x + iy) / sqrt(x^2 + y^2)) at points away from its poles (x^2 + y^2 = 0) and its
// cuts. The argument of the logarithm is near the unit circle, so an error of the argument becomes
// an absolute error of the logarithm.
ComplexSet Atan2(const ComplexSet& a, const ComplexSet& b, const SetContext& context) {
  Ball y, x;
  if (!FiniteBall(a, context, y) || !FiniteBall(b, context, x)) {
    return OpenSet(WideningCause::kFreedom, context);
  }
  bool points = y.re_radius + y.im_radius + x.re_radius + x.im_radius == 0;
  long double size = std::norm(x.centre) + std::norm(y.centre);
  const FloatFacts& facts = *context.result;
  const bool whole = !context.rule.Allows(kFlushResult) || size > LeastWhole(facts);
  if (!points || !whole || !SquaresInRange(size, context))
    return OpenSet(WideningCause::kFreedom, context);
  const Wide square = x.centre * x.centre + y.centre * y.centre, root = std::sqrt(square);
  const Wide w = (x.centre + Wide(0, 1) * y.centre) / root;
  // x^2 + y^2 magnifies the errors of its terms by `condition`, and x + iy by `cancelled`.
  const Wide sum = x.centre + Wide(0, 1) * y.centre;
  long double unit = std::ldexp(1.0L, -facts.p), condition = size / std::abs(square);
  long double cancelled = std::sqrt(size) / std::abs(sum);
  const long double ulps = context.rule.ulps, backward = context.rule.backward;
  long double slack =
      context.bounds->Atan2OfRoot() * (ulps + context.bounds->Atan2OfSquares()) * unit * condition +
      context.bounds->Atan2OfParts() * (backward + 1) * unit * cancelled;
  if (!(slack < kAtan2Most)) return OpenSet(WideningCause::kFreedom, context);
  auto near_cut = [&](const Wide& z) {
    return z.real() <= 0 && std::fabs(z.imag()) <= 4 * slack * std::abs(z);
  };
  if (near_cut(square) || near_cut(w)) return OpenSet(WideningCause::kFreedom, context);
  const Wide logarithm = std::log(w), f(logarithm.imag(), -logarithm.real());
  return Box(f, slack + context.rule.ulps * Unit(context, std::abs(f)), context);
}

}  // namespace

ComplexSet ComplexBinary(Opcode opcode, const ComplexSet& a, const ComplexSet& b,
                         const SetContext& context) {
  const std::optional<ops::ComplexBinary> operation = ops::ComplexBinaryOf(opcode);
  if (!operation.has_value()) return OpenSet(WideningCause::kUnknown, context);
  switch (*operation) {
    case ops::ComplexBinary::kAdd:
    case ops::ComplexBinary::kSubtract:
      return {BinaryFloat(opcode, a.re, b.re, context), BinaryFloat(opcode, a.im, b.im, context)};
    case ops::ComplexBinary::kMultiply:
      return Multiply(a, b, context);
    case ops::ComplexBinary::kDivide:
      return Divide(a, b, context);
    case ops::ComplexBinary::kPower:
      return Power(a, b, context);
    case ops::ComplexBinary::kAtan2:
      return Atan2(a, b, context);
    case ops::ComplexBinary::kMaximum:
      return ComplexMaximum(false, a, b, context);
    case ops::ComplexBinary::kMinimum:
      return ComplexMaximum(true, a, b, context);
  }
  HLOCTS_UNREACHABLE();
}

}  // namespace hlocts
