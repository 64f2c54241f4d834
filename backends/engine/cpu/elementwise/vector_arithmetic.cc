// SPDX-License-Identifier: Apache-2.0
// Vector arithmetic and comparisons: simple loops that compilers vectorize. They are compiled once
// for each useful instruction set, and Highway selects one at run time. The values do not depend on
// the instruction set.
#include <type_traits>

#include "backends/engine/cpu/elementwise/families.h"
#include "spec/ir/number_type.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/engine/cpu/elementwise/vector_arithmetic.cc"
#include "hwy/foreach_target.h"
// Must follow foreach_target.h, which includes this file again for each target.
#include "backends/engine/cpu/elementwise/vector_functors-inl.h"
#include "backends/engine/cpu/elementwise/vector_loops-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hlocts::cpu {
namespace HWY_NAMESPACE {

template <typename T>
KernelFunction OfBits(ops::BitArithmetic operation) {
  switch (operation) {
    case ops::BitArithmetic::kPopcnt:
      return UnaryLoop<PopulationCount, T>;
    case ops::BitArithmetic::kCountLeadingZeros:
      return UnaryLoop<LeadingZeros, T>;
    case ops::BitArithmetic::kMultiply:
      return BinaryLoop<MultiplyBits<T>, T>;
    case ops::BitArithmetic::kNot:
      return UnaryLoop<Not, T>;
    case ops::BitArithmetic::kNegate:
      return UnaryLoop<NegateBits, T>;
    case ops::BitArithmetic::kShiftRightLogical:
      return BinaryLoop<ShiftRight, T>;
    case ops::BitArithmetic::kShiftLeft:
      return BinaryLoop<ShiftLeft, T>;
    case ops::BitArithmetic::kXor:
      return BinaryLoop<Xor, T>;
    case ops::BitArithmetic::kOr:
      return BinaryLoop<Or, T>;
    case ops::BitArithmetic::kAnd:
      return BinaryLoop<And, T>;
    case ops::BitArithmetic::kSubtract:
      return BinaryLoop<Subtract, T>;
    case ops::BitArithmetic::kAdd:
      return BinaryLoop<Add, T>;
  }
  HLOCTS_UNREACHABLE();
}

template <typename T, typename U>
KernelFunction OfInteger(Opcode opcode) {
  if (const std::optional<ops::BitArithmetic> operation = ops::BitArithmeticOf(opcode))
    return OfBits<U>(*operation);
  const std::optional<ops::SignedArithmetic> operation = ops::SignedArithmeticOf(opcode);
  if (!operation.has_value()) return nullptr;
  switch (*operation) {
    case ops::SignedArithmetic::kMaximum:
      return BinaryLoop<Maximum, T>;
    case ops::SignedArithmetic::kMinimum:
      return BinaryLoop<Minimum, T>;
    case ops::SignedArithmetic::kSign:
      return UnaryLoop<SignInteger, T>;
    case ops::SignedArithmetic::kShiftRightArithmetic:
      return BinaryLoop<ShiftRightWithSign, U>;
    case ops::SignedArithmetic::kAbs:  // depends on whether the type is signed: see below
    // integers.cc has scalar kernels of these operations.
    case ops::SignedArithmetic::kDivide:
    case ops::SignedArithmetic::kRemainder:
    case ops::SignedArithmetic::kPower:
    case ops::SignedArithmetic::kMulhi:
      return nullptr;
  }
  HLOCTS_UNREACHABLE();
}

template <typename T, typename U>
KernelFunction OfSigned(Opcode opcode) {
  if (opcode == Opcode::kAbs) return UnaryLoop<AbsWrap<T, U>, T>;
  return OfInteger<T, U>(opcode);
}
template <typename T>
KernelFunction OfUnsigned(Opcode opcode) {
  if (opcode == Opcode::kAbs) return UnaryLoop<Keep, T>;
  return OfInteger<T, T>(opcode);
}

#define HLOCTS_CASE(name, ...)     \
  case ops::FloatArithmetic::name: \
    return __VA_ARGS__;
template <typename T>
KernelFunction OfFloat(Opcode opcode) {
  const std::optional<ops::FloatArithmetic> operation = ops::FloatArithmeticOf(opcode);
  if (!operation.has_value()) return nullptr;
  switch (*operation) {
    HLOCTS_CASE(kAdd, BinaryLoop<Add, T>)
    HLOCTS_CASE(kSubtract, BinaryLoop<Subtract, T>)
    HLOCTS_CASE(kMultiply, BinaryLoop<Multiply, T>)
    HLOCTS_CASE(kDivide, BinaryLoop<Divide, T>)
    HLOCTS_CASE(kMaximum, BinaryLoop<Maximum, T>)
    HLOCTS_CASE(kMinimum, BinaryLoop<Minimum, T>)
    HLOCTS_CASE(kNegate, UnaryLoop<Negate, T>)
    HLOCTS_CASE(kAbs, UnaryLoop<AbsFloat, T>)
    HLOCTS_CASE(kSign, UnaryLoop<SignFloat, T>)
    HLOCTS_CASE(kSqrt, UnaryLoop<Sqrt, T>)
    HLOCTS_CASE(kFloor, UnaryLoop<Floor, T>)
    HLOCTS_CASE(kCeil, UnaryLoop<Ceil, T>)
    HLOCTS_CASE(kRoundNearestEven, UnaryLoop<RoundEven, T>)
    HLOCTS_CASE(kRoundNearestAfz, UnaryLoop<RoundAway, T>)
    HLOCTS_CASE(kReal, UnaryLoop<Keep, T>)
    HLOCTS_CASE(kImag, UnaryLoop<Zero, T>)
    case ops::FloatArithmetic::kIsFinite:
      return UnaryLoop<IsFinite, T, uint8_t>;
    case ops::FloatArithmetic::kRemainder:  // see real_functions.cc
      return nullptr;
  }
  HLOCTS_UNREACHABLE();
}
#undef HLOCTS_CASE

KernelFunction OfPred(Opcode opcode) {
  const std::optional<ops::PredArithmetic> operation = ops::PredArithmeticOf(opcode);
  if (!operation.has_value()) return nullptr;
  switch (*operation) {
    case ops::PredArithmetic::kNot:
      return UnaryLoop<NotPred, uint8_t>;
    case ops::PredArithmetic::kXor:
      return BinaryLoop<Xor, uint8_t>;
    case ops::PredArithmetic::kMultiply:
    case ops::PredArithmetic::kMinimum:
    case ops::PredArithmetic::kAnd:
      return BinaryLoop<And, uint8_t>;
    case ops::PredArithmetic::kAdd:
    case ops::PredArithmetic::kMaximum:
    case ops::PredArithmetic::kOr:
      return BinaryLoop<Or, uint8_t>;
  }
  HLOCTS_UNREACHABLE();
}

KernelFunction Arithmetic(Opcode opcode, PrimitiveType type) {
  if (type == PrimitiveType::kPred) return OfPred(opcode);
  return VisitNumberType<KernelFunction>(type, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_floating_point_v<T>) {
      return OfFloat<T>(opcode);
    } else if constexpr (std::is_signed_v<T>) {
      return OfSigned<T, std::make_unsigned_t<T>>(opcode);
    } else {
      return OfUnsigned<T>(opcode);
    }
  });
}

