// SPDX-License-Identifier: Apache-2.0
// A comparison and the select that it decides, in one loop: as bytes in memory a comparison's
// results cost more than to make them.
#include <utility>

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

// Elements of type T are compared, bits as wide are chosen. The other three directions are these
// with what is compared, or what is chosen, the other way round.
template <Direction kDirection, typename T, typename Bits>
Bits Chosen(T x, T y, Bits yes, Bits no) {
  if constexpr (kDirection == Direction::kEq) return x == y ? yes : no;
  if constexpr (kDirection == Direction::kLt) return x < y ? yes : no;
  if constexpr (kDirection == Direction::kLe) return x <= y ? yes : no;
}

// An operand that lies element by element, and one of which there is a single element.
template <typename T>
struct Each {
  const T* at;
  T operator[](int64_t i) const { return at[i]; }
};
template <typename T>
struct Same {
  T value;
  T operator[](int64_t) const { return value; }
};

template <Direction kDirection, typename Bits, typename X, typename Y, typename Yes, typename No>
void Choose(X x, Y y, Yes yes, No no, Bits* r, int64_t count) {
  HLOCTS_LOOP
  for (int64_t i = 0; i < count; ++i) {
    const Bits w = yes[i], z = no[i];
    r[i] = Chosen<kDirection>(x[i], y[i], w, z);
  }
}

template <Direction kDirection, typename T, typename Bits>
void ChoiceOfSingle(uint8_t single, const T* a, const T* b, const Bits* c, const Bits* d, Bits* r,
                    int64_t count) {
  const Each<T> x{a}, y{b};
  const Each<Bits> yes{c}, no{d};
  switch (single) {
    case 1:
      // What is equal is so from either side.
      if constexpr (kDirection == Direction::kEq) {
        return Choose<kDirection>(y, Same<T>{*a}, yes, no, r, count);
      } else {
        return Choose<kDirection>(Same<T>{*a}, y, yes, no, r, count);
      }
    case 2:
      return Choose<kDirection>(x, Same<T>{*b}, yes, no, r, count);
    case 4:
      return Choose<kDirection>(x, y, Same<Bits>{*c}, no, r, count);
    case 8:
      return Choose<kDirection>(x, y, yes, Same<Bits>{*d}, r, count);
    default:
      return Choose<kDirection>(x, y, yes, no, r, count);
  }
}

enum class Order { kAsGiven, kOperandsSwapped, kChoicesSwapped };

template <Direction kDirection, typename T, typename Bits, Order kOrder = Order::kAsGiven>
void ChoiceLoop(HLOCTS_ARGUMENTS) {
  const T *x = static_cast<const T*>(a), *y = static_cast<const T*>(b);
  const auto* chosen = static_cast<const Bits* const*>(c);
  const Bits *yes = chosen[0], *no = chosen[1];
  uint8_t single = p.single;
  if constexpr (kOrder == Order::kOperandsSwapped) {
    std::swap(x, y);
    single = Swapped(single, 1);
  }
  if constexpr (kOrder == Order::kChoicesSwapped) {
    std::swap(yes, no);
    single = Swapped(single, 4);
  }
  ChoiceOfSingle<kDirection>(single, x, y, yes, no, static_cast<Bits*>(out), count);
}

template <typename T, typename Bits>
KernelFunction ChoiceOf(Direction direction) {
  constexpr Order kOperands = Order::kOperandsSwapped, kChoices = Order::kChoicesSwapped;
  constexpr KernelFunction kTable[] = {ChoiceLoop<Direction::kEq, T, Bits>,
                                       ChoiceLoop<Direction::kEq, T, Bits, kChoices>,
                                       ChoiceLoop<Direction::kLt, T, Bits>,
                                       ChoiceLoop<Direction::kLe, T, Bits>,
                                       ChoiceLoop<Direction::kLt, T, Bits, kOperands>,
                                       ChoiceLoop<Direction::kLe, T, Bits, kOperands>};
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
