// Division of integers as vectors, compiled once for each instruction set: by way of f32 or f64, in
// which a quotient lies at least 1/x away from the next integer above it and is rounded by less.
#include <limits>
#include <type_traits>

#include "backends/cpu/elementwise/families.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/elementwise/vector_integers.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h, which includes this file again for each target.
#include "backends/cpu/elementwise/vector_loops-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hlocts::cpu {
namespace HWY_NAMESPACE {
namespace {

// What a division may be done with: 1 where it would be by zero, or of the least number by -1.
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
// By zero all bits are set; the least number by -1 is itself (fact integer.division).
struct Divide {
  template <typename T>
  static T Apply(T x, T y) {
    const T quotient = Quotient(x, SafeDivisor(x, y));
    return y == 0 ? static_cast<T>(-1) : quotient;
  }
};
struct Remainder {
  template <typename T>
  static T Apply(T x, T y) {
    const T divisor = SafeDivisor(x, y);
    const T rest = static_cast<T>(x - Quotient(x, divisor) * divisor);
    return y == 0 ? x : rest;
  }
};

template <typename T>
KernelFunction Of(Opcode opcode) {
  if (opcode == Opcode::kDivide) return BinaryLoop<Divide, T>;
  if (opcode == Opcode::kRemainder) return BinaryLoop<Remainder, T>;
  return nullptr;
}

KernelFunction Division(Opcode opcode, PrimitiveType type) {
  switch (type) {
    case PrimitiveType::kS8:
      return Of<int8_t>(opcode);
    case PrimitiveType::kS16:
      return Of<int16_t>(opcode);
    case PrimitiveType::kS32:
      return Of<int32_t>(opcode);
    case PrimitiveType::kU8:
      return Of<uint8_t>(opcode);
    case PrimitiveType::kU16:
      return Of<uint16_t>(opcode);
    case PrimitiveType::kU32:
      return Of<uint32_t>(opcode);
    default:
      return nullptr;
  }
}

}  // namespace
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
