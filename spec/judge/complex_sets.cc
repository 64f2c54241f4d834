#include "spec/judge/complex_sets.h"

#include <algorithm>
#include <complex>

namespace hlocts {
namespace {

using Flag = AcceptanceSet::Flag;
using Wide = std::complex<long double>;

ComplexSet OpenSet(Term term, const SetContext& context) {
  AcceptanceSet s = AcceptanceSet::Unspecified(term, context.origin);
  return {s, s};
}

// A component as a finite centre and radius; false if it may be anything else.
struct Ball {
  Wide centre = 0;
  long double re_radius = 0, im_radius = 0;
  bool re_zeros = false, im_zeros = false;  // a zero of either sign
};
bool FiniteBall(const ComplexSet& z, const SetContext& context, Ball& ball) {
  uint32_t permissions = context.rule.permissions;
  View re = ReadSet(z.re, *context.operand, permissions, false);
  View im = ReadSet(z.im, *context.operand, permissions, false);
  if (z.re.unspecified() || z.im.unspecified()) return false;
  if (re.nan || im.nan || re.Infinite() || im.Infinite() || !re.finite || !im.finite) return false;
  long double x = (re.lo == re.hi) ? (re.neg_zero ? -0.0L : re.lo)
                                   : (static_cast<long double>(re.lo) + re.hi) / 2;
  long double y = (im.lo == im.hi) ? (im.neg_zero ? -0.0L : im.lo)
                                   : (static_cast<long double>(im.lo) + im.hi) / 2;
  ball.centre = Wide(x, y);
  ball.re_radius = (static_cast<long double>(re.hi) - re.lo) / 2;
  ball.im_radius = (static_cast<long double>(im.hi) - im.lo) / 2;
  ball.re_zeros = re.pos_zero && re.neg_zero;
  ball.im_zeros = im.pos_zero && im.neg_zero;
  return true;
}

// How the slope of a function grows away from a point.
enum class Growth : uint8_t {
  kByDistance,  // by less than a quarter within an eighth of the distance of what is singular
  kEntire,      // |f''| grows by no more than e^r over a distance r from |f| + |f'|
  kQuadratic,   // f' is a quadratic of f with coefficients of at most 1
};

struct ComplexFunction {
  Opcode opcode;
  Wide (*value)(const Wide&);
  // |f'(z)| given z and f(z).
  long double (*slope)(const Wide& z, const Wide& f);
  bool has_cut;  // on an axis: a zero's sign decides the side
  long double (*distance)(const Wide& z) = nullptr;  // of the nearest branch point, pole or jump
  Growth growth = Growth::kByDistance;
};

Wide Expm1(const Wide& z) {
  long double x = z.real(), y = z.imag();
  long double s = std::sin(y / 2);
  // exp(x)cos(y) - 1 without cancellation.
  return {std::expm1(x) * std::cos(y) - 2 * s * s, std::exp(x) * std::sin(y)};
}
Wide Log1p(const Wide& z) {
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

long double SlopeOfOne(const Wide& d) { return std::abs(d); }
const ComplexFunction kFunctions[] = {
    {Opcode::kExponential, [](const Wide& z) { return std::exp(z); },
     [](const Wide&, const Wide& f) { return std::abs(f); }, false, nullptr, Growth::kEntire},
    {Opcode::kExponentialMinusOne, Expm1,
     [](const Wide&, const Wide& f) { return std::abs(f + Wide(1)); }, false, nullptr, Growth::kEntire},
    {Opcode::kLog, [](const Wide& z) { return std::log(z); },
     [](const Wide& z, const Wide&) { return 1 / std::abs(z); }, true, FromZero},
    {Opcode::kLogPlusOne, Log1p,
     [](const Wide& z, const Wide&) { return 1 / std::abs(Wide(1) + z); }, true, FromMinusOne},
    {Opcode::kLogistic, Logistic,
     [](const Wide&, const Wide& f) { return SlopeOfOne(f * (Wide(1) - f)); }, false, nullptr, Growth::kQuadratic},
    {Opcode::kTanh, [](const Wide& z) { return std::tanh(z); },
     [](const Wide&, const Wide& f) { return SlopeOfOne(Wide(1) - f * f); }, false, nullptr, Growth::kQuadratic},
    {Opcode::kTan, [](const Wide& z) { return std::tan(z); },
     [](const Wide&, const Wide& f) { return SlopeOfOne(Wide(1) + f * f); }, false, nullptr, Growth::kQuadratic},
    {Opcode::kSine, [](const Wide& z) { return std::sin(z); },
     [](const Wide& z, const Wide&) { return std::abs(std::cos(z)); }, false, nullptr, Growth::kEntire},
    {Opcode::kCosine, [](const Wide& z) { return std::cos(z); },
     [](const Wide& z, const Wide&) { return std::abs(std::sin(z)); }, false, nullptr, Growth::kEntire},
    {Opcode::kSqrt, [](const Wide& z) { return std::sqrt(z); },
     [](const Wide&, const Wide& f) { return 0.5L / std::abs(f); }, true, FromZero},
    {Opcode::kRsqrt, Rsqrt,
     [](const Wide& z, const Wide& f) { return 0.5L * std::abs(f) / std::abs(z); }, true, FromZero},
    {Opcode::kSinh, [](const Wide& z) { return std::sinh(z); },
     [](const Wide& z, const Wide&) { return std::abs(std::cosh(z)); }, false, nullptr, Growth::kEntire},
    {Opcode::kCosh, [](const Wide& z) { return std::cosh(z); },
     [](const Wide& z, const Wide&) { return std::abs(std::sinh(z)); }, false, nullptr, Growth::kEntire},
    {Opcode::kAsin, [](const Wide& z) { return std::asin(z); },
     [](const Wide& z, const Wide&) { return 1 / std::abs(std::sqrt(Wide(1) - z * z)); }, true, FromOnes},
    {Opcode::kAcos, [](const Wide& z) { return std::acos(z); },
     [](const Wide& z, const Wide&) { return 1 / std::abs(std::sqrt(Wide(1) - z * z)); }, true, FromOnes},
    {Opcode::kAsinh, [](const Wide& z) { return std::asinh(z); },
     [](const Wide& z, const Wide&) { return 1 / std::abs(std::sqrt(Wide(1) + z * z)); }, true, FromUnits},
    {Opcode::kAcosh, [](const Wide& z) { return std::acosh(z); },
     [](const Wide& z, const Wide&) { return 1 / std::abs(std::sqrt(z * z - Wide(1))); }, true, FromOnes},
    {Opcode::kAtanh, [](const Wide& z) { return std::atanh(z); },
     [](const Wide& z, const Wide&) { return 1 / std::abs(Wide(1) - z * z); }, true, FromOnes},
    {Opcode::kSign, [](const Wide& z) { return z == Wide(0) ? z : z / std::abs(z); },
     [](const Wide& z, const Wide&) { return z == Wide(0) ? 0 : 2 / std::abs(z); }, false, FromZero},
};

const ComplexFunction* FunctionOf(Opcode opcode) {
  for (const ComplexFunction& f : kFunctions) {
    if (f.opcode == opcode) return &f;
  }
  return nullptr;
}

// The context of one component of a box: rounding the box's ends is all that is left to do.
SetContext ComponentContext(const SetContext& context) {
  SetContext component = context;
  component.rule.rule_class = RuleClass::kCorrectlyRounded;
  if (context.rule.Allows(kFlushResult)) component.rule.permissions |= kZeroSignFree;
  return component;
}

AcceptanceSet BoxSide(long double centre, long double radius, const SetContext& context) {
  const FloatFacts& facts = *context.result;
  Image image;
  image.finite = true;
  image.lo = {NextDown(static_cast<double>(centre - radius)), 0};
  image.hi = {NextUp(static_cast<double>(centre + radius)), 0};
  if (radius == 0 && static_cast<double>(centre) == centre) {
    image.lo = image.hi = {static_cast<double>(centre), 0};
  }
  if (std::fabs(centre) + radius > facts.max) {  // overflow: infinity or the largest value
    AcceptanceSet s = StoreImage(image, ComponentContext(context));
    if (context.rule.Allows(kFlushResult)) {
      s = Join(s, AcceptanceSet::Float(centre > 0 ? facts.max : -facts.max));
    }
    return s;
  }
  if (image.lo.value <= 0 && image.hi.value >= 0) image.pos_zero = image.neg_zero = true;
  return StoreImage(image, ComponentContext(context));
}

ComplexSet Box(const Wide& f, long double tolerance, const SetContext& context) {
  ComplexSet box = {BoxSide(f.real(), tolerance, context), BoxSide(f.imag(), tolerance, context)};
  for (AcceptanceSet* s : {&box.re, &box.im}) {
    s->origin = context.origin;
    if (s->finite() && s->lo != s->hi) s->term = Term::kUlps;
  }
  return box;
}

bool Finite(const Wide& z) { return std::isfinite(z.real()) && std::isfinite(z.imag()); }

long double Unit(const SetContext& context, long double x) {
  const FloatFacts& facts = *context.result;
  int exponent = x == 0 ? facts.emin : std::max(std::ilogb(x), facts.emin);  // also beyond f64's
  return std::ldexp(1.0L, exponent - facts.p + 1);
}

ComplexSet JoinBoxes(const ComplexSet& a, const ComplexSet& b) {
  return {Join(a.re, b.re), Join(a.im, b.im)};
}

// How far f moves from f(z) within `slack` of z; false if nothing bounds it.
bool MovedBy(const ComplexFunction& function, const Wide& z, const Wide& f, long double slack,
             long double& moved) {
  const long double slope = function.slope(z, f), modulus = std::abs(f);
  if (function.growth == Growth::kEntire) {
    moved = slack * slope + slack * slack / 2 * std::exp(slack) * (modulus + slope);
    return std::isfinite(moved);
  }
  // A slope that is a difference may have lost all its bits (tan far from the real axis).
  long double lost = function.growth == Growth::kQuadratic ? 0x1p-60L * (1 + modulus * modulus) : 0;
  moved = 1.25L * slack * (slope + lost);
  if (!std::isfinite(moved)) return false;
  if (function.growth == Growth::kByDistance) return slack <= 0.125L * function.distance(z);
  // Were f to move further, it would have had to pass a place where it does not.
  return slack * (1 + 2 * modulus + moved) <= 0.2L;
}

// f over a small box round the centre: its value, its ulps, the backward slack, the operand's
// width.
bool FunctionBox(const ComplexFunction& function, const Wide& z, const Ball& ball,
                 const SetContext& context, ComplexSet& box) {
  Wide f = function.value(z);
  if (!Finite(f)) return false;
  long double slack = context.rule.backward * (Unit(context, std::fabs(z.real()) + ball.re_radius) +
                                               Unit(context, std::fabs(z.imag()) + ball.im_radius)) +
                      ball.re_radius + ball.im_radius;
  long double moved = 0;
  if (slack > 0 && !MovedBy(function, z, f, slack, moved)) return false;
  box = Box(f, context.rule.ulps * Unit(context, std::abs(f) + moved) + moved, context);
  return true;
}

// A subnormal component may be read as zero, where the function may be far from its value beside it
// (log, sign). False where it has no finite value there.
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

// sign is z / |z|, and |z| may leave the range although z does not: divided by an infinity both
// parts are zeros of their signs (ruling 0034).
void JoinOverflownModulus(const Ball& ball, const SetContext& context, ComplexSet& box) {
  long double modulus = std::hypot(std::fabs(ball.centre.real()) + ball.re_radius,
                                   std::fabs(ball.centre.imag()) + ball.im_radius);
  const FloatFacts& facts = *context.result;
  long double most = facts.max - 16 * static_cast<long double>(facts.Ulp(facts.max));
  if (!(modulus > most)) return;
  for (AcceptanceSet* s : {&box.re, &box.im}) {
    AcceptanceSet joined = *s;
    if (s->hi >= 0) joined = Join(joined, AcceptanceSet::Float(0.0));
    if (s->lo <= 0) joined = Join(joined, AcceptanceSet::Float(-0.0));
    joined.term = Term::kFreedom;
    joined.origin = context.origin;
    *s = joined;
  }
}

// A part beyond the range is a product of factors one of which may be an infinity, and the other part
// then one of it and of a zero.
void JoinOverflownFactors(ComplexSet& box, const SetContext& context) {
  constexpr uint16_t kInfinities = AcceptanceSet::kPosInf | AcceptanceSet::kNegInf;
  if (!box.re.Has(kInfinities) && !box.im.Has(kInfinities)) return;
  for (AcceptanceSet* s : {&box.re, &box.im}) {
    if (s->unspecified()) continue;
    s->flags |= AcceptanceSet::kNan;
    s->term = Term::kOverflow;
    s->origin = context.origin;
  }
}

}  // namespace

ComplexSet ComplexUnary(Opcode opcode, const ComplexSet& a, const SetContext& context) {
  if (opcode == Opcode::kNegate) {
    return {UnaryFloat(opcode, a.re, context), UnaryFloat(opcode, a.im, context)};
  }
  const ComplexFunction* function = FunctionOf(opcode);
  if (function == nullptr) return OpenSet(Term::kUnknown, context);
  Ball ball;
  // Infinities and NaNs: Annex G or the naive formula, a freedom.
  if (!FiniteBall(a, context, ball)) return OpenSet(Term::kFreedom, context);
  Wide z = ball.centre;
  ComplexSet box;
  if (!FunctionBox(*function, z, ball, context, box)) return OpenSet(Term::kFreedom, context);
  if (context.rule.Allows(kFlushOperand) && !JoinFlushed(*function, ball, context, box)) {
    return OpenSet(Term::kFreedom, context);
  }
  if (opcode == Opcode::kSign && context.rule.Allows(kFlushResult)) {
    JoinOverflownModulus(ball, context, box);
  }
  JoinOverflownFactors(box, context);
  if (!function->has_cut) return box;
  // A zero of unknown sign, or whose sign an engine may lose, lies on both sides of the cut.
  bool loses = context.rule.Allows(kFlushOperand);
  bool flips_im = std::fabs(z.imag()) <= ball.im_radius && (loses || Straddles(ball, false));
  bool flips_re = std::fabs(z.real()) <= ball.re_radius && (loses || Straddles(ball, true));
  for (bool real : {false, true}) {
    if (!(real ? flips_re : flips_im)) continue;
    Wide side = real ? Wide(-z.real(), z.imag()) : Wide(z.real(), -z.imag());
    ComplexSet other;
    if (!FunctionBox(*function, side, ball, context, other))
      return OpenSet(Term::kFreedom, context);
    box = JoinBoxes(box, other);
  }
  return box;
}

AcceptanceSet ComplexAbs(const ComplexSet& a, const SetContext& context) {
  if (a.re.unspecified() || a.im.unspecified()) {
    return AcceptanceSet::Unspecified(Term::kUnknown, context.origin);
  }
  View re = ReadSet(a.re, *context.operand, context.rule.permissions, false);
  View im = ReadSet(a.im, *context.operand, context.rule.permissions, false);
  Image image;
  image.nan = re.nan || im.nan;
  image.pos_inf = re.Infinite() || im.Infinite();
  if (image.nan || image.pos_inf) {
    if (image.nan && image.pos_inf)
      return AcceptanceSet::Unspecified(Term::kFreedom, context.origin);
  }
  if (re.finite && im.finite) {
    auto least = [](const View& v) {
      return v.lo <= 0 && v.hi >= 0 ? 0.0 : std::min(std::fabs(v.lo), std::fabs(v.hi));
    };
    auto most = [](const View& v) { return std::max(std::fabs(v.lo), std::fabs(v.hi)); };
    image.finite = true;
    image.lo = {std::max(0.0, NextDown(std::hypot(least(re), least(im)))), 0};
    image.hi = {NextUp(std::hypot(most(re), most(im))), 0};
    if (most(re) == 0 && most(im) == 0) image.lo = image.hi = {0, 0};
    if (image.lo.value == 0) image.pos_zero = true;
  }
  SetContext own = context;
  own.guard.lo = 0;
  AcceptanceSet s = StoreImage(image, own);
  // Squares may overflow or underflow in a naive formula.
  if (context.rule.Allows(kFlushResult) && image.finite) {
    double x = image.hi.value;
    if (x * x > context.result->max && !context.result->is_f64) s.flags |= Flag::kPosInf;
    if (x * x < context.result->min_normal) s = Join(s, AcceptanceSet::Float(0.0));
  }
  return s;
}

namespace {

ComplexSet Multiply(const ComplexSet& a, const ComplexSet& b, const SetContext& context) {
  SetContext real = context;
  real.rule.rule_class = RuleClass::kCorrectlyRounded;
  // The four products are one expression to a compiler: none need be rounded, nor need it stop at
  // the largest value.
  real.rule.permissions |= kContract;
  auto product = [&](const AcceptanceSet& x, const AcceptanceSet& y) {
    return BinaryFloat(Opcode::kMultiply, x, y, real);
  };
  ComplexSet r = {BinaryFloat(Opcode::kSubtract, product(a.re, b.re), product(a.im, b.im), real),
                  BinaryFloat(Opcode::kAdd, product(a.re, b.im), product(a.im, b.re), real)};
  // Where the naive formula gives NaN, Annex G may give an infinity.
  if (r.re.Has(Flag::kNan) && r.im.Has(Flag::kNan)) return OpenSet(Term::kFreedom, context);
  for (AcceptanceSet* s : {&r.re, &r.im}) {
    if (s->Has(Flag::kHull)) s->flags |= Flag::kContractible;
  }
  return r;
}

ComplexSet Divide(const ComplexSet& a, const ComplexSet& b, const SetContext& context) {
  Ball x, y;
  if (!FiniteBall(a, context, x) || !FiniteBall(b, context, y)) {
    return OpenSet(Term::kFreedom, context);
  }
  long double modulus = std::abs(y.centre), square = modulus * modulus;
  const FloatFacts& facts = *context.result;
  bool in_range =
      square > 16 * static_cast<long double>(facts.min_normal) && square < facts.max / 4;
  if (!in_range && context.rule.Allows(kFlushResult)) return OpenSet(Term::kFreedom, context);
  if (modulus == 0) return OpenSet(Term::kFreedom, context);
  Wide f = x.centre / y.centre;
  if (!Finite(f)) return OpenSet(Term::kFreedom, context);
  long double quotient = std::abs(f);
  long double relative = (y.re_radius + y.im_radius) / modulus;
  if (relative > 0.0625L) return OpenSet(Term::kUnknown, context);
  long double tolerance = context.rule.ulps * Unit(context, quotient) +
                          (x.re_radius + x.im_radius) / modulus * 1.1L + quotient * relative * 1.1L;
  // Partial products may be flushed.
  if (context.rule.Allows(kFlushResult)) {
    tolerance += 4 * static_cast<long double>(facts.min_normal) / square * (1 + quotient);
    if (std::abs(x.centre) * modulus > facts.max / 4) return OpenSet(Term::kFreedom, context);
  }
  return Box(f, tolerance, context);
}

ComplexSet Power(const ComplexSet& a, const ComplexSet& b, const SetContext& context) {
  Ball x, y;
  if (!FiniteBall(a, context, x) || !FiniteBall(b, context, y)) {
    return OpenSet(Term::kFreedom, context);
  }
  bool points = x.re_radius == 0 && x.im_radius == 0 && y.re_radius == 0 && y.im_radius == 0;
  if (!points || x.centre == Wide(0)) return OpenSet(Term::kFreedom, context);
  Wide exponent = y.centre * std::log(x.centre);
  Wide f = std::exp(exponent);
  if (!Finite(f)) return OpenSet(Term::kFreedom, context);
  long double ulps = std::max<long double>(context.rule.ulps, 4) + 8 * (std::abs(exponent) + 2);
  long double tolerance = ulps * Unit(context, std::abs(f));
  if (tolerance > 0.25L * std::abs(f)) return OpenSet(Term::kFreedom, context);
  ComplexSet box = Box(f, tolerance, context);
  if (x.centre.imag() != 0) return box;
  Wide below = std::exp(y.centre * std::log(std::conj(x.centre)));
  return JoinBoxes(box, Box(below, tolerance, context));
}

// -i log((x + iy) / sqrt(x^2 + y^2)) on points away from its poles, where x^2 + y^2 is 0, and from
// its cuts. The logarithm is of a number near the unit circle: its error is absolute.
ComplexSet Atan2(const ComplexSet& a, const ComplexSet& b, const SetContext& context) {
  Ball y, x;
  if (!FiniteBall(a, context, y) || !FiniteBall(b, context, x)) {
    return OpenSet(Term::kFreedom, context);
  }
  bool points = y.re_radius + y.im_radius + x.re_radius + x.im_radius == 0;
  long double size = std::norm(x.centre) + std::norm(y.centre);
  const FloatFacts& facts = *context.result;
  bool in_range = size > 16 * static_cast<long double>(facts.min_normal) && size < facts.max / 4;
  if (!points || !in_range) return OpenSet(Term::kFreedom, context);
  const Wide square = x.centre * x.centre + y.centre * y.centre, root = std::sqrt(square);
  const Wide w = (x.centre + Wide(0, 1) * y.centre) / root;
  // How much the sums x^2 + y^2 and x + iy magnify the errors of their terms.
  const Wide sum = x.centre + Wide(0, 1) * y.centre;
  long double unit = std::ldexp(1.0L, -facts.p), condition = size / std::abs(square);
  long double cancelled = std::sqrt(size) / std::abs(sum);
  long double slack = (context.rule.ulps + 4) * unit * condition +
                      (2 * context.rule.backward + 2) * unit * cancelled;
  if (!(slack < 0.0625L)) return OpenSet(Term::kFreedom, context);
  auto near_cut = [&](const Wide& z) {
    return z.real() <= 0 && std::fabs(z.imag()) <= 4 * slack * std::abs(z);
  };
  if (near_cut(square) || near_cut(w)) return OpenSet(Term::kFreedom, context);
  const Wide logarithm = std::log(w), f(logarithm.imag(), -logarithm.real());
  return Box(f, slack + context.rule.ulps * Unit(context, std::abs(f)), context);
}

}  // namespace

ComplexSet ComplexBinary(Opcode opcode, const ComplexSet& a, const ComplexSet& b,
                         const SetContext& context) {
  switch (opcode) {
    case Opcode::kAdd:
    case Opcode::kSubtract:
      return {BinaryFloat(opcode, a.re, b.re, context), BinaryFloat(opcode, a.im, b.im, context)};
    case Opcode::kMultiply:
      return Multiply(a, b, context);
    case Opcode::kDivide:
      return Divide(a, b, context);
    case Opcode::kPower:
      return Power(a, b, context);
    case Opcode::kAtan2:
      return Atan2(a, b, context);
    case Opcode::kMaximum:
    case Opcode::kMinimum:
      return ComplexMaximum(opcode == Opcode::kMinimum, a, b, context);
    default:
      return OpenSet(Term::kUnknown, context);
  }
}

namespace {

bool MayBe(absl::string_view direction, const AcceptanceSet& a, const AcceptanceSet& b,
           const SetContext& context) {
  return CompareFloat(direction, false, a, b, context).ihi == 1;
}
bool MayBeNan(const ComplexSet& z) {
  return z.re.Has(Flag::kNan) || z.im.Has(Flag::kNan);
}
// An operand as a selection returns it: its subnormal parts may have been flushed.
ComplexSet Selected(const ComplexSet& z, const SetContext& context) {
  if (!context.rule.Allows(kFlushOperand)) return z;
  return {WithFlushes(z.re, *context.operand), WithFlushes(z.im, *context.operand)};
}

}  // namespace

ComplexSet ComplexMaximum(bool minimum, const ComplexSet& a, const ComplexSet& b,
                          const SetContext& context) {
  for (const AcceptanceSet* s : {&a.re, &a.im, &b.re, &b.im}) {
    if (s->unspecified()) return OpenSet(Term::kUnknown, context);
  }
  // Ruling 0060: by the real part; of equal real parts, and beside a NaN, either operand.
  auto may_lead = [&](const ComplexSet& x, const ComplexSet& y) {
    return MayBe(minimum ? "LT" : "GT", x.re, y.re, context) || MayBe("EQ", x.re, y.re, context);
  };
  bool nan = MayBeNan(a) || MayBeNan(b);
  bool first = nan || may_lead(a, b), second = nan || may_lead(b, a);
  if (first && second) return JoinBoxes(Selected(a, context), Selected(b, context));
  return Selected(first ? a : b, context);
}

ComplexSet ComplexClamp(const ComplexSet& min, const ComplexSet& operand, const ComplexSet& max,
                        const SetContext& context) {
  ComplexSet lower = ComplexMaximum(false, min, operand, context);
  ComplexSet s = ComplexMaximum(true, lower, max, context);
  if (!context.rule.Allows(kClampEither) || s.re.unspecified()) return s;
  bool wrong_way = MayBe("GT", min.re, max.re, context) ||
                   (MayBe("EQ", min.re, max.re, context) && MayBe("GT", min.im, max.im, context));
  if (!wrong_way) return s;
  return JoinBoxes(s, JoinBoxes(Selected(min, context), Selected(max, context)));
}

AcceptanceSet ComplexCompare(absl::string_view direction, const ComplexSet& a, const ComplexSet& b,
                             const SetContext& context) {
  AcceptanceSet re = CompareFloat("EQ", false, a.re, b.re, context);
  AcceptanceSet im = CompareFloat("EQ", false, a.im, b.im, context);
  AcceptanceSet s = AcceptanceSet::Integers(std::min(re.ilo, im.ilo), std::min(re.ihi, im.ihi));
  if (direction == "NE") s = AcceptanceSet::Integers(1 - s.ihi, 1 - s.ilo);
  s.origin = context.origin;
  if (s.ilo != s.ihi) s.term = Term::kJump;
  return s;
}

}  // namespace hlocts
