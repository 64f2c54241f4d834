// SPDX-License-Identifier: Apache-2.0
// Operations of which a loop may do two at once (vector_pairs.cc).
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_ELEMENTWISE_PAIRED_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_ELEMENTWISE_PAIRED_H_

#include <cstdint>

namespace hlocts::cpu {

enum class Paired : uint8_t {
  kAdd,
  kSubtract,
  kMultiply,
  kMaximum,
  kMinimum,
  kAnd,
  kOr,
  kXor,
  kShiftLeft,
  kShiftRight,
  kRotate
};

}  // namespace hlocts::cpu

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_ELEMENTWISE_PAIRED_H_
