// SPDX-License-Identifier: Apache-2.0
// Complex functions that are composed of other functions: powers, exp(z) - 1, log(1 + z), and
// inverse functions by Kahan's formulas.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_COMPLEX_FUNCTIONS_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_COMPLEX_FUNCTIONS_H_

#include "backends/engine/cuda/device/complex.h"

namespace hl {

HL_FN Complex OneMinus(Complex z) { return {1 - z.re, -z.im}; }
HL_FN Complex OnePlus(Complex z) { return {1 + z.re, z.im}; }
// Return the parts of conj(x) * y.
HL_FN double RealOfConjugated(Complex x, Complex y) { return x.re * y.re + x.im * y.im; }
HL_FN double ImagOfConjugated(Complex x, Complex y) { return x.re * y.im - x.im * y.re; }

HL_FN bool IsHuge(Complex z) { return ::fabs(z.re) > 1e150 || ::fabs(z.im) > 1e150; }
HL_FN bool IsInf(Complex z) { return IsInf(z.re) || IsInf(z.im); }
constexpr double kLog2 = 0.693147180559945309417232121458;

HL_FN Complex ComplexAsin(Complex z) {
  if (IsHuge(z) && !IsNan(z)) {
    return {Atan2(z.re, ::fabs(z.im)), ::copysign(LogAbs(z.re, z.im) + kLog2, z.im)};
  }
  const Complex s1 = ComplexSqrt(OneMinus(z)), s2 = ComplexSqrt(OnePlus(z));
  return {Atan2(z.re, s1.re * s2.re - s1.im * s2.im), Asinh(ImagOfConjugated(s1, s2))};
}
HL_FN Complex ComplexAcos(Complex z) {
  if (IsNan(z) && IsInf(z)) return {NotANumber(), -::copysign(Infinity(), z.im)};
  if (IsHuge(z) && !IsNan(z)) {
    return {Atan2(::fabs(z.im), z.re), -::copysign(LogAbs(z.re, z.im) + kLog2, z.im)};
  }
  const Complex s1 = ComplexSqrt(OneMinus(z)), s2 = ComplexSqrt(OnePlus(z));
  return {2 * Atan2(s1.re, s2.re), Asinh(ImagOfConjugated(s2, s1))};
}
HL_FN Complex ComplexAcosh(Complex z) {
  if (IsNan(z) && IsInf(z)) return {Infinity(), NotANumber()};
  if (IsHuge(z) && !IsNan(z)) {
    return {LogAbs(z.re, z.im) + kLog2, Atan2(z.im, z.re)};
  }
  const Complex s1 = ComplexSqrt({z.re - 1, z.im}), s2 = ComplexSqrt({z.re + 1, z.im});
  return {Asinh(RealOfConjugated(s1, s2)), 2 * Atan2(s1.im, s2.re)};
}
HL_FN Complex ComplexAtanh(Complex z) {
  const double x = z.re, y = z.im;
  if (IsNan(x) && !IsInf(y)) return {x, x};
  if (IsNan(y)) return {IsInf(x) || x == 0 ? ::copysign(0.0, x) : y, y};
  if (IsHuge(z)) {
    const Complex inverse = IsFinite(z) ? Ratio({1, 0}, z) : Complex{0, 0};
    return {::copysign(::fabs(inverse.re), x), ::copysign(1.57079632679489661923, y)};
  }
  const double below = 1 - ::fabs(x), square = y * y;
  const double size = LogPlusOne(4 * ::fabs(x) / (below * below + square)) / 4;
  return {::copysign(size, x), Atan2(2 * y, below * (1 + ::fabs(x)) - square) / 2};
}

// For z = a + ib, the real part is expm1(a) cos b - 2 sin^2(b/2): no cancellation near zero.
HL_FN Complex ComplexExpMinusOne(Complex z) {
  if (!IsFinite(z)) return Difference(ComplexExp(z), {1, 0});
  if (z.im == 0) return {ExponentialMinusOne(z.re), z.im};
  // e^a may overflow here. 1 is negligible compared with e^a times the smallest |cos b|.
  if (z.re > 700) return ComplexExp(z);
  const double half = Sine(z.im / 2);
  return {ExponentialMinusOne(z.re) * Cosine(z.im) - 2 * half * half, ComplexExp(z).im};
}
// For z = a + ib with small a and b, log |1+z| is log1p(a(2+a) + b^2) / 2.
HL_FN Complex ComplexLogPlusOne(Complex z) {
  const double a = z.re, b = z.im, angle = Atan2(b, 1 + a);
  if (!(::fabs(a) < 0.5) || !(::fabs(b) < 0.5)) return {LogAbs(1 + a, b), angle};
  const double product = a * (2 + a), lost = ::fma(a, a, 2 * a - product);
  const double square = b * b, error = ::fma(b, b, -square);
  const double more = product + square;
  const double rest =
      ::fabs(product) > square ? (product - more) + square : (square - more) + product;
  return {LogPlusOne(more + (rest + (lost + error))) / 2, angle};
}

HL_FN Complex ComplexLogistic(Complex z) {
  const Complex e = ComplexExp(z.re >= 0 ? Complex{-z.re, -z.im} : z);
  return Ratio(z.re >= 0 ? Complex{1, 0} : e, Sum({1, 0}, e));
}
HL_FN Complex ComplexRsqrt(Complex z) {
  if (z.re == 0 && z.im == 0) return {Infinity(), NotANumber()};
  if (IsInf(z.re) || IsInf(z.im)) return {0, IsNan(z) ? 0 : ::copysign(0.0, -z.im)};
  return Ratio({1, 0}, ComplexSqrt(z));
}
HL_FN Complex ComplexPower(Complex x, Complex y) {
  if (y.re == 0 && y.im == 0) return {1, 0};
  if (x.re == 0 && x.im == 0) {
    return y.re > 0 ? Complex{0, 0} : Complex{NotANumber(), NotANumber()};
  }
  if (x.im == 0 && y.im == 0 && x.re > 0) return {Power(x.re, y.re), 0};
  if (y.re == 1 && y.im == 0) return x;
  return ComplexExp(Product(y, ComplexLog(x)));
}
// Returns -i log((x + iy) / sqrt(x^2 + y^2)).
HL_FN Complex ComplexAtan2(Complex y, Complex x) {
  const Complex norm = ComplexSqrt(Sum(Product(x, x), Product(y, y)));
  return OverI(ComplexLog(Ratio(Sum(x, TimesI(y)), norm)));
}
HL_FN Complex ComplexSign(Complex z) {
  if (z.re == 0 && z.im == 0) return z;
  // Numbers near the limits of the range are scaled: their magnitude overflows or has few digits.
  const double most = Larger(::fabs(z.re), ::fabs(z.im));
  const int shift = most > 1e300 ? -4 : most < 1e-290 ? 120 : 0;
  const double a = ::ldexp(z.re, shift), b = ::ldexp(z.im, shift), size = Hypot(a, b);
  return {a / size, b / size};
}

HL_CALL Complex ComplexUnary(int op, Complex z) {
  switch (op) {
#define HLOCTS_COMPLEX_TIMES_I(Name, Other) \
  case kOp##Name:                           \
    return OverI(Complex##Other(TimesI(z)));
#include "spec/ops/scalar_functions.def"
    case kOpNegate:
      return {-z.re, -z.im};
    case kOpSign:
      return ComplexSign(z);
    case kOpSqrt:
      return ComplexSqrt(z);
    case kOpRsqrt:
      return ComplexRsqrt(z);
    case kOpExponential:
      return ComplexExp(z);
    case kOpExponentialMinusOne:
      return ComplexExpMinusOne(z);
    case kOpLog:
      return ComplexLog(z);
    case kOpLogPlusOne:
      return ComplexLogPlusOne(z);
    case kOpSinh:
      return ComplexSinh(z);
    case kOpCosh:
      return ComplexCosh(z);
    case kOpTanh:
      return ComplexTanh(z);
    case kOpCosine:
      return ComplexCosh(TimesI(z));
    case kOpAsin:
      return ComplexAsin(z);
    case kOpAcos:
      return ComplexAcos(z);
    case kOpAcosh:
      return ComplexAcosh(z);
    case kOpAtanh:
      return ComplexAtanh(z);
    default:
      return ComplexLogistic(z);
  }
}

// Compares lexicographically. Neither operand may be NaN.
HL_FN bool IsBefore(Complex x, Complex y) { return x.re != y.re ? x.re < y.re : x.im < y.im; }
HL_CALL Complex ComplexBinary(int op, Complex x, Complex y) {
  switch (op) {
    case kOpAdd:
      return Sum(x, y);
    case kOpSubtract:
      return Difference(x, y);
    case kOpMultiply:
      return Product(x, y);
    case kOpDivide:
      return Ratio(x, y);
    case kOpMaximum:
      return IsNan(x) || (!IsNan(y) && IsBefore(y, x)) ? x : y;
    case kOpMinimum:
      return IsNan(x) || (!IsNan(y) && IsBefore(x, y)) ? x : y;
    case kOpPower:
      return ComplexPower(x, y);
    default:
      return ComplexAtan2(x, y);
  }
}

}  // namespace hl

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_COMPLEX_FUNCTIONS_H_
