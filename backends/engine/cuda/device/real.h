// SPDX-License-Identifier: Apache-2.0
// Real numbers: f32 and f64. Functions of f32 are computed in f32, or (cuda?math=f64) in f64 and
// rounded once; cuda?fast_math=true takes the device's approximations.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_REAL_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_REAL_H_

#include "backends/engine/cuda/device/base.h"
#include "backends/engine/cuda/device/ops.h"

namespace hl {

// The C library's, each compiled once.
HL_CALL double Exp(double x) { return ::exp(x); }
HL_CALL double Log(double x) { return ::log(x); }
HL_CALL double Sin(double x) { return ::sin(x); }
HL_CALL double Cos(double x) { return ::cos(x); }
HL_CALL double Tan(double x) { return ::tan(x); }
HL_CALL double Sinh(double x) { return ::sinh(x); }
HL_CALL double Cosh(double x) { return ::cosh(x); }
HL_CALL double Tanh(double x) { return ::tanh(x); }
HL_CALL double Sqrt(double x) { return ::sqrt(x); }
HL_CALL double Log1p(double x) { return ::log1p(x); }
HL_CALL double Expm1(double x) { return ::expm1(x); }
HL_CALL double Asinh(double x) { return ::asinh(x); }
HL_CALL double Atan2(double x, double y) { return ::atan2(x, y); }
HL_CALL double Hypot(double x, double y) { return ::hypot(x, y); }
HL_CALL double Pow(double x, double y) { return ::pow(x, y); }

// From the side where the exponential is at most 1.
HL_FN double Logistic(double x) {
  const double e = Exp(x > 0 ? -x : x);
  return (x > 0 ? 1.0 : e) / (1 + e);
}

HL_CALL double RealFunction(int op, double x) {
  switch (op) {
    case kOpSqrt:
      return Sqrt(x);
    case kOpRsqrt:
      return 1 / Sqrt(x);
    case kOpCbrt:
      return ::cbrt(x);
    case kOpExponential:
      return Exp(x);
    case kOpExponentialMinusOne:
      return Expm1(x);
    case kOpLog:
      return Log(x);
    case kOpLogPlusOne:
      return Log1p(x);
    case kOpSine:
      return Sin(x);
    case kOpCosine:
      return Cos(x);
    case kOpTan:
      return Tan(x);
    case kOpSinh:
      return Sinh(x);
    case kOpCosh:
      return Cosh(x);
    case kOpTanh:
      return Tanh(x);
    case kOpAsin:
      return ::asin(x);
    case kOpAcos:
      return ::acos(x);
    case kOpAsinh:
      return Asinh(x);
    case kOpAcosh:
      return ::acosh(x);
    case kOpAtanh:
      return ::atanh(x);
    case kOpErf:
      return ::erf(x);
    case kOpLogistic:
      return Logistic(x);
    case kOpCeil:
      return ::ceil(x);
    case kOpFloor:
      return ::floor(x);
    case kOpRoundNearestAfz:
      return ::round(x);
    default:
      return ::rint(x);  // kOpRoundNearestEven
  }
}

// In f32: 1 to 4 ulps by CUDA's tables.
HL_FN float SingleLogistic(float x) {
  const float e = ::expf(x > 0 ? -x : x);
  return (x > 0 ? 1.0f : e) / (1 + e);
}
HL_CALL float SingleFunction(int op, float x) {
  switch (op) {
    case kOpSqrt:
      return ::sqrtf(x);
    case kOpRsqrt:
      return 1 / ::sqrtf(x);
    case kOpCbrt:
      return ::cbrtf(x);
    case kOpExponential:
      return ::expf(x);
    case kOpExponentialMinusOne:
      return ::expm1f(x);
    case kOpLog:
      return ::logf(x);
    case kOpLogPlusOne:
      return ::log1pf(x);
    case kOpSine:
      return ::sinf(x);
    case kOpCosine:
      return ::cosf(x);
    case kOpTan:
      return ::tanf(x);
    case kOpSinh:
      return ::sinhf(x);
    case kOpCosh:
      return ::coshf(x);
    case kOpTanh:
      return ::tanhf(x);
    case kOpAsin:
      return ::asinf(x);
    case kOpAcos:
      return ::acosf(x);
    case kOpAsinh:
      return ::asinhf(x);
    case kOpAcosh:
      return ::acoshf(x);
    case kOpAtanh:
      return ::atanhf(x);
    case kOpErf:
      return ::erff(x);
    case kOpLogistic:
      return SingleLogistic(x);
    case kOpCeil:
      return ::ceilf(x);
    case kOpFloor:
      return ::floorf(x);
    case kOpRoundNearestAfz:
      return ::roundf(x);
    default:
      return ::rintf(x);  // kOpRoundNearestEven
  }
}

#ifdef HL_FAST_MATH
// Only where cuda?fast_math=true: the device's approximations.
HL_FN float RealFunctionOf(int op, float x, int) {
  switch (op) {
    case kOpExponential:
      return __expf(x);
    case kOpLog:
      return __logf(x);
    case kOpSine:
      return __sinf(x);
    case kOpCosine:
      return __cosf(x);
    case kOpTanh:
      return tanhf(x);
    case kOpSqrt:
      return sqrtf(x);
    case kOpRsqrt:
      return rsqrtf(x);
    case kOpLogistic:
      return 1 / (1 + __expf(-x));
    default:
      return SingleFunction(op, x);
  }
}
#else
// The square root is exact either way; the double one rounds twice, to the same value.
HL_FN float RealFunctionOf(int op, float x, int math) {
  if (math == kMathSingle) return Made(SingleFunction(op, x));
  return ToFloat(RealFunction(op, ToDouble(x)));
}
#endif
HL_FN double RealFunctionOf(int op, double x, int) { return Made(RealFunction(op, x)); }

HL_FN float Absolute(float x) { return FloatOfBits(BitsOfFloat(x) & 0x7fffffffu); }
HL_FN double Absolute(double x) { return DoubleOfBits(BitsOfDouble(x) & ~(1ull << 63)); }
HL_FN float Negated(float x) { return FloatOfBits(BitsOfFloat(x) ^ 0x80000000u); }
HL_FN double Negated(double x) { return DoubleOfBits(BitsOfDouble(x) ^ 1ull << 63); }

template <typename T>
HL_FN T RealUnary(int op, T x, int math) {
  switch (op) {
    case kOpAbs:
      return Absolute(x);
    case kOpNegate:
      return Negated(x);
    case kOpSign:
      return x > 0 ? T(1) : x < 0 ? T(-1) : x;
    case kOpReal:
      return x;
    case kOpImag:
      return T(0);
    default:
      return RealFunctionOf(op, x, math);
  }
}

template <typename T>
HL_FN T Larger(T x, T y) {
  return IsNan(x) ? x : IsNan(y) ? y : x > y ? x : y;
}
template <typename T>
HL_FN T Smaller(T x, T y) {
  return IsNan(x) ? x : IsNan(y) ? y : x < y ? x : y;
}

HL_FN float RealPairOf(int op, float x, float y, int math) {
  if (op == kOpRemainder) return ::fmodf(x, y);  // exact
  if (math == kMathSingle) return op == kOpPower ? ::powf(x, y) : ::atan2f(x, y);
  const double a = ToDouble(x), b = ToDouble(y);
  return ToFloat(op == kOpPower ? Pow(a, b) : Atan2(a, b));
}
HL_FN double RealPairOf(int op, double x, double y, int) {
  if (op == kOpRemainder) return ::fmod(x, y);
  return op == kOpPower ? Pow(x, y) : Atan2(x, y);
}

template <typename T>
HL_FN T RealBinary(int op, T x, T y, int math) {
  switch (op) {
    case kOpAdd:
      return Made(x + y);
    case kOpSubtract:
      return Made(x - y);
    case kOpMultiply:
      return Made(x * y);
    case kOpDivide:
      return Made(x / y);
    case kOpMaximum:
      return Larger(x, y);
    case kOpMinimum:
      return Smaller(x, y);
    default:
      return Made(RealPairOf(op, x, y, math));
  }
}

template <typename T>
HL_FN bool Relation(int direction, T x, T y) {
  switch (direction) {
    case kEq:
      return x == y;
    case kNe:
      return x != y;
    case kLt:
      return x < y;
    case kLe:
      return x <= y;
    case kGt:
      return x > y;
    default:
      return x >= y;
  }
}

}  // namespace hl

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_REAL_H_
