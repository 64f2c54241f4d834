// SPDX-License-Identifier: Apache-2.0
// Instructions for loops so small that calling a kernel would take longer than its computation. An
// instruction is a function that processes whole vectors at fixed addresses, then jumps to the next
// instruction. The last two results are in vector registers, also between iterations.
#pragma once

#include <cstdint>

#include "backends/engine/cpu/elementwise/kernel.h"

namespace hlocts::cpu {

// The memory that an instruction reads or writes is padded to a multiple of this many bytes.
inline constexpr int64_t kMicroPadding = 64;

struct MicroOp {
  void (*run)() = nullptr;  // must be cast to the selected instruction set's function type
  const void* a = nullptr;
  const void* b = nullptr;
  void* out = nullptr;
  int64_t vectors = 1;
};

// A sequence of instructions up to a branch. When it starts, vector registers must contain the
// results whose addresses are `last` and `before`. A null address requires nothing.
struct MicroChain {
  const MicroOp* first = nullptr;
  // The start of the chain after the branch. That chain branches back to this one.
  const MicroOp* next = nullptr;
  const void *last = nullptr, *before = nullptr;
};
// The branch at the end of a chain. If the condition is true and steps are left, the chain `next`
// is executed.
struct MicroBranch {
  const MicroChain* next = nullptr;
  int64_t* steps_left = nullptr;
  int state = 0;               // which of the two states of the loop this chain has written
  int* final_state = nullptr;  // receives `state` when the loop ends
};

// A call of any kernel. Its memory need not be padded.
struct MicroCall {
  Kernel kernel;
  const void *a = nullptr, *b = nullptr, *c = nullptr;
  void* out = nullptr;
  int64_t count = 0;
};
// A call of any step. If it returns false, the program ends.
struct MicroThunk {
  bool (*run)(void* context) = nullptr;
  void* context = nullptr;
  int64_t* steps_left = nullptr;
};

// One element of an array. Each start index (an s32) is clamped to [0, last] and multiplied by
// `stride`, in bytes.
struct MicroElement {
  static constexpr size_t kStartsMax = 3;
  struct Start {
    const void* at = nullptr;
    int64_t last = 0, stride = 0;
  };
  uint8_t* array = nullptr;
  int64_t bytes = 0;  // size of the array
  int starts_count = 0;
  Start starts[kStartsMax];
};

// The location of a binary instruction's operands: both in memory, or one in the vector register of
// the last result (kLast) or of the result before it (kBefore).
enum class MicroOperands : uint8_t {
  kMemory,
  kLastFirst,
  kLastSecond,
  kBeforeFirst,
  kBeforeSecond
};

struct MicroTable {
  int64_t vector_bytes;
  // Returns the instruction for out = kernel(a, b), or null if the kernel has none.
  void (*(*binary)(KernelFunction kernel, MicroOperands operands, bool one_vector))();
  // Returns an instruction that compares two scalars, and branches by `out` (a MicroBranch) if the
  // comparison is true. Returns null if the kernel has no such instruction.
  void (*(*turn_if)(KernelFunction kernel))();
  void (*(*splat)(int width))();  // `out` = copies of the element at `a`; null for 16 bytes
  // Return instructions that access the array element that the MicroElement at `a` describes, or
  // null for elements of 16 bytes. `element` writes copies of the array element to `out`.
  // `put_element` stores the value at `b` in the array, and preserves the vector registers.
  void (*(*element)(int width))();
  void (*(*put_element)(int width))();
  void (*call)();   // `a`: the MicroCall
  void (*thunk)();  // `a`: the MicroThunk
  void (*turn)();   // branches if the byte at `a` is not zero
  void (*end)();    // ends the program; `out`: the s64 for the steps left
  // Runs a program. `steps_left` is read first, and written when a loop ends or a thunk runs.
  void (*run)(const MicroChain& first, const int64_t& steps_left);
};
const MicroTable& MicroOps();

}  // namespace hlocts::cpu
