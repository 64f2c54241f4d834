// SPDX-License-Identifier: Apache-2.0
// Elements with special rules in algebra, as bits: 1, both zeros, all bits set, the ends of a
// range.
#ifndef HLOCTS_BACKENDS_ENGINE_PLAN_SPECIAL_ELEMENTS_H_
#define HLOCTS_BACKENDS_ENGINE_PLAN_SPECIAL_ELEMENTS_H_

#include <cstdint>
#include <optional>

#include "spec/ir/primitive_type.h"

namespace hlocts::plan {

enum class SpecialElement : uint8_t {
  kZero,
  kMinusZero,
  kOne,
  kOnes,    // all bits set; of pred: true
  kLowest,  // of integers, as kLargest
  kLargest,
  kInfinite,
  kMinusInfinite
};

// The bits of an element of the type; up to 64.
uint64_t MaskOf(PrimitiveType type);
// nullopt where the type has no such element.
std::optional<uint64_t> BitsOf(SpecialElement special, PrimitiveType type);

}  // namespace hlocts::plan

#endif  // HLOCTS_BACKENDS_ENGINE_PLAN_SPECIAL_ELEMENTS_H_
