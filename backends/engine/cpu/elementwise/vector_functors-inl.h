// SPDX-License-Identifier: Apache-2.0
// Functors for the loops of vector_loops-inl.h. They are compiled once for each instruction set.
#if defined(HLOCTS_BACKENDS_ENGINE_CPU_ELEMENTWISE_VECTOR_FUNCTORS_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef HLOCTS_BACKENDS_ENGINE_CPU_ELEMENTWISE_VECTOR_FUNCTORS_INL_H_
#undef HLOCTS_BACKENDS_ENGINE_CPU_ELEMENTWISE_VECTOR_FUNCTORS_INL_H_
#else
#define HLOCTS_BACKENDS_ENGINE_CPU_ELEMENTWISE_VECTOR_FUNCTORS_INL_H_
#endif

#include <cstdint>
#include <type_traits>

#include "backends/engine/cpu/elementwise/vector_loops-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hlocts::cpu {
namespace HWY_NAMESPACE {

#define HLOCTS_UNARY(Name, expression)   \
  struct Name {                          \
    template <typename T>                \
    static T Apply(T x) {                \
      return static_cast<T>(expression); \
    }                                    \
  };
#define HLOCTS_BINARY(Name, expression)  \
  struct Name {                          \
    template <typename T>                \
    static T Apply(T x, T y) {           \
      return static_cast<T>(expression); \
    }                                    \
  };
#define HLOCTS_RELATION(Name, op)          \
  struct Name {                            \
    template <typename T>                  \
    static uint8_t Apply(T x, T y) {       \
      return static_cast<uint8_t>(x op y); \
    }                                      \
  };
HLOCTS_BINARY(Add, x + y)
HLOCTS_BINARY(Subtract, x - y)
HLOCTS_BINARY(Multiply, x* y)
HLOCTS_BINARY(Divide, x / y)
HLOCTS_BINARY(And, x& y)
HLOCTS_BINARY(Or, x | y)
HLOCTS_BINARY(Xor, x ^ y)
// Return a NaN if an operand is NaN.
HLOCTS_BINARY(Maximum, x != x ? x : (x > y ? x : y))
HLOCTS_BINARY(Minimum, x != x ? x : (x < y ? x : y))
HLOCTS_BINARY(ShiftLeft, y < sizeof(T) * 8 ? static_cast<T>(x << (y & (sizeof(T) * 8 - 1))) : 0)
HLOCTS_BINARY(ShiftRight, y < sizeof(T) * 8 ? static_cast<T>(x >> (y & (sizeof(T) * 8 - 1))) : 0)
// A shift by the width or more returns copies of the sign bit.
HLOCTS_BINARY(ShiftRightWithSign, static_cast<std::make_signed_t<T>>(x) >>
                                      (y < sizeof(T) * 8 ? y : static_cast<T>(sizeof(T) * 8 - 1)))
HLOCTS_UNARY(Negate, -x)
HLOCTS_UNARY(NegateBits, 0 - x)
HLOCTS_UNARY(Not, ~x)
HLOCTS_UNARY(NotPred, x ^ 1)
HLOCTS_UNARY(AbsInteger, x < 0 ? 0 - x : x)
HLOCTS_UNARY(SignInteger, (x > 0) - (x < 0))
HLOCTS_RELATION(Eq, ==)
HLOCTS_RELATION(Ne, !=)
HLOCTS_RELATION(Lt, <)
HLOCTS_RELATION(Le, <=)
#define HLOCTS_SYMMETRIC(Name) \
  template <>                  \
  inline constexpr bool kSymmetric<Name> = true;
HLOCTS_SYMMETRIC(Add)
HLOCTS_SYMMETRIC(And)
HLOCTS_SYMMETRIC(Or)
HLOCTS_SYMMETRIC(Xor)
HLOCTS_SYMMETRIC(Multiply)
HLOCTS_SYMMETRIC(Maximum)
HLOCTS_SYMMETRIC(Minimum)
HLOCTS_SYMMETRIC(Eq)
HLOCTS_SYMMETRIC(Ne)
#undef HLOCTS_SYMMETRIC

// Returns x for zeros, and for subnormals if they are flushed.
struct SignFloat {
  static float Apply(float x) {
    const float zero = x != x ? x : __builtin_copysignf(0, x);
    return x > 0 ? 1 : x < 0 ? -1 : zero;
  }
  static double Apply(double x) {
    const double zero = x != x ? x : __builtin_copysign(0, x);
    return x > 0 ? 1 : x < 0 ? -1 : zero;
  }
};
struct AbsFloat {
  static float Apply(float x) { return __builtin_fabsf(x); }
  static double Apply(double x) { return __builtin_fabs(x); }
};
struct Sqrt {
  static float Apply(float x) { return __builtin_sqrtf(x); }
  static double Apply(double x) { return __builtin_sqrt(x); }
};
struct Floor {
  static float Apply(float x) { return __builtin_floorf(x); }
  static double Apply(double x) { return __builtin_floor(x); }
};
struct Ceil {
  static float Apply(float x) { return __builtin_ceilf(x); }
  static double Apply(double x) { return __builtin_ceil(x); }
};
struct RoundEven {
  static float Apply(float x) { return __builtin_nearbyintf(x); }
  static double Apply(double x) { return __builtin_nearbyint(x); }
};
struct RoundAway {
  static float Apply(float x) { return __builtin_roundf(x); }
  static double Apply(double x) { return __builtin_round(x); }
};
struct IsFinite {
  static uint8_t Apply(float x) { return __builtin_fabsf(x) <= 0x1.fffffep127f; }
  static uint8_t Apply(double x) { return __builtin_fabs(x) <= 0x1.fffffffffffffp1023; }
};
struct Keep {
  template <typename T>
  static T Apply(T x) {
    return x;
  }
};
struct Zero {
  template <typename T>
  static T Apply(T) {
    return 0;
  }
};

// Avoids products of uint16_t, which are promoted to int and could overflow.
template <typename T>
struct MultiplyBits {
  static T Apply(T x, T y) { return static_cast<T>(static_cast<uint64_t>(x) * y); }
};
template <>
struct MultiplyBits<uint32_t> {
  static uint32_t Apply(uint32_t x, uint32_t y) { return x * y; }
};
template <typename T>
inline constexpr bool kSymmetric<MultiplyBits<T>> = true;

// Counts the bits in groups of two, four and eight bits, and adds the counts of the bytes.
struct PopulationCount {
  template <typename T>
  static T Apply(T x) {
    constexpr T kAll = static_cast<T>(~T{0});
    constexpr T kPairs = kAll / 3, kFours = kAll / 5, kBytes = kAll / 17;
    x = static_cast<T>(x - ((x >> 1) & kPairs));
    x = static_cast<T>((x & kFours) + ((x >> 2) & kFours));
    x = static_cast<T>((x + (x >> 4)) & kBytes);
    if constexpr (sizeof(T) >= 2) x = static_cast<T>(x + (x >> 8));
    if constexpr (sizeof(T) >= 4) x = static_cast<T>(x + (x >> 16));
    if constexpr (sizeof(T) == 8) x = static_cast<T>(x + (x >> 32));
    return static_cast<T>(x & 0x7f);
  }
};

// Sets all bits below the highest set bit. The bits that remain zero are the leading zeros.
struct LeadingZeros {
  template <typename T>
  static T Apply(T x) {
    for (unsigned step = 1; step < sizeof(T) * 8; step *= 2) x = static_cast<T>(x | (x >> step));
    return PopulationCount::Apply(static_cast<T>(~x));
  }
};

// Negates in an unsigned type, because the absolute value of the least number is that number.
template <typename T, typename U>
struct AbsWrap {
  static T Apply(T x) { return x < 0 ? static_cast<T>(U{0} - static_cast<U>(x)) : x; }
};

}  // namespace HWY_NAMESPACE
}  // namespace hlocts::cpu
HWY_AFTER_NAMESPACE();

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_ELEMENTWISE_VECTOR_FUNCTORS_INL_H_