// Integers are equal if and only if their bits are equal.
template <typename T>
using BitsOfIntegers = typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>,
                                                   std::type_identity<T>>::type;

template <typename T>
KernelFunction CompareOf(Direction direction) {
  using Bits = BitsOfIntegers<T>;
  constexpr KernelFunction kTable[] = {BinaryLoop<Eq, Bits, uint8_t>, BinaryLoop<Ne, Bits, uint8_t>,
                                       BinaryLoop<Lt, T, uint8_t>,    BinaryLoop<Le, T, uint8_t>,
                                       MirroredLoop<Lt, T, uint8_t>,  MirroredLoop<Le, T, uint8_t>};
  return kTable[static_cast<int>(direction)];
}

KernelFunction Compare(Direction direction, PrimitiveType type) {
  return VisitNumberType<KernelFunction>(
      PredAsByte(type), [&](auto zero) { return CompareOf<decltype(zero)>(direction); });
}

}  // namespace HWY_NAMESPACE
}  // namespace hlocts::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlocts::cpu {
HWY_EXPORT(Arithmetic);
HWY_EXPORT(Compare);

KernelFunction VectorArithmetic(Opcode opcode, PrimitiveType type) {
  return HWY_DYNAMIC_DISPATCH(Arithmetic)(opcode, type);
}
KernelFunction VectorCompare(Direction direction, PrimitiveType type) {
  return HWY_DYNAMIC_DISPATCH(Compare)(direction, type);
}
}  // namespace hlocts::cpu
#endif
