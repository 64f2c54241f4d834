// SPDX-License-Identifier: Apache-2.0
// Scalar integer operations for which there is no vector kernel: 64-bit division, powers, upper
// halves of products.
#include <limits>
#include <type_traits>

#include "backends/engine/cpu/elementwise/families.h"
#include "backends/engine/cpu/elementwise/loop.h"
#include "spec/ir/element_width.h"
#include "spec/ir/number_type.h"

namespace hlocts::cpu {
namespace {

template <typename T>
bool Overflows(T x, T y) {
  return std::is_signed_v<T> && x == std::numeric_limits<T>::min() && y == static_cast<T>(-1);
}
// Division by zero returns all bits set. The least number divided by -1 returns itself (fact
// integer.division).
struct Divide {
  template <typename T>
  static T Apply(T x, T y) {
    return y == 0 ? static_cast<T>(-1) : Overflows(x, y) ? x : static_cast<T>(x / y);
  }
};
struct Remainder {
  template <typename T>
  static T Apply(T x, T y) {
    return y == 0 ? x : Overflows(x, y) ? T{0} : static_cast<T>(x % y);
  }
};
// A negative exponent -n yields the truncated quotient 1 / base^n.
struct Power {
  template <typename T>
  static T Apply(T base, T exponent) {
    if (std::is_signed_v<T> && exponent < 0) {
      const bool odd = (exponent & 1) != 0;
      if (base == 0) return static_cast<T>(-1);
      if (base == 1) return 1;
      return base == static_cast<T>(-1) ? static_cast<T>(odd ? -1 : 1) : T{0};
    }
    uint64_t result = 1, square = static_cast<uint64_t>(base);
    for (uint64_t left = static_cast<uint64_t>(exponent); left != 0; left >>= 1) {
      if ((left & 1) != 0) result *= square;
      square *= square;
    }
    return static_cast<T>(result);
  }
};
template <typename T>
KernelFunction Of(Opcode opcode) {
  if (opcode == Opcode::kDivide) return Binary<Divide, T>;
  if (opcode == Opcode::kRemainder) return Binary<Remainder, T>;
  return opcode == Opcode::kPower ? Binary<Power, T> : nullptr;
}

template <typename T>
void MulhiLoop(int width, const void* a, const void* b, void* out, int64_t count) {
  using Narrow = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;
  using Twice = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
  using Wide = std::conditional_t<sizeof(T) < 8, Narrow, Twice>;
  const T *x = static_cast<const T*>(a), *y = static_cast<const T*>(b);
  T* r = static_cast<T*>(out);
  for (int64_t i = 0; i < count; ++i) {
    r[i] = static_cast<T>((static_cast<Wide>(x[i]) * static_cast<Wide>(y[i])) >> width);
  }
}

}  // namespace

KernelFunction IntegerKernel(Opcode opcode, PrimitiveType type) {
  return VisitNumberType<KernelFunction>(type, [&](auto zero) -> KernelFunction {
    if constexpr (std::is_integral_v<decltype(zero)>) return Of<decltype(zero)>(opcode);
    return nullptr;
  });
}

// Computes the upper half of the double-width product. Sub-byte operands are stored as extended to
// a byte, and the computed results are extended, too.
void MulhiKernel(const KernelParameters& parameters, const void* a, const void* b, const void*,
                 void* out, int64_t count) {
  const int width = BitWidth(parameters.operand_type);
  VisitInteger(parameters.operand_type,
               [&](auto zero) { MulhiLoop<decltype(zero)>(width, a, b, out, count); });
}

}  // namespace hlocts::cpu
