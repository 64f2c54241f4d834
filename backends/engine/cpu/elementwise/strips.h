// SPDX-License-Identifier: Apache-2.0
// Chains of operations on 32-bit integers that a strip of elements goes through in registers,
// before the next strip begins: what makes indices, and a gather that takes elements by them at
// once. While the loads of one strip are waited for the processor makes the indices of the next.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_ELEMENTWISE_STRIPS_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_ELEMENTWISE_STRIPS_H_

#include <cstdint>
#include <optional>

#include "backends/engine/cpu/elementwise/kernel.h"

namespace hlocts::cpu {

// x is the strip in registers, m the memory that the operation names.
enum class StripCode : uint8_t {
  kLine,   // x = number, number + 1, ... of the elements' own places
  kLoad,   // x = m
  kStore,  // m = x
  kAdd,    // x = x + m, and so on
  kSubtract,
  kMultiply,
  kAnd,
  kOr,
  kXor,
  kShiftLeft,
  kShiftRight,
  kMaximumSigned,
  kMinimumSigned,
  kMaximumUnsigned,
  kMinimumUnsigned,
  kGatherSigned,  // m = table[x, not below 0 and not above number]; ends the chain
  kGatherUnsigned,
  kEnd,
};

struct StripOp {
  StripCode code = StripCode::kEnd;
  int64_t moves = 0;      // -1: m advances with the elements; 0: every strip finds the same
  uint8_t* at = nullptr;  // m of element 0
  const void* table = nullptr;
  int64_t number = 0;
};

struct StripTable {
  int64_t elements = 0;  // of a strip; 0: not for this instruction set
  // Elements [begin, end), a multiple of a strip.
  void (*run)(const StripOp* ops, int64_t begin, int64_t end) = nullptr;
};
const StripTable& Strips();

struct StripOperation {
  StripCode code;
  bool commutes;
};
// Of a kernel of two operands.
std::optional<StripOperation> StripOperationOf(KernelFunction kernel);
bool IsStripLine(KernelFunction kernel);

}  // namespace hlocts::cpu

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_ELEMENTWISE_STRIPS_H_
