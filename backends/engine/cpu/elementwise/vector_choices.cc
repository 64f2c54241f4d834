// SPDX-License-Identifier: Apache-2.0
// A comparison and the select that it decides, in one loop: as bytes in memory a comparison's
// results cost more than to make them.
#include <vector>

#include "backends/engine/cpu/elementwise/families.h"
#include "spec/ir/primitive_type.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/engine/cpu/elementwise/vector_choices.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h, which includes this file again for each target.
#include "backends/engine/cpu/elementwise/vector_loops-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hlocts::cpu {
namespace HWY_NAMESPACE {
namespace choices {

// Elements of type T are compared, bits as wide are chosen.
template <Direction kDirection, typename T, typename Bits>
Bits Chosen(T x, T y, Bits yes, Bits no) {
  switch (kDirection) {
    case Direction::kEq:
      return x == y ? yes : no;
    case Direction::kNe:
      return x != y ? yes : no;
    case Direction::kLt:
      return x < y ? yes : no;
    case Direction::kLe:
      return x <= y ? yes : no;
    case Direction::kGt:
      return x > y ? yes : no;
    case Direction::kGe:
      return x >= y ? yes : no;
  }
}

template <Direction kDirection, typename T, typename Bits>
void ChoiceLoop(HLOCTS_ARGUMENTS) {
  const auto* arrays = static_cast<const Bits* const*>(c);
  T repeated[kStep<T>];
  Bits repeated_bits[kStep<T>];
  Operand<T> x(a, p.single == 1, repeated);
  Operand<T> y(b, p.single == 2, repeated);
  Operand<Bits> w(arrays[0], p.single == 4, repeated_bits);
  Operand<Bits> z(arrays[1], p.single == 8, repeated_bits);
  Bits* r = static_cast<Bits*>(out);
  StepByStep<kStep<T>>(
      count,
      [&](int64_t i) {
        const Bits yes = w.at[i], no = z.at[i];
        r[i] = Chosen<kDirection>(x.at[i], y.at[i], yes, no);
      },
      [&] { x.Advance(), y.Advance(), w.Advance(), z.Advance(), r += kStep<T>; });
}

template <typename T, typename Bits>
KernelFunction ChoiceOf(Direction direction) {
  constexpr KernelFunction kTable[] = {
      ChoiceLoop<Direction::kEq, T, Bits>, ChoiceLoop<Direction::kNe, T, Bits>,
      ChoiceLoop<Direction::kLt, T, Bits>, ChoiceLoop<Direction::kLe, T, Bits>,
      ChoiceLoop<Direction::kGt, T, Bits>, ChoiceLoop<Direction::kGe, T, Bits>};
  return kTable[static_cast<int>(direction)];
}

}  // namespace choices

KernelFunction Choice(Direction direction, PrimitiveType type) {
  switch (type) {
    case PrimitiveType::kF32:
      return choices::ChoiceOf<float, uint32_t>(direction);
    case PrimitiveType::kS32:
      return choices::ChoiceOf<int32_t, uint32_t>(direction);
    case PrimitiveType::kU32:
      return choices::ChoiceOf<uint32_t, uint32_t>(direction);
    case PrimitiveType::kF64:
      return choices::ChoiceOf<double, uint64_t>(direction);
    case PrimitiveType::kS64:
      return choices::ChoiceOf<int64_t, uint64_t>(direction);
    default:
      return nullptr;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace hlocts::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlocts::cpu {
HWY_EXPORT(Choice);

KernelFunction VectorChoice(KernelFunction compare, KernelFunction select) {
  for (PrimitiveType type : {PrimitiveType::kF32, PrimitiveType::kS32, PrimitiveType::kU32,
                             PrimitiveType::kF64, PrimitiveType::kS64}) {
    if (VectorSelect(StorageBytes(type)) != select) continue;
    for (int d = 0; d < 6; ++d) {
      const auto direction = static_cast<Direction>(d);
      if (VectorCompare(direction, type) == compare)
        return HWY_DYNAMIC_DISPATCH(Choice)(direction, type);
    }
  }
  return nullptr;
}
}  // namespace hlocts::cpu
#endif
