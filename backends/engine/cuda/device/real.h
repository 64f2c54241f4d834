// SPDX-License-Identifier: Apache-2.0
// Functions of real numbers (spec/ops/scalar_functions.def) in f32 and f64. Functions of f32 are
// computed in f32, or, with option math=f64, in f64 and rounded once. Option fast_math=true uses
// the GPU's approximations.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_REAL_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_REAL_H_

#include "backends/engine/cuda/device/narrow.h"

namespace hl {

// Define the C library's f64 functions under the names of opcodes. Each is compiled only once.
#define HLOCTS_REAL_FUNCTION(Name, function, ...) \
  HL_CALL double Name(double x) { return ::function(x); }
#define HLOCTS_BINARY_FUNCTION(Name, function, ...) \
  HL_CALL double Name(double x, double y) { return ::function(x, y); }
#include "spec/ops/scalar_functions.def"
HL_CALL double Sqrt(double x) { return ::sqrt(x); }
HL_CALL double Hypot(double x, double y) { return ::hypot(x, y); }

// These formulas compute exponentials only of numbers up to 0, so they do not overflow.
HL_FN double Logistic(double x) {
  const double e = Exponential(x > 0 ? -x : x);
  return (x > 0 ? 1.0 : e) / (1 + e);
}
HL_FN float Logistic(float x) {
  const float e = ::expf(x > 0 ? -x : x);
  return (x > 0 ? 1.0f : e) / (1 + e);
}
HL_FN double Rsqrt(double x) { return 1 / Sqrt(x); }
HL_FN float Rsqrt(float x) { return 1 / ::sqrtf(x); }

HL_CALL double RealFunction(int op, double x) {
  switch (op) {
#define HLOCTS_REAL_FUNCTION(Name, ...)             \
  case kOp##Name:                                   \
    if constexpr (HasOp(kOp##Name)) return Name(x); \
    break;
#define HLOCTS_REAL_FORMULA HLOCTS_REAL_FUNCTION
#include "spec/ops/scalar_functions.def"
    case kOpSqrt:
      return Sqrt(x);
    case kOpCeil:
      return ::ceil(x);
    case kOpFloor:
      return ::floor(x);
    case kOpRoundNearestAfz:
      return ::round(x);
    default:
      return ::rint(x);  // kOpRoundNearestEven
  }
  NotUsed();
  return 0;
}

// Functions of f32. According to CUDA's tables their errors are 1 to 4 ulps.
HL_CALL float SingleFunction(int op, float x) {
  switch (op) {
#define HLOCTS_REAL_FUNCTION(Name, function, ...)            \
  case kOp##Name:                                            \
    if constexpr (HasOp(kOp##Name)) return ::function##f(x); \
    break;
#define HLOCTS_REAL_FORMULA(Name, function, ...)        \
  case kOp##Name:                                       \
    if constexpr (HasOp(kOp##Name)) return function(x); \
    break;
#include "spec/ops/scalar_functions.def"
    case kOpSqrt:
      return ::sqrtf(x);
    case kOpCeil:
      return ::ceilf(x);
    case kOpFloor:
      return ::floorf(x);
    case kOpRoundNearestAfz:
      return ::roundf(x);
    default:
      return ::rintf(x);  // kOpRoundNearestEven
  }
  NotUsed();
  return 0;
}

#ifdef HL_FAST_MATH
// Option fast_math=true uses the GPU's approximations for which CUDA states a bound (CUDA C++
// Programming Guide, "Mathematical Functions").
constexpr float kPi = 3.14159265f;
HL_FN float RealFunctionOf(int op, float x, int, int) {
  switch (op) {
    case kOpExponential:
      return __expf(x);
    case kOpLog:
      return __logf(x);
    case kOpSine:
      return x >= -kPi && x <= kPi ? __sinf(x) : sinf(x);
    case kOpCosine:
      return x >= -kPi && x <= kPi ? __cosf(x) : cosf(x);
    case kOpTanh:
      return __tanhf(x);
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
// Square roots are correctly rounded in f32. An f64 root rounded to f32 would have the same bits.
HL_FN float RealFunctionOf(int op, float x, int type, int math) {
  if constexpr (HasMath(kMathSingle)) {
    if (math == kMathSingle) return Made(SingleFunction(op, x));
  }
  if constexpr (HasMath(kMathDouble)) return RoundedOnce(type, RealFunction(op, ToDouble(x)));
  NotUsed();
  return 0;
}
#endif
HL_FN double RealFunctionOf(int op, double x, int, int) { return Made(RealFunction(op, x)); }

HL_FN float Absolute(float x) { return FloatOfBits(BitsOfFloat(x) & 0x7fffffffu); }
HL_FN double Absolute(double x) { return DoubleOfBits(BitsOfDouble(x) & ~(1ull << 63)); }
HL_FN float Negated(float x) { return FloatOfBits(BitsOfFloat(x) ^ 0x80000000u); }
HL_FN double Negated(double x) { return DoubleOfBits(BitsOfDouble(x) ^ 1ull << 63); }

template <typename T>
HL_FN T RealUnary(int op, T x, int type, int math) {
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
      return RealFunctionOf(op, x, type, math);
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

HL_FN double PairFunction(int op, double x, double y) {
  switch (op) {
#define HLOCTS_BINARY_FUNCTION(Name, ...)              \
  case kOp##Name:                                      \
    if constexpr (HasOp(kOp##Name)) return Name(x, y); \
    break;
#include "spec/ops/scalar_functions.def"
    default:
      if constexpr (HasOp(kOpRemainder)) return ::fmod(x, y);
  }
  NotUsed();
  return 0;
}
HL_FN float SinglePairFunction(int op, float x, float y) {
  switch (op) {
#define HLOCTS_BINARY_FUNCTION(Name, function, ...)             \
  case kOp##Name:                                               \
    if constexpr (HasOp(kOp##Name)) return ::function##f(x, y); \
    break;
#include "spec/ops/scalar_functions.def"
    default:
      if constexpr (HasOp(kOpRemainder)) return ::fmodf(x, y);  // exact
  }
  NotUsed();
  return 0;
}
HL_FN float RealPairOf(int op, float x, float y, int type, int math) {
  if (math == kMathSingle || op == kOpRemainder) return SinglePairFunction(op, x, y);
  if constexpr (!HasMath(kMathDouble)) NotUsed();
  return RoundedOnce(type, PairFunction(op, ToDouble(x), ToDouble(y)));
}
HL_FN double RealPairOf(int op, double x, double y, int, int) { return PairFunction(op, x, y); }

template <typename T>
HL_FN T RealBinary(int op, T x, T y, int type, int math) {
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
      return Made(RealPairOf(op, x, y, type, math));
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
