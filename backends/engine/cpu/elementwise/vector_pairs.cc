// SPDX-License-Identifier: Apache-2.0
// Kernels that compute two operations in one loop. Loads and stores take most of the time of a fast
// operation, so a pair takes little more time than one operation. Each operation is rounded
// separately, so the bits are those of two loops.
#include <type_traits>
#include <utility>

#include "backends/engine/cpu/elementwise/families.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/engine/cpu/elementwise/vector_pairs.cc"
#include "hwy/foreach_target.h"
// Must follow foreach_target.h, which includes this file again for each target.
#include "backends/engine/cpu/elementwise/vector_functors-inl.h"
#include "backends/engine/cpu/elementwise/vector_loops-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hlocts::cpu {
namespace HWY_NAMESPACE {
namespace pairs {

// Computes x << y | x >> (width - y) with HLO's shifts: a shift by the width or more yields 0.
HLOCTS_BINARY(Rotate, y <= sizeof(T) * 8
                          ? (x << (y & (sizeof(T) * 8 - 1))) | (x >> (-y & (sizeof(T) * 8 - 1)))
                          : 0)
HLOCTS_BINARY(Square, x* y)  // uses one operand; there is no third one

// Applies First, then Second. If kRight, the result of First is the right operand of Second.
template <class First, class Second, typename T, bool kRight>
void PairLoop(HLOCTS_ARGUMENTS) {
  const T *x = static_cast<const T*>(a), *y = static_cast<const T*>(b);
  const T* z = static_cast<const T*>(c);
  T* r = static_cast<T*>(out);
  const auto both = [](T u, T v, const T& w) HWY_ATTR {
    const T first = First::Apply(u, v);
    if constexpr (std::is_same_v<Second, Square>) return Square::Apply(first, first);
    return kRight ? Second::Apply(w, first) : Second::Apply(first, w);
  };
  if (p.single == 1) {
    const T all = *x;
    HLOCTS_LOOP
    for (int64_t i = 0; i < count; ++i) r[i] = both(all, y[i], z[i]);
  } else if (p.single == 2) {
    const T all = *y;
    HLOCTS_LOOP
    for (int64_t i = 0; i < count; ++i) r[i] = both(x[i], all, z[i]);
  } else if (p.single == 4) {
    const T all = *z;
    HLOCTS_LOOP
    for (int64_t i = 0; i < count; ++i) r[i] = both(x[i], y[i], all);
  } else {
    const int64_t size = p.row_size > 0 ? p.row_size : count;
    const auto step = [&](int k) { return (p.repeated >> k & 1) != 0 ? 0 : size; };
    for (int64_t at = 0; at < count; at += size, x += step(0), y += step(1), z += step(2)) {
      HLOCTS_LOOP
      for (int64_t i = 0; i < size; ++i) r[at + i] = both(x[i], y[i], z[i]);
    }
  }
}

// For add and multiply the operands may be exchanged: this only affects which of two NaNs results.
template <class First, typename T>
KernelFunction SecondOf(Paired second, bool right) {
  constexpr bool kFloat = std::is_floating_point_v<T>;
  using P = Paired;
  if (second == P::kAdd) return PairLoop<First, Add, T, false>;
  if (second == P::kSubtract)
    return right ? PairLoop<First, Subtract, T, true> : PairLoop<First, Subtract, T, false>;
  if constexpr (kFloat) {
    if (second == P::kMultiply) return PairLoop<First, Multiply, T, false>;
    if (second == P::kSquare) return PairLoop<First, Square, T, false>;
    if (second == P::kMaximum)
      return right ? PairLoop<First, Maximum, T, true> : PairLoop<First, Maximum, T, false>;
    if (second == P::kMinimum)
      return right ? PairLoop<First, Minimum, T, true> : PairLoop<First, Minimum, T, false>;
  } else {
    if (second == P::kAnd) return PairLoop<First, And, T, false>;
    if (second == P::kOr) return PairLoop<First, Or, T, false>;
    if (second == P::kXor) return PairLoop<First, Xor, T, false>;
  }
  return nullptr;
}

template <typename T>
KernelFunction FirstOf(Paired first, Paired second, bool right) {
  constexpr bool kFloat = std::is_floating_point_v<T>;
  using P = Paired;
  if (first == P::kAdd) return SecondOf<Add, T>(second, right);
  if (first == P::kSubtract) return SecondOf<Subtract, T>(second, right);
  if (first == P::kMultiply) return SecondOf<Multiply, T>(second, right);
  if constexpr (!kFloat) {
    if (first == P::kXor) return SecondOf<Xor, T>(second, right);
    if (first == P::kShiftLeft) return SecondOf<ShiftLeft, T>(second, right);
    if (first == P::kShiftRight) return SecondOf<ShiftRight, T>(second, right);
    if (first == P::kRotate) return SecondOf<Rotate, T>(second, right);
  }
  return nullptr;
}

}  // namespace pairs

KernelFunction PairOf(PrimitiveType type, Paired first, Paired second, bool right) {
  if (type == PrimitiveType::kF32) return pairs::FirstOf<float>(first, second, right);
  const bool bits = type == PrimitiveType::kU32 || type == PrimitiveType::kS32;
  return bits ? pairs::FirstOf<uint32_t>(first, second, right) : nullptr;
}

KernelFunction Rotation(PrimitiveType type) {
  const bool bits = type == PrimitiveType::kU32 || type == PrimitiveType::kS32;
  return bits ? BinaryLoop<pairs::Rotate, uint32_t> : nullptr;
}

}  // namespace HWY_NAMESPACE
}  // namespace hlocts::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlocts::cpu {
HWY_EXPORT(PairOf);
HWY_EXPORT(Rotation);

Paired PairedOf(Opcode opcode) {
  constexpr std::pair<Opcode, Paired> kPaired[] = {
      {Opcode::kAdd, Paired::kAdd},
      {Opcode::kSubtract, Paired::kSubtract},
      {Opcode::kMultiply, Paired::kMultiply},
      {Opcode::kMaximum, Paired::kMaximum},
      {Opcode::kMinimum, Paired::kMinimum},
      {Opcode::kAnd, Paired::kAnd},
      {Opcode::kOr, Paired::kOr},
      {Opcode::kXor, Paired::kXor},
      {Opcode::kShiftLeft, Paired::kShiftLeft},
      {Opcode::kShiftRightLogical, Paired::kShiftRight},
  };
  for (const auto& [known, paired] : kPaired) {
    if (known == opcode) return paired;
  }
  return Paired::kNone;
}
KernelFunction VectorRotation(PrimitiveType type) { return HWY_DYNAMIC_DISPATCH(Rotation)(type); }
KernelFunction VectorPair(PrimitiveType type, Paired first, Paired second, bool right) {
  return HWY_DYNAMIC_DISPATCH(PairOf)(type, first, second, right);
}
}  // namespace hlocts::cpu
#endif
