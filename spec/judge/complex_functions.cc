// SPDX-License-Identifier: Apache-2.0
// Evaluates complex functions of one operand on sets: values, variation near a point, branch cuts.
#include <algorithm>

#include "spec/ir/opcode.h"
#include "spec/judge/complex_boxes.h"

namespace hlocts {
namespace {

// The way in which the slope of a function may grow with the distance from a point.
enum class Growth : uint8_t {
  kByDistance,  // by less than a quarter within an eighth of the distance to a singularity
  kEntire,      // |f''| at distance r is at most e^r (|f| + |f'|), f and f' at the point
  kQuadratic,   // f' is a quadratic polynomial of f with coefficients of at most 1
};

struct ComplexFunction {
  Opcode opcode;
  Wide (*value)(const Wide&);
  bool by_formula;  // special values follow from a formula, not from a library
  // Returns |f'(z)| given z and f(z).
  long double (*slope)(const Wide& z, const Wide& f);
  bool has_cut;                            // along an axis; the sign of a zero selects the side
  long double (*distance)(const Wide& z);  // distance to the nearest branch point, pole or jump
  Growth growth;
};

Wide ExponentialMinusOne(const Wide& z) {
  if (!Finite(z)) return std::exp(z) - 1.0L;
  long double x = z.real(), y = z.imag();
  long double s = std::sin(y / 2);
  // The real part is exp(x)cos(y) - 1 without cancellation.
  const long double imaginary = y == 0 ? y : std::exp(x) * std::sin(y);
  return {std::expm1(x) * std::cos(y) - 2 * s * s, imaginary};
}
Wide LogPlusOne(const Wide& z) {
  if (!Finite(z)) return std::log(z + 1.0L);
  long double x = z.real(), y = z.imag();
  long double m = x * x + 2 * x + y * y;
  long double re = std::fabs(m) < 0.5L ? 0.5L * std::log1p(m) : std::log(std::hypot(1 + x, y));
  return {re, std::atan2(y, 1 + x)};
}
Wide Logistic(const Wide& z) { return Wide(1) / (Wide(1) + std::exp(-z)); }
Wide Rsqrt(const Wide& z) { return Wide(1) / std::sqrt(z); }

long double FromZero(const Wide& z) { return std::abs(z); }
long double FromOnes(const Wide& z) {
  return std::min(std::abs(z - Wide(1)), std::abs(z + Wide(1)));
}
long double FromUnits(const Wide& z) {
  return std::min(std::abs(z - Wide(0, 1)), std::abs(z + Wide(0, 1)));
}
long double FromMinusOne(const Wide& z) { return std::abs(z + Wide(1)); }
constexpr long double (*FromNowhere)(const Wide& z) = nullptr;

const ComplexFunction kFunctions[] = {
#define HLOCTS_ROW(Name, value, by_formula, growth, derivative, singular)              \
  {Opcode::k##Name,                                                                    \
   value,                                                                              \
   by_formula,                                                                         \
   []([[maybe_unused]] const Wide& z, [[maybe_unused]] const Wide& f) -> long double { \
     return std::abs(derivative);                                                      \
   },                                                                                  \
   From##singular != nullptr,                                                          \
   From##singular,                                                                     \
   Growth::k##growth},
#define HLOCTS_COMPLEX_FUNCTION(Name, c_function, ...) \
  HLOCTS_ROW(                                          \
      Name, [](const Wide& z) { return std::c_function(z); }, false, __VA_ARGS__)
#define HLOCTS_COMPLEX_FORMULA(Name, ...) HLOCTS_ROW(Name, Name, true, __VA_ARGS__)
#include "spec/ops/scalar_functions.def"
#undef HLOCTS_ROW
    // `sign` has no cut. Its error is bounded by a separate rule for arithmetic.
    {Opcode::kSign, [](const Wide& z) { return z == Wide(0) ? z : z / std::abs(z); }, false,
     [](const Wide& z, const Wide&) { return z == Wide(0) ? 0 : 2 / std::abs(z); }, false, FromZero,
     Growth::kByDistance},
};

const ComplexFunction* FunctionOf(Opcode opcode) {
  for (const ComplexFunction& f : kFunctions) {
    if (f.opcode == opcode) return &f;
  }
  return nullptr;
}

// Computes a bound of |f(w) - f(z)| for |w - z| <= slack. Returns false if there is none.
bool MovedBy(const ComplexFunction& function, const Wide& z, const Wide& f, long double slack,
             long double& moved) {
  const long double slope = function.slope(z, f), modulus = std::abs(f);
  if (function.growth == Growth::kEntire) {
    moved = slack * slope + slack * slack / 2 * std::exp(slack) * (modulus + slope);
    return std::isfinite(moved);
  }
  // A slope that is a computed difference may have lost all its bits (tan far from the real axis).
  long double lost = function.growth == Growth::kQuadratic ? 0x1p-60L * (1 + modulus * modulus) : 0;
  moved = 1.25L * slack * (slope + lost);
  if (!std::isfinite(moved)) return false;
  if (function.growth == Growth::kByDistance) return slack <= 0.125L * function.distance(z);
  // f is continuous: to move further than `moved`, it would first move by a distance for which this
  // bound holds.
  return slack * (1 + 2 * modulus + moved) <= 0.2L;
}

// Computes a box for f over the operand's ball around z. Its radius is the ulps of f plus the
// variation of f over the ball enlarged by the backward slack. Returns false if no box is finite.
bool FunctionBox(const ComplexFunction& function, const Wide& z, const Ball& ball,
                 const SetContext& context, ComplexSet& box) {
  Wide f = function.value(z);
  if (!Finite(f)) return false;
  long double slack =
      context.rule.backward * (Unit(context, std::fabs(z.real()) + ball.re_radius) +
                               Unit(context, std::fabs(z.imag()) + ball.im_radius)) +
      ball.re_radius + ball.im_radius;
  long double moved = 0;
  if (slack > 0 && !MovedBy(function, z, f, slack, moved)) return false;
  box = Box(f, context.rule.ulps * Unit(context, std::abs(f) + moved) + moved, context);
  return true;
}

// Joins the boxes for subnormal components that are read as zero. At zero, the value of the
// function may be far from its values nearby (log, sign). Returns false if the value at zero is not
// finite.
bool JoinFlushed(const ComplexFunction& function, const Ball& ball, const SetContext& context,
                 ComplexSet& box) {
  const Wide z = ball.centre;
  bool re = ball.re_radius > 0 && std::fabs(z.real()) <= ball.re_radius;
  bool im = ball.im_radius > 0 && std::fabs(z.imag()) <= ball.im_radius;
  for (int zeros = 1; zeros < 4; ++zeros) {
    if (((zeros & 1) && !re) || ((zeros & 2) && !im)) continue;
    Ball flushed = ball;
    flushed.centre = Wide((zeros & 1) ? std::copysign(0.0L, z.real()) : z.real(),
                          (zeros & 2) ? std::copysign(0.0L, z.imag()) : z.imag());
    if (zeros & 1) flushed.re_radius = 0;
    if (zeros & 2) flushed.im_radius = 0;
    ComplexSet there;
    if (!FunctionBox(function, flushed.centre, flushed, context, there)) return false;
    box = JoinBoxes(box, there);
  }
  return true;
}

bool Straddles(const Ball& ball, bool real) {
  return real ? ball.re_zeros || ball.re_radius > 0 : ball.im_zeros || ball.im_radius > 0;
}

// Joins the values of `sign` as z / |z| with the modulus of `abs` (lemma 24, ruling 0034), computed
// from squares in the element's own format. If the squares overflow, z is divided by infinity, and
// both parts become zeros with the signs of the parts of z. Underflow changes |z|^2 by at most
// 2 lambda (lambda: the least normal number). If x = 2 lambda / |z|^2 is at most 1/2, the quotient
// moves by at most (1 - x)^(-1/2) - 1 <= x. Returns false if the modulus may be zero.
bool JoinModulusOfSquares(const Ball& ball, const SetContext& context, ComplexSet& box) {
  const Wide z = ball.centre;
  if (z == Wide(0) && ball.re_radius + ball.im_radius == 0) return true;
  const FloatFacts& facts = *context.result;
  const long double lost = 2 * static_cast<long double>(facts.min_normal);
  const long double least = std::hypot(std::max(std::fabs(z.real()) - ball.re_radius, 0.0L),
                                       std::max(std::fabs(z.imag()) - ball.im_radius, 0.0L));
  if (least * least < 2 * lost) return false;
  const long double moved = lost / (least * least);
  const Wide f = z / std::abs(z);
  box = JoinBoxes(box, Box(f, moved + context.rule.ulps * Unit(context, std::abs(f)), context));
  const long double most =
      std::hypot(std::fabs(z.real()) + ball.re_radius, std::fabs(z.imag()) + ball.im_radius);
  if (!(most * most * (1 + std::ldexp(4.0L, -facts.p)) > facts.max)) return true;
  for (AcceptanceSet* s : {&box.re, &box.im}) {
    AcceptanceSet joined = *s;
    if (s->hi >= 0) joined = Join(joined, AcceptanceSet::Float(0.0));
    if (s->lo <= 0) joined = Join(joined, AcceptanceSet::Float(-0.0));
    joined.cause = WideningCause::kFreedom;
    joined.origin = context.origin;
    *s = joined;
  }
  return true;
}

// Adds NaN to both parts if one may be infinite. An infinite part is a product with an infinite
// factor. The other part may be the same factor times zero, which is NaN.
void JoinOverflownFactors(ComplexSet& box, const SetContext& context) {
  constexpr uint16_t kInfinities = AcceptanceSet::kPosInf | AcceptanceSet::kNegInf;
  if (!box.re.Has(kInfinities) && !box.im.Has(kInfinities)) return;
  for (AcceptanceSet* s : {&box.re, &box.im}) {
    if (s->unspecified()) continue;
    s->flags |= AcceptanceSet::kNan;
    s->cause = WideningCause::kOverflow;
    s->origin = context.origin;
  }
}

bool IsNotStrict(const SetContext& context) {
  return context.rule.Allows(kFlushOperand) || context.rule.Allows(kFlushResult);
}

// Returns the results for an operand without a finite box. In the strict profile, infinities, NaNs
// and poles have one value (ruling 0034). No bound is known near such operands.
ComplexSet SpecialSet(const ComplexFunction& function, const ComplexSet& a,
                      const SetContext& context) {
  Wide z;
  if (IsNotStrict(context) || function.opcode == Opcode::kSign || !OneValue(a, z)) {
    return OpenSet(WideningCause::kFreedom, context);
  }
  const Wide f = function.value(z);
  // No special rule applies to a finite value of a finite operand, so the set stays open.
  if (Finite(z) && Finite(f)) return OpenSet(WideningCause::kFreedom, context);
  return SpecialBox(f, (function.by_formula && !Finite(z)) || SignsFree(z, f), context);
}

}  // namespace

ComplexSet ComplexUnary(Opcode opcode, const ComplexSet& a, const SetContext& context) {
  if (opcode == Opcode::kNegate) {
    return {UnaryFloat(opcode, a.re, context), UnaryFloat(opcode, a.im, context)};
  }
  const ComplexFunction* function = FunctionOf(opcode);
  if (function == nullptr) return OpenSet(WideningCause::kUnknown, context);
  Ball ball;
  if (!FiniteBall(a, context, ball)) return SpecialSet(*function, a, context);
  Wide z = ball.centre;
  ComplexSet box;
  if (!FunctionBox(*function, z, ball, context, box)) return SpecialSet(*function, a, context);
  if (context.rule.Allows(kFlushOperand) && !JoinFlushed(*function, ball, context, box)) {
    return OpenSet(WideningCause::kFreedom, context);
  }
  if (opcode == Opcode::kSign && context.rule.Allows(kFlushResult) &&
      !JoinModulusOfSquares(ball, context, box)) {
    return OpenSet(WideningCause::kFreedom, context);
  }
  JoinOverflownFactors(box, context);
  if (!function->has_cut) return box;
  // A zero whose sign is unknown or may be lost can be on either side of the cut.
  bool loses = context.rule.Allows(kFlushOperand);
  bool flips_im = std::fabs(z.imag()) <= ball.im_radius && (loses || Straddles(ball, false));
  bool flips_re = std::fabs(z.real()) <= ball.re_radius && (loses || Straddles(ball, true));
  for (bool real : {false, true}) {
    if (!(real ? flips_re : flips_im)) continue;
    Wide side = real ? Wide(-z.real(), z.imag()) : Wide(z.real(), -z.imag());
    ComplexSet other;
    if (!FunctionBox(*function, side, ball, context, other))
      return OpenSet(WideningCause::kFreedom, context);
    box = JoinBoxes(box, other);
  }
  return box;
}

}  // namespace hlocts
