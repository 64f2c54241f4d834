// SPDX-License-Identifier: Apache-2.0
// Complex numbers. Both precisions are computed in f64, and a c64 result is rounded once.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_COMPLEX_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_COMPLEX_H_

#include "backends/engine/cuda/device/real.h"

namespace hl {

HL_FN Complex Sum(Complex x, Complex y) { return {x.re + y.re, x.im + y.im}; }
HL_FN Complex Difference(Complex x, Complex y) { return {x.re - y.re, x.im - y.im}; }
HL_FN Complex Product(Complex x, Complex y) {
  return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}
HL_FN Complex Scaled(Complex x, double by) { return {x.re * by, x.im * by}; }
HL_FN Complex TimesI(Complex x) { return {-x.im, x.re}; }
HL_FN Complex OverI(Complex x) { return {x.im, -x.re}; }
HL_FN bool IsFinite(Complex x) { return IsFinite(x.re) && IsFinite(x.im); }
HL_FN bool IsNan(Complex x) { return IsNan(x.re) || IsNan(x.im); }

// If the divisor is zero, each part is divided by a zero with the sign of the divisor's real part.
// A finite number divided by infinity is zero. In all other cases the divisor is first scaled to
// about 1, so that its square neither overflows nor underflows.
HL_CALL Complex Ratio(Complex x, Complex y) {
  double c = y.re, d = y.im;
  if (c == 0 && d == 0) {
    const double zero = ::copysign(0.0, c);
    return {x.re / zero, x.im / zero};
  }
  if (IsFinite(x) && !IsNan(y) && !IsFinite(y)) {
    c = ::copysign(IsInf(c) ? 1.0 : 0.0, c);
    d = ::copysign(IsInf(d) ? 1.0 : 0.0, d);
    return {0 * (x.re * c + x.im * d), 0 * (x.im * c - x.re * d)};
  }
  const double size = Larger(::fabs(c), ::fabs(d));
  if (!IsFinite(size) || size == 0) {
    const double norm = c * c + d * d;
    return {(x.re * c + x.im * d) / norm, (x.im * c - x.re * d) / norm};
  }
  int exponent;
  ::frexp(size, &exponent);
  c = ::ldexp(c, -exponent);
  d = ::ldexp(d, -exponent);
  const double norm = c * c + d * d;
  const double most = Larger(::fabs(x.re), ::fabs(x.im));
  // Numerators near the limits of the range are scaled, too.
  const int shift = most > 1e300 ? -4 : most < 1e-290 ? 120 : 0;
  const double a = ::ldexp(x.re, shift), b = ::ldexp(x.im, shift);
  return {::ldexp((a * c + b * d) / norm, -exponent - shift),
          ::ldexp((b * c - a * d) / norm, -exponent - shift)};
}

HL_CALL Complex ComplexExp(Complex z) {
  if (z.im == 0) return {Exponential(z.re), z.im};
  if (z.re == -Infinity() && !IsFinite(z.im)) return {0, 0};
  if (z.re == Infinity() && !IsFinite(z.im)) return {Infinity(), NotANumber()};
  if (IsNan(z.re)) return {z.re, z.re};
  const double c = Cosine(z.im), s = Sine(z.im);
  if (z.re > 700 && z.re < 1500) {
    // e^x may overflow even if its product with a small sine or cosine does not.
    const double half = Exponential(z.re / 2);
    return {half * c * half, half * s * half};
  }
  const double size = Exponential(z.re);
  return {size * c, size * s};
}

// Returns log |z|. Near the unit circle it is computed as log1p(|z|^2 - 1) / 2.
HL_FN double LogAbs(double a, double b) {
  a = ::fabs(a);
  b = ::fabs(b);
  const double most = Larger(a, b), least = Smaller(a, b);
  if (IsInf(a) || IsInf(b)) return Infinity();
  if (most > 0.5 && most < 2) {
    // |z|^2 - 1 = (most - 1)(most + 1) + least^2. `lost`, `error`: rounding errors of products.
    const double square = least * least, error = ::fma(least, least, -square);
    const double first = (most - 1) * (most + 1), lost = ::fma(most - 1, most + 1, -first);
    const double more = first + square;
    const double rest = (first - more) + square;
    if (::fabs(more) < 0.5) return LogPlusOne(more + (rest + (error + lost))) / 2;
  }
  if (most > 1e150 || (most < 1e-150 && most > 0)) {
    const double scale = most > 1 ? 0x1p-600 : 0x1p600;
    return Log(Hypot(a * scale, b * scale)) - Log(scale);
  }
  return Log(Hypot(a, b));
}
HL_CALL Complex ComplexLog(Complex z) { return {LogAbs(z.re, z.im), Atan2(z.im, z.re)}; }

HL_CALL Complex ComplexSqrt(Complex z) {
  const double a = z.re, b = z.im;
  if (a == 0 && b == 0) return {0, b};
  if (IsInf(b)) return {Infinity(), b};
  if (IsInf(a)) {
    if (a > 0) return {a, IsNan(b) ? b : ::copysign(0.0, b)};
    return {IsNan(b) ? b : 0.0, ::copysign(Infinity(), b)};
  }
  if (IsNan(a) || IsNan(b)) return {NotANumber(), NotANumber()};
  const double most = Larger(::fabs(a), ::fabs(b));
  const int shift = most > 1e300 ? -4 : most < 1e-290 ? 200 : 0;
  const double x = ::ldexp(a, shift), y = ::ldexp(b, shift);
  const double root = Sqrt((Hypot(x, y) + ::fabs(x)) / 2);
  const double other = ::fabs(y) / (2 * root);
  const double re = ::ldexp(x >= 0 ? root : other, -shift / 2);
  return {re, ::copysign(::ldexp(x >= 0 ? other : root, -shift / 2), b)};
}

HL_FN double CoshTimes(double x, double factor) {
  if (factor == 0 && IsFinite(x)) return factor;
  if (::fabs(x) < 700 || !IsFinite(x)) return Cosh(x) * factor;
  const double half = Exponential(::fabs(x) / 2);
  return half / 2 * factor * half;
}
HL_FN double SinhTimes(double x, double factor) {
  if (::fabs(x) < 700 || !IsFinite(x)) return Sinh(x) * factor;
  const double half = Exponential(::fabs(x) / 2);
  return ::copysign(half / 2, x) * factor * half;
}
HL_CALL Complex ComplexSinh(Complex z) {
  if (z.im == 0) return {Sinh(z.re), z.im};
  return {SinhTimes(z.re, Cosine(z.im)), CoshTimes(z.re, Sine(z.im))};
}
HL_CALL Complex ComplexCosh(Complex z) {
  if (z.im == 0) return {Cosh(z.re), ::copysign(1.0, z.re) * z.im};
  return {CoshTimes(z.re, Cosine(z.im)), SinhTimes(z.re, Sine(z.im))};
}

// Uses Kahan's formula in t = tan(im) and s = sinh(re), which has no cancellation.
HL_CALL Complex ComplexTanh(Complex z) {
  const double x = z.re, y = z.im;
  if (::fabs(x) > 22 && !IsInf(x) && !IsFinite(y)) return {NotANumber(), NotANumber()};
  if (::fabs(x) > 22 || IsInf(x)) {
    const double sign = IsFinite(y) ? Sine(y) * Cosine(y) : 0;
    const double small = IsInf(x) ? 0 : 4 * ::fabs(sign) * Exponential(-2 * ::fabs(x));
    return {::copysign(1.0, x), ::copysign(small, IsFinite(y) ? sign : y)};
  }
  if (y == 0) return {Tanh(x), y};
  const double t = Tan(y), b = 1 + t * t, s = Sinh(x), r = Sqrt(1 + s * s);
  if (IsInf(t)) return {r / s, 1 / t};
  const double norm = 1 + b * s * s;
  return {b * r * s / norm, t / norm};
}

}  // namespace hl

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_COMPLEX_H_
