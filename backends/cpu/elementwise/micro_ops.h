// Instructions of loops whose values are so small that finding out what to do next costs more than
// doing it. Each is a function that works on whole vectors at fixed addresses and then calls the
// next one; what the last one computed is handed on in a register.
#ifndef HLOCTS_BACKENDS_CPU_ELEMENTWISE_MICRO_OPS_H_
#define HLOCTS_BACKENDS_CPU_ELEMENTWISE_MICRO_OPS_H_

#include <cstdint>

#include "backends/cpu/elementwise/kernel.h"

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

// Any kernel, on memory that need not be padded.
struct MicroCall {
  Kernel kernel;
  const void *a = nullptr, *b = nullptr, *c = nullptr;
  void* out = nullptr;
  int64_t count = 0;
};
// Anything else; false ends the program.
struct MicroThunk {
  bool (*run)(void* context) = nullptr;
  void* context = nullptr;
};

// Where a binary instruction finds its operands: in memory, or one of them is the last result.
enum class MicroOperands : uint8_t { kMemory, kFirstIsLast, kSecondIsLast };

struct MicroTable {
  int64_t vector_bytes;
  // out = kernel(a, b); null for kernels that have no instruction of their own.
  void (*(*binary)(KernelFunction kernel, MicroOperands operands, bool one_vector))();
  // Ends the program with what a comparison of two scalars says; null as above.
  void (*(*end_with)(KernelFunction kernel))();
  void (*(*splat)(int width))();  // out = the element at a, repeated; null for 16 bytes
  void (*call)();                 // a: the MicroCall
  void (*thunk)();                // a: the MicroThunk
  void (*end)();                  // ends the program; true if the byte at a is not zero
  bool (*run)(const MicroOp* first);
};
const MicroTable& MicroOps();

}  // namespace hlocts::cpu

#endif  // HLOCTS_BACKENDS_CPU_ELEMENTWISE_MICRO_OPS_H_
