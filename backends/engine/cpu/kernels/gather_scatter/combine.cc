// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/kernels/gather_scatter/combine.h"

#include <complex>
#include <type_traits>

#include "backends/engine/cpu/kernels/reduce/reduce_ops.h"
#include "spec/ir/element_width.h"
#include "spec/ir/float_format.h"
#include "spec/ir/number_type.h"

namespace hlocts::kernels {
namespace {

template <typename T>
constexpr bool kIsInteger = std::is_integral_v<T>;

// Returns a NaN if an operand is NaN.
template <ReduceKind kKind, typename T>
T Apply(T a, T b) {
  if constexpr (kKind == ReduceKind::kAdd) return static_cast<T>(a + b);
  if constexpr (kKind == ReduceKind::kMultiply && kIsInteger<T>) {
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  } else if constexpr (kKind == ReduceKind::kMultiply) {
    return a * b;
  } else if constexpr (kKind == ReduceKind::kMinimum) {
    return a < b || a != a ? a : b;
  } else if constexpr (kKind == ReduceKind::kMaximum) {
    return a > b || a != a ? a : b;
  } else if constexpr (kKind == ReduceKind::kAnd) {
    return static_cast<T>(a & b);
  } else if constexpr (kKind == ReduceKind::kOr) {
    return static_cast<T>(a | b);
  } else if constexpr (kKind == ReduceKind::kXor) {
    return static_cast<T>(a ^ b);
  }
}

template <ReduceKind kKind, typename T>
void Combine(ReduceKind, const CombineArgs& args) {
  T* target = static_cast<T*>(args.target);
  const T* update = static_cast<const T*>(args.update);
  if (args.target_stride == 1 && args.update_stride == 1) {
    for (int64_t i = 0; i < args.count; ++i) target[i] = Apply<kKind>(target[i], update[i]);
    return;
  }
  for (int64_t i = 0; i < args.count; ++i) {
    T& to = target[i * args.target_stride];
    to = Apply<kKind>(to, update[i * args.update_stride]);
  }
}

double ApplyDouble(ReduceKind kind, double a, double b) {
  if (kind == ReduceKind::kAdd) return a + b;
  if (kind == ReduceKind::kMultiply) return a * b;
  return kind == ReduceKind::kMinimum ? Apply<ReduceKind::kMinimum>(a, b)
                                      : Apply<ReduceKind::kMaximum>(a, b);
}

// Computes floats of at most 16 bits in double, then rounds. Double is so precise that the sum or
// product of two such numbers is the same as with one rounding.
template <typename Bits>
void CombineNarrowFloats(ReduceKind kind, const CombineArgs& args) {
  const FloatFormat& format = FormatOf(args.type);
  Bits* target = static_cast<Bits*>(args.target);
  const Bits* update = static_cast<const Bits*>(args.update);
  for (int64_t i = 0; i < args.count; ++i) {
    Bits& to = target[i * args.target_stride];
    const double a = DecodeNarrow(args.type, to);
    const double b = DecodeNarrow(args.type, update[i * args.update_stride]);
    to = static_cast<Bits>(EncodeFloat(format, ApplyDouble(kind, a, b)));
  }
}

// Computes integers of less than 8 bits as bytes, then truncates them to their width.
void CombineNarrowIntegers(ReduceKind kind, const CombineArgs& args) {
  const int spare = 8 - BitWidth(args.type);
  uint8_t* target = static_cast<uint8_t*>(args.target);
  CombineFor(kind, IsSigned(args.type) ? PrimitiveType::kS8 : PrimitiveType::kU8)(kind, args);
  for (int64_t i = 0; i < args.count; ++i) {
    uint8_t& to = target[i * args.target_stride];
    const uint8_t high = static_cast<uint8_t>(to << spare);
    to = IsSigned(args.type) ? static_cast<uint8_t>(static_cast<int8_t>(high) >> spare)
                             : static_cast<uint8_t>(high >> spare);
  }
}

template <ReduceKind kKind>
CombineFunction UnsignedCombine(PrimitiveType type) {
  return VisitUnsigned(StorageBytes(type),
                       [](auto zero) -> CombineFunction { return Combine<kKind, decltype(zero)>; });
}

template <ReduceKind kKind>
CombineFunction ArithmeticCombine(PrimitiveType type) {
  switch (type) {
    case PrimitiveType::kF32:
      return Combine<kKind, float>;
    case PrimitiveType::kF64:
      return Combine<kKind, double>;
    case PrimitiveType::kC64:
      return Combine<kKind, std::complex<float>>;
    case PrimitiveType::kC128:
      return Combine<kKind, std::complex<double>>;
    default:
      return UnsignedCombine<kKind>(type);
  }
}

template <ReduceKind kKind>
CombineFunction OrderCombine(PrimitiveType type) {
  return VisitNumberType<CombineFunction>(PredAsByte(type), [](auto zero) -> CombineFunction {
    return Combine<kKind, decltype(zero)>;
  });
}

}  // namespace

CombineFunction CombineFor(ReduceKind kind, PrimitiveType type) {
  if (type == PrimitiveType::kPred) kind = KindOnBits(kind);
  if (IsFloat(type) && BitWidth(type) < 32) {
    return BitWidth(type) == 16 ? CombineNarrowFloats<uint16_t> : CombineNarrowFloats<uint8_t>;
  }
  if (IsSubByte(type)) return CombineNarrowIntegers;
  switch (kind) {
    case ReduceKind::kAdd:
      return ArithmeticCombine<ReduceKind::kAdd>(type);
    case ReduceKind::kMultiply:
      return ArithmeticCombine<ReduceKind::kMultiply>(type);
    case ReduceKind::kMinimum:
      return OrderCombine<ReduceKind::kMinimum>(type);
    case ReduceKind::kMaximum:
      return OrderCombine<ReduceKind::kMaximum>(type);
    case ReduceKind::kAnd:
      return UnsignedCombine<ReduceKind::kAnd>(type);
    case ReduceKind::kOr:
      return UnsignedCombine<ReduceKind::kOr>(type);
    default:
      return UnsignedCombine<ReduceKind::kXor>(type);
  }
}

}  // namespace hlocts::kernels
