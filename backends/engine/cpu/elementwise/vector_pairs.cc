// SPDX-License-Identifier: Apache-2.0
// Two operations in one loop: what is cheap to compute costs a store and a load for every vector,
// so that a pair takes little more time than either. Each is rounded by itself: results are the
// same bits.
#include <algorithm>
#include <utility>
#include <vector>

#include "backends/engine/cpu/elementwise/families.h"
#include "backends/engine/cpu/elementwise/paired.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/engine/cpu/elementwise/vector_pairs.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h, which includes this file again for each target.
#include "backends/engine/cpu/elementwise/vector_functors-inl.h"
#include "backends/engine/cpu/elementwise/vector_loops-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hlocts::cpu {
namespace HWY_NAMESPACE {
namespace pairs {

// x << y | x >> (width - y), by the shifts' rules: by more than the width nothing is left.
HLOCTS_BINARY(Rotate, y <= sizeof(T) * 8
                          ? (x << (y & (sizeof(T) * 8 - 1))) | (x >> (-y & (sizeof(T) * 8 - 1)))
                          : 0)

// kRight: the first operation's result is the second's right operand.
template <class First, class Second, typename T, bool kRight>
void PairLoop(HLOCTS_ARGUMENTS) {
  const T* x = static_cast<const T*>(a);
  const T* y = static_cast<const T*>(b);
  const T* z = static_cast<const T*>(c);
  T* r = static_cast<T*>(out);
  const auto both = [](T u, T v, T w) {
    const T first = First::Apply(u, v);
    return kRight ? Second::Apply(w, first) : Second::Apply(first, w);
  };
  const bool swaps = kCommutes<First, T> && p.single == 1;
  if (swaps) std::swap(x, y);
  if (!kCommutes<First, T> && p.single == 1) {
    const T all = *x;
    HLOCTS_LOOP
    for (int64_t i = 0; i < count; ++i) r[i] = both(all, y[i], z[i]);
  } else if (swaps || p.single == 2) {
    const T all = *y;
    HLOCTS_LOOP
    for (int64_t i = 0; i < count; ++i) r[i] = both(x[i], all, z[i]);
  } else if (p.single == 4) {
    const T all = *z;
    HLOCTS_LOOP
    for (int64_t i = 0; i < count; ++i) r[i] = both(x[i], y[i], all);
  } else {
    HLOCTS_LOOP
    for (int64_t i = 0; i < count; ++i) r[i] = both(x[i], y[i], z[i]);
  }
}

// Of sums and products either side is the same, but for which NaN comes out.
template <class First, typename T, bool kRight>
KernelFunction FloatSecond(Paired second) {
  switch (second) {
    case Paired::kAdd:
      return PairLoop<First, Add, T, false>;
    case Paired::kSubtract:
      return PairLoop<First, Subtract, T, kRight>;
    case Paired::kMultiply:
      return PairLoop<First, Multiply, T, false>;
    case Paired::kMaximum:
      return PairLoop<First, Maximum, T, kRight>;
    case Paired::kMinimum:
      return PairLoop<First, Minimum, T, kRight>;
    default:
      return nullptr;
  }
}
template <typename T, bool kRight>
KernelFunction FloatPair(Paired first, Paired second) {
  switch (first) {
    case Paired::kAdd:
      return FloatSecond<Add, T, kRight>(second);
    case Paired::kSubtract:
      return FloatSecond<Subtract, T, kRight>(second);
    case Paired::kMultiply:
      return FloatSecond<Multiply, T, kRight>(second);
    case Paired::kMaximum:
      return FloatSecond<Maximum, T, kRight>(second);
    case Paired::kMinimum:
      return FloatSecond<Minimum, T, kRight>(second);
    default:
      return nullptr;
  }
}

// Of whole numbers only the difference minds which side the first result is on.
template <class First, typename T, bool kRight>
KernelFunction BitsSecond(Paired second) {
  switch (second) {
    case Paired::kAdd:
      return PairLoop<First, Add, T, false>;
    case Paired::kSubtract:
      return PairLoop<First, Subtract, T, kRight>;
    case Paired::kAnd:
      return PairLoop<First, And, T, false>;
    case Paired::kOr:
      return PairLoop<First, Or, T, false>;
    case Paired::kXor:
      return PairLoop<First, Xor, T, false>;
    default:
      return nullptr;
  }
}
template <typename T, bool kRight>
KernelFunction BitsPair(Paired first, Paired second) {
  switch (first) {
    case Paired::kAdd:
      return BitsSecond<Add, T, kRight>(second);
    case Paired::kSubtract:
      return BitsSecond<Subtract, T, kRight>(second);
    case Paired::kMultiply:
      return BitsSecond<Multiply, T, kRight>(second);
    case Paired::kAnd:
      return BitsSecond<And, T, kRight>(second);
    case Paired::kOr:
      return BitsSecond<Or, T, kRight>(second);
    case Paired::kXor:
      return BitsSecond<Xor, T, kRight>(second);
    case Paired::kShiftLeft:
      return BitsSecond<ShiftLeft, T, kRight>(second);
    case Paired::kShiftRight:
      return BitsSecond<ShiftRight, T, kRight>(second);
    case Paired::kRotate:
      return BitsSecond<Rotate, T, kRight>(second);
    default:
      return nullptr;
  }
}

}  // namespace pairs

KernelFunction PairOf(PrimitiveType type, Paired first, Paired second, bool right) {
  switch (type) {
    case PrimitiveType::kF32:
      return right ? pairs::FloatPair<float, true>(first, second)
                   : pairs::FloatPair<float, false>(first, second);
    case PrimitiveType::kU32:
      return right ? pairs::BitsPair<uint32_t, true>(first, second)
                   : pairs::BitsPair<uint32_t, false>(first, second);
    default:
      return nullptr;
  }
}

KernelFunction Rotation(PrimitiveType type) {
  switch (type) {
    case PrimitiveType::kU32:
    case PrimitiveType::kS32:
      return BinaryLoop<pairs::Rotate, uint32_t>;
    case PrimitiveType::kU64:
    case PrimitiveType::kS64:
      return BinaryLoop<pairs::Rotate, uint64_t>;
    default:
      return nullptr;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace hlocts::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlocts::cpu {
HWY_EXPORT(PairOf);
HWY_EXPORT(Rotation);

namespace {

struct Known {
  KernelFunction run;
  PrimitiveType type;
  Paired operation;
};

// The kernels of which there are pairs. Signed integers have those of unsigned ones.
std::vector<Known> AllKnown() {
  constexpr std::pair<Opcode, Paired> kOperations[] = {
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
  std::vector<Known> all;
  for (PrimitiveType type : {PrimitiveType::kF32, PrimitiveType::kU32}) {
    for (const auto& [opcode, operation] : kOperations) {
      const KernelFunction run = VectorArithmetic(opcode, type);
      if (run != nullptr) all.push_back({run, type, operation});
    }
  }
  all.push_back({VectorRotation(PrimitiveType::kU32), PrimitiveType::kU32, Paired::kRotate});
  return all;
}

const Known* FindKnown(KernelFunction run) {
  static const auto* const all = new std::vector<Known>(AllKnown());
  const auto found =
      std::find_if(all->begin(), all->end(), [&](const Known& known) { return known.run == run; });
  return found == all->end() ? nullptr : &*found;
}

}  // namespace

KernelFunction VectorRotation(PrimitiveType type) { return HWY_DYNAMIC_DISPATCH(Rotation)(type); }
KernelFunction VectorPair(KernelFunction first, KernelFunction second, bool right) {
  const Known *one = FindKnown(first), *two = FindKnown(second);
  if (one == nullptr || two == nullptr || one->type != two->type) return nullptr;
  return HWY_DYNAMIC_DISPATCH(PairOf)(one->type, one->operation, two->operation, right);
}
}  // namespace hlocts::cpu
#endif
