// SPDX-License-Identifier: Apache-2.0
// Instructions of loops whose values are so small that dispatch costs more than computation. Each
// is a function that works on whole vectors at fixed addresses and then jumps to the next one; the
// last two results are passed in registers, from one iteration of the loop to the next.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_ELEMENTWISE_MICRO_OPS_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_ELEMENTWISE_MICRO_OPS_H_

#include <cstdint>

#include "backends/engine/cpu/elementwise/kernel.h"

namespace hlocts::cpu {

// Memory that an instruction reads or writes is padded to a multiple of this.
inline constexpr int64_t kMicroPadding = 64;

struct MicroOp {
  void (*run)() = nullptr;  // its real type is that of the instruction set's vectors
  const void* a = nullptr;
  const void* b = nullptr;
  void* out = nullptr;
  int64_t vectors = 1;
};

// Instructions up to the next branch, and the locations of the results that they expect in
// registers (null: none).
struct MicroChain {
  const MicroOp* first = nullptr;
  const MicroOp* next = nullptr;  // beginning of the chain after the turn, followed by this one
  const void *last = nullptr, *before = nullptr;
};
// The end of a chain of a loop: if its condition holds and steps are left, `next` follows.
struct MicroTurn {
  const MicroChain* next = nullptr;
  int64_t* steps_left = nullptr;
  int state = 0;               // which of two states the chain has made,
  int* final_state = nullptr;  // written when the loop ends
};

// Any kernel, on memory that need not be padded.
struct MicroCall {
  Kernel kernel;
  const void *a = nullptr, *b = nullptr, *c = nullptr;
  void* out = nullptr;
  int64_t count = 0;
};
// Any other step; false ends the program.
struct MicroThunk {
  bool (*run)(void* context) = nullptr;
  void* context = nullptr;
  int64_t* steps_left = nullptr;
};

// One element of an array, at starts (s32) that are clamped and counted in bytes.
struct MicroElement {
  static constexpr size_t kStartsMax = 3;
  struct Start {
    const void* at = nullptr;
    int64_t last = 0, stride = 0;
  };
  uint8_t* array = nullptr;
  int64_t bytes = 0;  // of the array
  int starts_count = 0;
  Start starts[kStartsMax];
};

// The locations of a binary instruction's operands: memory, or one of them is the last result or
// the one before it.
enum class MicroOperands : uint8_t {
  kMemory,
  kLastFirst,
  kLastSecond,
  kBeforeFirst,
  kBeforeSecond
};

struct MicroTable {
  int64_t vector_bytes;
  // out = kernel(a, b); null for kernels that have no instruction of their own.
  void (*(*binary)(KernelFunction kernel, MicroOperands operands, bool one_vector))();
  // Turns (out: the MicroTurn) if a comparison of two scalars holds; null as above.
  void (*(*turn_if)(KernelFunction kernel))();
  void (*(*splat)(int width))();  // out = the element at a, repeated; null for 16 bytes
  // a: the MicroElement. Stores it to out, repeated, then stores the element at b to it; the last
  // results stay in their registers. Null as above.
  void (*(*element)(int width))();
  void (*(*put_element)(int width))();
  void (*call)();   // a: the MicroCall
  void (*thunk)();  // a: the MicroThunk
  void (*turn)();   // turns if the byte at a is not zero
  void (*end)();    // ends the program; out: the s64 that takes the steps left
  // steps_left is read at the start and written when a turn ends or a thunk runs.
  void (*run)(const MicroChain& first, const int64_t& steps_left);
};
const MicroTable& MicroOps();

}  // namespace hlocts::cpu

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_ELEMENTWISE_MICRO_OPS_H_
