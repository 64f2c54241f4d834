// SPDX-License-Identifier: Apache-2.0
// Definitions that all device files share: element types, their formats, the value of an element.
// Three compilers compile these files: g++ for the host, nvcc, and NVRTC, which has no standard
// headers.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_BASE_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_BASE_H_

// HL_FN declares a function of elements. HL_CALL declares a large function that nvcc does not
// inline. NVRTC inlines it in emitted code, where constant arguments fold its switches.
#if defined(__CUDACC_RTC__)
#define HL_FN __device__ inline
#define HL_CALL __device__ inline
#define HL_UNROLL_ALL _Pragma("unroll")
// The number of loads that a thread issues before it uses a result. In the interpreter it is 1.
#define HL_LOADS_IN_FLIGHT 8
#elif defined(__CUDACC__)
#define HL_FN __device__ inline
#define HL_CALL __device__ __noinline__
#else
#include <math.h>
#define HL_FN inline
#define HL_CALL inline
#endif
#ifndef HL_UNROLL_ALL
#define HL_UNROLL_ALL
#define HL_LOADS_IN_FLIGHT 1
#endif
// Unrolls a loop that only moves data. The code remains small enough for the precompiled kernels.
#if defined(__CUDACC_RTC__) || defined(__CUDACC__)
#define HL_UNROLL_MOVES _Pragma("unroll")
#else
#define HL_UNROLL_MOVES
#endif

