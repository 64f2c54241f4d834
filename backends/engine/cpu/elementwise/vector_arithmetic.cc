// SPDX-License-Identifier: Apache-2.0
// Arithmetic and comparisons that compilers turn into vector code, compiled once for each
// instruction set that is worth it; Highway's dispatch picks one when the program runs. Plain
// loops: what they compute does not depend on the instruction set.
#include "backends/engine/cpu/elementwise/families.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/engine/cpu/elementwise/vector_arithmetic.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h, which includes this file again for each target.
#include "backends/engine/cpu/elementwise/vector_functors-inl.h"
#include "backends/engine/cpu/elementwise/vector_loops-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hlocts::cpu {
namespace HWY_NAMESPACE {

template <typename T>
KernelFunction OfBits(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAdd:
      return BinaryLoop<Add, T>;
    case Opcode::kSubtract:
      return BinaryLoop<Subtract, T>;
    case Opcode::kAnd:
      return BinaryLoop<And, T>;
    case Opcode::kOr:
      return BinaryLoop<Or, T>;
    case Opcode::kXor:
      return BinaryLoop<Xor, T>;
    case Opcode::kShiftLeft:
      return BinaryLoop<ShiftLeft, T>;
    case Opcode::kShiftRightLogical:
      return BinaryLoop<ShiftRight, T>;
    case Opcode::kShiftRightArithmetic:
      return BinaryLoop<ShiftRightWithSign, T>;
    case Opcode::kNegate:
      return UnaryLoop<NegateBits, T>;
    case Opcode::kNot:
      return UnaryLoop<Not, T>;
    default:
      return nullptr;
  }
}

template <typename T, typename U>
KernelFunction OfInteger(Opcode opcode) {
  switch (opcode) {
    case Opcode::kCountLeadingZeros:
      return UnaryLoop<LeadingZeros, U>;
    case Opcode::kPopcnt:
      return UnaryLoop<PopulationCount, U>;
    case Opcode::kMultiply:
      return BinaryLoop<MultiplyBits<U>, U>;
    case Opcode::kMaximum:
      return BinaryLoop<Maximum, T>;
    case Opcode::kMinimum:
      return BinaryLoop<Minimum, T>;
    case Opcode::kSign:
      return UnaryLoop<SignInteger, T>;
    default:
      return OfBits<U>(opcode);
  }
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

template <typename T>
KernelFunction OfFloat(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAdd:
      return BinaryLoop<Add, T>;
    case Opcode::kSubtract:
      return BinaryLoop<Subtract, T>;
    case Opcode::kMultiply:
      return BinaryLoop<Multiply, T>;
    case Opcode::kDivide:
      return BinaryLoop<Divide, T>;
    case Opcode::kMaximum:
      return BinaryLoop<Maximum, T>;
    case Opcode::kMinimum:
      return BinaryLoop<Minimum, T>;
    case Opcode::kNegate:
      return UnaryLoop<Negate, T>;
    case Opcode::kAbs:
      return UnaryLoop<AbsFloat, T>;
    case Opcode::kSign:
      return UnaryLoop<SignFloat, T>;
    case Opcode::kSqrt:
      return UnaryLoop<Sqrt, T>;
    case Opcode::kFloor:
      return UnaryLoop<Floor, T>;
    case Opcode::kCeil:
      return UnaryLoop<Ceil, T>;
    case Opcode::kRoundNearestEven:
      return UnaryLoop<RoundEven, T>;
    case Opcode::kRoundNearestAfz:
      return UnaryLoop<RoundAway, T>;
    case Opcode::kIsFinite:
      return UnaryLoop<IsFinite, T, uint8_t>;
    case Opcode::kReal:
      return UnaryLoop<Keep, T>;
    case Opcode::kImag:
      return UnaryLoop<Zero, T>;
    default:
      return nullptr;
  }
}

KernelFunction OfPred(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAdd:
    case Opcode::kMaximum:
    case Opcode::kOr:
      return BinaryLoop<Or, uint8_t>;
    case Opcode::kMultiply:
    case Opcode::kMinimum:
    case Opcode::kAnd:
      return BinaryLoop<And, uint8_t>;
    case Opcode::kXor:
      return BinaryLoop<Xor, uint8_t>;
    case Opcode::kNot:
      return UnaryLoop<NotPred, uint8_t>;
    default:
      return nullptr;
  }
}

KernelFunction Arithmetic(Opcode opcode, PrimitiveType type) {
  switch (type) {
    case PrimitiveType::kPred:
      return OfPred(opcode);
    case PrimitiveType::kS8:
      return OfSigned<int8_t, uint8_t>(opcode);
    case PrimitiveType::kS16:
      return OfSigned<int16_t, uint16_t>(opcode);
    case PrimitiveType::kS32:
      return OfSigned<int32_t, uint32_t>(opcode);
    case PrimitiveType::kS64:
      return OfSigned<int64_t, uint64_t>(opcode);
    case PrimitiveType::kU8:
      return OfUnsigned<uint8_t>(opcode);
    case PrimitiveType::kU16:
      return OfUnsigned<uint16_t>(opcode);
    case PrimitiveType::kU32:
      return OfUnsigned<uint32_t>(opcode);
    case PrimitiveType::kU64:
      return OfUnsigned<uint64_t>(opcode);
    case PrimitiveType::kF32:
      return OfFloat<float>(opcode);
    case PrimitiveType::kF64:
      return OfFloat<double>(opcode);
    default:
      return nullptr;
  }
}

template <typename T>
KernelFunction CompareOf(Direction direction) {
  constexpr KernelFunction kTable[] = {BinaryLoop<Eq, T, uint8_t>, BinaryLoop<Ne, T, uint8_t>,
                                       BinaryLoop<Lt, T, uint8_t>, BinaryLoop<Le, T, uint8_t>,
                                       BinaryLoop<Gt, T, uint8_t>, BinaryLoop<Ge, T, uint8_t>};
  return kTable[static_cast<int>(direction)];
}

KernelFunction Compare(Direction direction, PrimitiveType type) {
  switch (type) {
    case PrimitiveType::kPred:
    case PrimitiveType::kU8:
      return CompareOf<uint8_t>(direction);
    case PrimitiveType::kU16:
      return CompareOf<uint16_t>(direction);
    case PrimitiveType::kU32:
      return CompareOf<uint32_t>(direction);
    case PrimitiveType::kU64:
      return CompareOf<uint64_t>(direction);
    case PrimitiveType::kS8:
      return CompareOf<int8_t>(direction);
    case PrimitiveType::kS16:
      return CompareOf<int16_t>(direction);
    case PrimitiveType::kS32:
      return CompareOf<int32_t>(direction);
    case PrimitiveType::kS64:
      return CompareOf<int64_t>(direction);
    case PrimitiveType::kF32:
      return CompareOf<float>(direction);
    case PrimitiveType::kF64:
      return CompareOf<double>(direction);
    default:
      return nullptr;
  }
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
