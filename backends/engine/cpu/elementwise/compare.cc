// SPDX-License-Identifier: Apache-2.0
// Comparisons, and unsigned keys whose order is that of the elements.
#include "backends/engine/cpu/elementwise/families.h"
#include "backends/engine/cpu/elementwise/kernel.h"
#include "backends/engine/cpu/elementwise/wrappers.h"
#include "spec/ir/element_width.h"
#include "spec/ir/float_format.h"
#include "spec/ir/instruction.h"

namespace hlocts::cpu {
namespace {

template <typename Bits>
void KeysOf(PrimitiveType type, const void* elements, uint64_t* keys, int64_t count) {
  const Bits* x = static_cast<const Bits*>(elements);
  const int width = BitWidth(type);
  const uint64_t mask = width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
  const uint64_t sign = uint64_t{1} << (width - 1);
  const bool plain = IsUnsigned(type) || type == PrimitiveType::kPred ||
                     (IsFloat(type) && !FormatOf(type).has_sign);
  const bool magnitude = IsFloat(type) && !plain;
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t bits = static_cast<uint64_t>(x[i]) & mask;
    const uint64_t flip = magnitude && (bits & sign) != 0 ? mask : sign;
    keys[i] = plain ? bits : bits ^ flip;
  }
}

template <class Less>
void CompareKeys(const KernelParameters& p, const void* a, const void* b, const void*, void* out,
                 int64_t count) {
  constexpr int64_t kAtOnce = 512;
  uint64_t x[kAtOnce], y[kAtOnce];
  const int width = StorageBytes(p.operand_type);
  for (int64_t at = 0; at < count; at += kAtOnce) {
    const int64_t n = count - at < kAtOnce ? count - at : kAtOnce;
    TotalOrderKeys(p.operand_type, static_cast<const uint8_t*>(a) + at * width, x, n);
    TotalOrderKeys(p.operand_type, static_cast<const uint8_t*>(b) + at * width, y, n);
    for (int64_t i = 0; i < n; ++i) static_cast<uint8_t*>(out)[at + i] = Less::Apply(x[i], y[i]);
  }
}
#define HLOCTS_KEY_RELATION(Name, op)                               \
  struct Name {                                                     \
    static uint8_t Apply(uint64_t x, uint64_t y) { return x op y; } \
  };
HLOCTS_KEY_RELATION(KeyEq, ==)
HLOCTS_KEY_RELATION(KeyNe, !=)
HLOCTS_KEY_RELATION(KeyLt, <)
HLOCTS_KEY_RELATION(KeyLe, <=)
HLOCTS_KEY_RELATION(KeyGt, >)
HLOCTS_KEY_RELATION(KeyGe, >=)
constexpr KernelFunction kTotalOrder[] = {CompareKeys<KeyEq>, CompareKeys<KeyNe>,
                                          CompareKeys<KeyLt>, CompareKeys<KeyLe>,
                                          CompareKeys<KeyGt>, CompareKeys<KeyGe>};

template <typename T, bool kEqual>
void CompareComplex(const KernelParameters&, const void* a, const void* b, const void*, void* out,
                    int64_t count) {
  const T *x = static_cast<const T*>(a), *y = static_cast<const T*>(b);
  for (int64_t i = 0; i < count; ++i) {
    const bool equal = x[2 * i] == y[2 * i] && x[2 * i + 1] == y[2 * i + 1];
    static_cast<uint8_t*>(out)[i] = equal == kEqual;
  }
}

}  // namespace

bool DirectionOf(const Instruction& instruction, Direction& direction) {
  constexpr absl::string_view kWords[] = {"EQ", "NE", "LT", "LE", "GT", "GE"};
  const absl::string_view word = instruction.WordOr(Attr::kDirection, "");
  for (int i = 0; i < 6; ++i) {
    if (word == kWords[i]) return direction = static_cast<Direction>(i), true;
  }
  return false;
}

void TotalOrderKeys(PrimitiveType type, const void* elements, uint64_t* keys, int64_t count) {
  VisitUnsigned(StorageBytes(type),
                [&](auto zero) { KeysOf<decltype(zero)>(type, elements, keys, count); });
}

Kernel CompareKernel(Direction direction, PrimitiveType type, bool total_order) {
  Kernel kernel;
  kernel.parameters.operand_type = type;
  kernel.parameters.result_type = PrimitiveType::kPred;
  kernel.parameters.operand_count = 2;
  const bool equality = direction == Direction::kEq || direction == Direction::kNe;
  if (IsFloat(type) && total_order) {
    kernel.run = kTotalOrder[static_cast<int>(direction)];
  } else if (IsNarrowFloat(type)) {
    WrapInF32(kernel, VectorCompare(direction, PrimitiveType::kF32));
  } else if (type == PrimitiveType::kC64 && equality) {
    kernel.run =
        direction == Direction::kEq ? CompareComplex<float, true> : CompareComplex<float, false>;
  } else if (type == PrimitiveType::kC128 && equality) {
    kernel.run =
        direction == Direction::kEq ? CompareComplex<double, true> : CompareComplex<double, false>;
  } else {
    kernel.run = VectorCompare(direction, IsSubByte(type) ? ByteType(type) : type);
    kernel.singles = 1 | 2;
  }
  return kernel;
}

}  // namespace hlocts::cpu
