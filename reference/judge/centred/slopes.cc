// SPDX-License-Identifier: Apache-2.0
#include "reference/judge/centred/slopes.h"

#include <algorithm>
#include <cmath>

#include "spec/ir/opcode.h"

namespace hlocts::reference {
namespace {

// Exceeds the error of the f64 functions in this file, which is a few units of 2^-53.
constexpr double kSlack = 0x1p-40;
// Exceeds the loss of these functions by underflow.
constexpr double kLeastSlope = 0x1p-800;

Slope Between(double a, double b) {
  const double lo = std::min(a, b), hi = std::max(a, b);
  const double most = std::max(std::fabs(lo), std::fabs(hi));
  return {lo / 2 + hi / 2, (hi - lo) / 2 + most * kSlack + kLeastSlope, HUGE_VAL};
}

bool Finite(const Slope& slope) {
  return std::isfinite(slope.middle) && std::isfinite(slope.radius);
}

// Bounds a derivative that is monotone on the box.
bool Monotone(const Box& box, double (*derivative)(double), Slope& slope) {
  slope = Between(derivative(box.lo), derivative(box.hi));
  return Finite(slope);
}

// Bounds a derivative that decreases with |x| from its maximum at zero.
bool BoundUnimodalSlope(const Box& box, double (*derivative)(double), Slope& slope) {
  const double a = derivative(box.lo), b = derivative(box.hi);
  const bool top = box.lo <= 0 && box.hi >= 0;
  slope = Between(std::min(a, b), top ? derivative(0) : std::max(a, b));
  return Finite(slope);
}

// Bounds sin or cos on the box by the midpoint's value and the radius: |derivative| is at most 1.
Slope BoundSinCosSlope(const Box& box, double (*wave)(double)) {
  const double middle = box.lo / 2 + box.hi / 2, radius = (box.hi - box.lo) / 2;
  const double value = wave(middle);
  const double slack = radius + kSlack * (1 + std::fabs(middle));
  return Between(std::max(-1.0, value - slack), std::min(1.0, value + slack));
}

double Exp(double x) { return std::exp(x); }
double Inverse(double x) { return 1 / x; }
double InverseOfOneMore(double x) { return 1 / (1 + x); }
double TanhSlope(double x) {
  const double c = std::cosh(std::min(std::fabs(x), 300.0));
  return 1 / (c * c);
}
double LogisticOf(double x) { return 1 / (1 + std::exp(-x)); }
double LogisticSlope(double x) {
  const double e = std::exp(-std::fabs(x));
  return e / ((1 + e) * (1 + e));
}
double RootSlope(double x) { return 0.5 / std::sqrt(x); }
double InverseRoot(double x) { return 1 / std::sqrt(x); }
double InverseRootSlope(double x) { return -0.5 / (x * std::sqrt(x)); }
double CubeRootSlope(double x) {
  const double root = std::cbrt(x);
  return 1 / (3 * root * root);
}
double ErfSlope(double x) { return 2 / std::sqrt(M_PI) * std::exp(-x * x); }
double TanSlope(double x) {
  const double t = std::tan(x);
  return 1 + t * t;
}

bool AddSlopes(const Box*, Slope* s) { return s[0] = s[1] = {1, 0}, true; }
bool SubtractSlopes(const Box*, Slope* s) { return s[0] = {1, 0}, s[1] = {-1, 0}, true; }

// Uses x y - a b = (y + b)/2 (x - a) + (x + a)/2 (y - b); a and b are the reference values.
bool MultiplySlopes(const Box* x, Slope* s) {
  for (int k = 0; k < 2; ++k) {
    const Box& other = x[1 - k];
    s[k] = Between(other.lo / 2 + other.at / 2, other.hi / 2 + other.at / 2);
    s[k].apart = other.spread / 2;
  }
  return Finite(s[0]) && Finite(s[1]);
}

// Uses x/y - a/b = 1/y (x - a) - a/(b y) (y - b); a and b are the reference values.
bool DivideSlopes(const Box* x, Slope* s) {
  if (x[1].lo <= 0 && x[1].hi >= 0) return false;
  s[0] = Between(1 / x[1].lo, 1 / x[1].hi);
  const double quotient = -x[0].at / x[1].at;
  s[1] = Between(quotient / x[1].lo, quotient / x[1].hi);
  // The difference of two inverses is the difference of the divisors divided by their product.
  const double least = std::min(std::fabs(x[1].lo), std::fabs(x[1].hi));
  s[0].apart = x[1].spread / least / least * (1 + kSlack);
  s[1].apart = std::fabs(quotient) * s[0].apart * (1 + kSlack);
  return Finite(s[0]) && Finite(s[1]);
}

// The partial derivatives are y x^(y-1) and x^y log x for x > 0: products of monotone factors.
bool PowerSlopes(const Box* x, Slope* s) {
  if (!(x[0].lo > 0)) return false;
  double lo[2] = {HUGE_VAL, HUGE_VAL}, hi[2] = {-HUGE_VAL, -HUGE_VAL};
  double least = HUGE_VAL, most = 0;
  for (double y : {x[1].lo, x[1].hi}) {
    for (double base : {x[0].lo, x[0].hi}) {
      const double without = std::pow(base, y - 1), power = std::pow(base, y);
      for (double factor : {x[1].lo, x[1].hi}) {
        lo[0] = std::min(lo[0], factor * without);
        hi[0] = std::max(hi[0], factor * without);
      }
      least = std::min(least, power);
      most = std::max(most, power);
    }
  }
  for (double power : {least, most}) {
    for (double base : {x[0].lo, x[0].hi}) {
      lo[1] = std::min(lo[1], power * std::log(base));
      hi[1] = std::max(hi[1], power * std::log(base));
    }
  }
  for (int k = 0; k < 2; ++k) s[k] = Between(lo[k], hi[k]);
  return Finite(s[0]) && Finite(s[1]);
}

bool AbsSlopes(const Box* x, Slope* s) {
  s[0] = x->lo >= 0 ? Slope{1, 0} : x->hi <= 0 ? Slope{-1, 0} : Slope{0, 1};
  return true;
}

// Slopes of maximum and minimum are between 0 and 1, whichever operand is selected (lemma 43).
bool MaximumSlopes(const Box* x, Slope* s) { return SelectionSlopes(true, {x, 2}, {s, 2}), true; }
bool MinimumSlopes(const Box* x, Slope* s) { return SelectionSlopes(false, {x, 2}, {s, 2}), true; }
// Slopes of min(max(low, x), high). If low > high, the relaxed profile permits low, too (lemma 27).
bool ClampSlopes(const Box* x, Slope* s) {
  if (!(x[0].hi <= x[2].lo)) return false;
  Box inner[2] = {x[0], x[1]}, outer[2];
  Slope first[2], second[2];
  SelectionSlopes(true, inner, first);
  outer[0] = {std::max(x[0].lo, x[1].lo), std::max(x[0].hi, x[1].hi), std::max(x[0].at, x[1].at)};
  outer[1] = x[2];
  SelectionSlopes(false, outer, second);
  for (int k = 0; k < 2; ++k) {
    const bool both = second[0].radius == 0 && first[k].radius == 0;
    const double product = second[0].middle * first[k].middle;
    s[k] = both                                      ? Slope{product, 0}
           : first[k].IsZero() || second[0].IsZero() ? Slope{}
                                                     : Slope{0.5, 0.5};
  }
  s[2] = second[1];
  return true;
}

constexpr SlopeRow kRows[] = {
    {Opcode::kAdd, 2, [](const double* x) { return x[0] + x[1]; }, AddSlopes},
    {Opcode::kSubtract, 2, [](const double* x) { return x[0] - x[1]; }, SubtractSlopes},
    {Opcode::kMultiply, 2, [](const double* x) { return x[0] * x[1]; }, MultiplySlopes},
    {Opcode::kDivide, 2, [](const double* x) { return x[0] / x[1]; }, DivideSlopes},
    {Opcode::kPower, 2, [](const double* x) { return std::pow(x[0], x[1]); }, PowerSlopes},
    {Opcode::kMaximum, 2, [](const double* x) { return std::max(x[0], x[1]); }, MaximumSlopes},
    {Opcode::kMinimum, 2, [](const double* x) { return std::min(x[0], x[1]); }, MinimumSlopes},
    {Opcode::kClamp, 3, [](const double* x) { return std::min(std::max(x[0], x[1]), x[2]); },
     ClampSlopes},
    {Opcode::kNegate, 1, [](const double* x) { return -x[0]; },
     [](const Box*, Slope* s) {
       return s[0] = {-1, 0}, true;
     }},
    {Opcode::kAbs, 1, [](const double* x) { return std::fabs(x[0]); }, AbsSlopes},
    {Opcode::kConvert, 1, [](const double* x) { return x[0]; },
     [](const Box*, Slope* s) {
       return s[0] = {1, 0}, true;
     }},
    {Opcode::kExponential, 1, [](const double* x) { return std::exp(x[0]); },
     [](const Box* x, Slope* s) { return Monotone(*x, Exp, *s); }},
    {Opcode::kExponentialMinusOne, 1, [](const double* x) { return std::expm1(x[0]); },
     [](const Box* x, Slope* s) { return Monotone(*x, Exp, *s); }},
    {Opcode::kLog, 1, [](const double* x) { return std::log(x[0]); },
     [](const Box* x, Slope* s) { return x->lo > 0 && Monotone(*x, Inverse, *s); }},
    {Opcode::kLogPlusOne, 1, [](const double* x) { return std::log1p(x[0]); },
     [](const Box* x, Slope* s) { return x->lo > -1 && Monotone(*x, InverseOfOneMore, *s); }},
    {Opcode::kTanh, 1, [](const double* x) { return std::tanh(x[0]); },
     [](const Box* x, Slope* s) { return BoundUnimodalSlope(*x, TanhSlope, *s); }},
    {Opcode::kLogistic, 1, [](const double* x) { return LogisticOf(x[0]); },
     [](const Box* x, Slope* s) { return BoundUnimodalSlope(*x, LogisticSlope, *s); }},
    {Opcode::kErf, 1, [](const double* x) { return std::erf(x[0]); },
     [](const Box* x, Slope* s) { return BoundUnimodalSlope(*x, ErfSlope, *s); }},
    {Opcode::kSqrt, 1, [](const double* x) { return std::sqrt(x[0]); },
     [](const Box* x, Slope* s) { return x->lo > 0 && Monotone(*x, RootSlope, *s); }},
    {Opcode::kRsqrt, 1, [](const double* x) { return InverseRoot(x[0]); },
     [](const Box* x, Slope* s) { return x->lo > 0 && Monotone(*x, InverseRootSlope, *s); }},
    {Opcode::kCbrt, 1, [](const double* x) { return std::cbrt(x[0]); },
     [](const Box* x, Slope* s) {
       return (x->lo > 0 || x->hi < 0) && Monotone(*x, CubeRootSlope, *s);
     }},
    {Opcode::kSine, 1, [](const double* x) { return std::sin(x[0]); },
     [](const Box* x, Slope* s) {
       return s[0] = BoundSinCosSlope(*x, [](double y) { return std::cos(y); }), Finite(s[0]);
     }},
    {Opcode::kCosine, 1, [](const double* x) { return std::cos(x[0]); },
     [](const Box* x, Slope* s) {
       return s[0] = BoundSinCosSlope(*x, [](double y) { return -std::sin(y); }), Finite(s[0]);
     }},
    {Opcode::kTan, 1, [](const double* x) { return std::tan(x[0]); },
     [](const Box* x, Slope* s) {
       return x->lo > -1.5 && x->hi < 1.5 &&
              BoundUnimodalSlope(
                  *x, [](double y) { return -TanSlope(y); }, *s) &&
              (s->middle = -s->middle, true);
     }},
};

}  // namespace

const SlopeRow* SlopeRowOf(Opcode opcode) {
  for (const SlopeRow& row : kRows) {
    if (row.opcode == opcode) return &row;
  }
  return nullptr;
}

void SelectionSlopes(bool largest, absl::Span<const Box> boxes, absl::Span<Slope> slopes) {
  const double sign = largest ? 1 : -1;
  double surely = -HUGE_VAL;
  for (const Box& box : boxes) surely = std::max(surely, std::min(sign * box.lo, sign * box.hi));
  int candidates = 0;
  auto may_be = [&](const Box& box) { return std::max(sign * box.lo, sign * box.hi) >= surely; };
  for (const Box& box : boxes) candidates += may_be(box);
  for (size_t k = 0; k < boxes.size(); ++k) {
    slopes[k] = !may_be(boxes[k]) ? Slope{} : candidates == 1 ? Slope{1, 0} : Slope{0.5, 0.5};
  }
}

}  // namespace hlocts::reference
