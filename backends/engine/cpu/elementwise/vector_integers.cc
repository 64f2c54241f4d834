// SPDX-License-Identifier: Apache-2.0
// Vector division of integers in f32 or f64. Truncation is exact, since a quotient by x is an
// integer or at least 1/x below the next one, and rounding errors are smaller.
#include <algorithm>
#include <limits>
#include <type_traits>

#include "backends/engine/cpu/elementwise/families.h"
#include "spec/ir/number_type.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/engine/cpu/elementwise/vector_integers.cc"
#include "hwy/foreach_target.h"
// Must follow foreach_target.h, which includes this file again for each target.
#include "backends/engine/cpu/elementwise/vector_loops-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hlocts::cpu {
namespace HWY_NAMESPACE {
namespace division {

// Returns a divisor that cannot trap: 1 if y is 0, or if y is -1 and x is the least integer.
template <typename T>
T SafeDivisor(T x, T y) {
  const bool overflows =
      std::is_signed_v<T> && x == std::numeric_limits<T>::min() && y == static_cast<T>(-1);
  return y == 0 || overflows ? T{1} : y;
}
template <typename T>
T Quotient(T x, T y) {
  using Float = std::conditional_t<sizeof(T) < 4, float, double>;
  using Wide = std::conditional_t<sizeof(T) < 4, int32_t, T>;
  return static_cast<T>(static_cast<Wide>(static_cast<Float>(x) / static_cast<Float>(y)));
}
// Division by zero returns all bits set. The least number divided by -1 returns itself (fact
// integer.division).
struct Divide {
  template <typename T>
  static T Apply(T x, T y) {
    const T quotient = Quotient(x, SafeDivisor(x, y));
    return y == 0 ? static_cast<T>(-1) : quotient;
  }
  template <typename T>
  static T Of(T, T, T quotient) {
    return quotient;
  }
};
struct Remainder {
  template <typename T>
  static T Apply(T x, T y) {
    const T divisor = SafeDivisor(x, y);
    const T rest = static_cast<T>(x - Quotient(x, divisor) * divisor);
    return y == 0 ? x : rest;
  }
  template <typename T>
  static T Of(T x, T y, T quotient) {
    return static_cast<T>(x - quotient * y);
  }
};

// Returns a number slightly above 1/y. A product with it truncates to the exact quotient: the
// excess is larger than the rounding errors of the reciprocal and the product, but smaller than the
// distance of a 32-bit quotient from the next integer.
template <typename T>
double ReciprocalAbove(T y) {
  return 1.0 / static_cast<double>(y) * (1 + 0x1p-51);
}
// Returns true if all divisors are equal and products with the reciprocal yield exact quotients.
template <typename T>
bool DividesByCommonDivisor(const T* divisors, int64_t count) {
  const T first = divisors[0];
  if (first == 0 || (std::is_signed_v<T> && first == static_cast<T>(-1))) return false;
  T differences = 0;
  for (int64_t i = 0; i < count; ++i) differences |= divisors[i] ^ first;
  return differences == 0;
}
// If all divisors are equal, as in a splat constant, multiplies by the reciprocal, which takes half
// the time.
template <class F, typename T>
void DivisionLoop(HLOCTS_ARGUMENTS) {
  const T* divisors = static_cast<const T*>(b);
  const int64_t given = p.single == 2 ? std::min<int64_t>(count, 1) : count;
  if (sizeof(T) < 4 || p.single == 1 || given == 0 || !DividesByCommonDivisor(divisors, given)) {
    return BinaryLoop<F, T>(p, a, b, c, out, count);
  }
  const T* x = static_cast<const T*>(a);
  T* r = static_cast<T*>(out);
  const T divisor = divisors[0];
  const double reciprocal = ReciprocalAbove(divisor);
  HLOCTS_LOOP
  for (int64_t i = 0; i < count; ++i) {
    const T quotient = static_cast<T>(static_cast<double>(x[i]) * reciprocal);
    r[i] = F::Of(x[i], divisor, quotient);
  }
}

template <typename T>
KernelFunction Of(Opcode opcode) {
  if (opcode == Opcode::kDivide) return DivisionLoop<Divide, T>;
  if (opcode == Opcode::kRemainder) return DivisionLoop<Remainder, T>;
  return nullptr;
}

KernelFunction Division(Opcode opcode, PrimitiveType type) {
  return VisitNumberType<KernelFunction>(type, [&](auto zero) -> KernelFunction {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T> && sizeof(T) < 8) return Of<T>(opcode);
    return nullptr;
  });
}

}  // namespace division
using division::Division;
}  // namespace HWY_NAMESPACE
}  // namespace hlocts::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlocts::cpu {
HWY_EXPORT(Division);
KernelFunction VectorDivision(Opcode opcode, PrimitiveType type) {
  return HWY_DYNAMIC_DISPATCH(Division)(opcode, type);
}
}  // namespace hlocts::cpu
#endif