namespace hl {

using i64 = long long;
using u64 = unsigned long long;
using i32 = int;
using u32 = unsigned int;

// The values are those of PrimitiveType (device_test.cc checks this).
enum Type : int {
  kPred = 1,
  kS8 = 2,
  kS16 = 3,
  kS32 = 4,
  kS64 = 5,
  kU8 = 6,
  kU16 = 7,
  kU32 = 8,
  kU64 = 9,
  kF16 = 10,
  kF32 = 11,
  kF64 = 12,
  kC64 = 15,
  kBF16 = 16,
  kC128 = 18,
  kF8E5M2 = 19,
  kF8E4M3FN = 20,
  kS4 = 21,
  kU4 = 22,
  kF8E4M3B11FNUZ = 23,
  kF8E5M2FNUZ = 24,
  kF8E4M3FNUZ = 25,
  kS2 = 26,
  kU2 = 27,
  kF8E4M3 = 28,
  kF8E3M4 = 29,
  kS1 = 30,
  kU1 = 31,
  kF4E2M1FN = 32,
  kF8E8M0FNU = 33,
};

// The kind of arithmetic on elements of a type.
enum Class : int {
  kClassPred,
  kClassSigned,
  kClassUnsigned,  // integers: in Value::s or Value::u, extended to 64 bits
  kClassFloat,     // f32 and narrower floats: in Value::f
  kClassDouble,    // f64: in Value::d
  kClassComplex,   // c64 and c128: in Value::z
};

struct Complex {
  double re, im;
};

union Value {
  i64 s;
  u64 u;
  float f;
  double d;
  Complex z;
};

HL_FN constexpr int ClassOf(int type) {
  switch (type) {
    case kPred:
      return kClassPred;
    case kS1:
    case kS2:
    case kS4:
    case kS8:
    case kS16:
    case kS32:
    case kS64:
      return kClassSigned;
    case kU1:
    case kU2:
    case kU4:
    case kU8:
    case kU16:
    case kU32:
    case kU64:
      return kClassUnsigned;
    case kF64:
      return kClassDouble;
    case kC64:
    case kC128:
      return kClassComplex;
    default:
      return kClassFloat;
  }
}

// Returns the number of significant bits of an element. For pred it is 8, the bits as stored.
HL_FN constexpr int BitsOf(int type) {
  switch (type) {
    case kS1:
    case kU1:
      return 1;
    case kS2:
    case kU2:
      return 2;
    case kS4:
    case kU4:
    case kF4E2M1FN:
      return 4;
    case kS16:
    case kU16:
    case kF16:
    case kBF16:
      return 16;
    case kS32:
    case kU32:
    case kF32:
      return 32;
    case kS64:
    case kU64:
    case kF64:
    case kC64:
      return 64;
    case kC128:
      return 128;
    default:
      return 8;
  }
}
HL_FN int BytesOf(int type) {
  const int bits = BitsOf(type);
  return bits < 8 ? 1 : bits / 8;
}

// The encoding of infinity and NaN. Only kIeee formats have an infinity.
enum Special : int {
  kIeee,     // infinity and NaN have the largest exponent
  kNanOnly,  // a NaN has all bits set except the sign
  kNegZero,  // the NaN has the bits of -0
  kAllOnes,  // the NaN has all bits set
  kNothing,  // there is no NaN
};

struct Format {
  int exponent_bits, mantissa_bits, bias, special;
};

HL_FN Format FormatOf(int type) {
  switch (type) {
    case kF4E2M1FN:
      return {2, 1, 1, kNothing};
    case kF8E3M4:
      return {3, 4, 3, kIeee};
    case kF8E4M3:
      return {4, 3, 7, kIeee};
    case kF8E4M3B11FNUZ:
      return {4, 3, 11, kNegZero};
    case kF8E4M3FN:
      return {4, 3, 7, kNanOnly};
    case kF8E4M3FNUZ:
      return {4, 3, 8, kNegZero};
    case kF8E5M2:
      return {5, 2, 15, kIeee};
    case kF8E5M2FNUZ:
      return {5, 2, 16, kNegZero};
    case kF8E8M0FNU:
      return {8, 0, 127, kAllOnes};
    case kF16:
      return {5, 10, 15, kIeee};
    case kBF16:
      return {8, 7, 127, kIeee};
    case kF32:
      return {8, 23, 127, kIeee};
    default:
      return {11, 52, 1023, kIeee};
  }
}

template <typename To, typename From>
HL_FN To BitsAs(From from) {
  union {
    From from;
    To to;
  } bits;
  bits.from = from;
  return bits.to;
}
HL_FN u32 BitsOfFloat(float x) { return BitsAs<u32>(x); }
HL_FN float FloatOfBits(u32 bits) { return BitsAs<float>(bits); }
HL_FN u64 BitsOfDouble(double x) { return BitsAs<u64>(x); }
HL_FN double DoubleOfBits(u64 bits) { return BitsAs<double>(bits); }

template <typename T>
HL_FN bool IsNan(T x) {
  return x != x;
}

// Marks results of arithmetic and conversions. On the host, NaN results get the bits that NVIDIA's
// instructions produce. A test without a GPU then detects a move that wrongly converts.
#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
HL_FN float Made(float x) { return x; }
HL_FN double Made(double x) { return x; }
#else
HL_FN float Made(float x) { return IsNan(x) ? FloatOfBits(0x7fffffffu) : x; }
HL_FN double Made(double x) { return IsNan(x) ? DoubleOfBits(0x7fffffffe0000000ull) : x; }
#endif
HL_FN float ToFloat(double x) { return Made(static_cast<float>(x)); }
HL_FN double ToDouble(float x) { return Made(static_cast<double>(x)); }

// Convert values that are only moved. A NaN must keep its bits (ruling 0071), which conversion
// instructions do not guarantee. If the upper payload bits of an f64 NaN are all 0, Narrowed sets
// the quiet bit, so the value remains a NaN.
HL_FN double Widened(float x) {
  const u64 bits = BitsOfFloat(x);
  if (!IsNan(x)) return static_cast<double>(x);
  return DoubleOfBits((bits & 0x80000000u) << 32 | 0x7ff0000000000000ull |
                      (bits & 0x7fffffu) << 29);
}
HL_FN float Narrowed(double x) {
  if (!IsNan(x)) return static_cast<float>(x);
  const u64 bits = BitsOfDouble(x);
  const u32 payload = static_cast<u32>(bits >> 29 & 0x7fffffu);
  return FloatOfBits(static_cast<u32>(bits >> 32 & 0x80000000u) | 0x7f800000u |
                     (payload != 0 ? payload : 0x400000u));
}
template <typename T>
HL_FN bool IsFinite(T x) {
  return x - x == 0;
}
template <typename T>
HL_FN bool IsInf(T x) {
  return x == x && !IsFinite(x);
}

HL_FN double Infinity() { return DoubleOfBits(0x7ff0000000000000ull); }
HL_FN double NotANumber() { return DoubleOfBits(0x7ff8000000000000ull); }

// Returns the low bits of an integer, extended to 64 bits by sign or zeros. pred becomes 0 or 1.
HL_FN u64 Wrap(int type, u64 x) {
  if (type == kPred) return x != 0;
  const int unused = 64 - BitsOf(type);
  if (ClassOf(type) == kClassSigned)
    return static_cast<u64>(static_cast<i64>(x << unused) >> unused);
  return x << unused >> unused;
}

}  // namespace hl

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_BASE_H_
