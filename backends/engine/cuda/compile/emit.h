// SPDX-License-Identifier: Apache-2.0
// Programs as CUDA C++ for NVRTC: the kernels of device/kernels.h around straight-line code that
// calls the same functions on elements as the interpreter.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_COMPILE_EMIT_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_COMPILE_EMIT_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "backends/engine/cuda/device/dispatch.h"

namespace hlocts::cuda {

// Run-time arguments of a kernel that are known when its source is emitted.
struct KernelFacts {
  std::vector<int> types;                   // of its arrays; none: it is no such kernel
  const hl::WindowShape* window = nullptr;  // of kernels that have one
};
// A kernel called hl_kernel, without the headers that it needs.
std::string EmitKernel(hl::Kernel kernel, absl::Span<const hl::Instr> code,
                       absl::Span<const hl::View> views, const KernelFacts& facts = {});
// A reduction by blocks: its terms, the combination of two, and the function of a result.
struct ReduceText {
  absl::Span<const hl::Instr> prologue, body, epilogue;
  absl::Span<const hl::View> views;
  hl::View kept, reduced;
  bool init_first = false;
  std::vector<int> init_types, out_types;  // of the places; of what is stored
};
std::string EmitReduce(const ReduceText& text);
// One step of a kernel of rows (device/block_rows.h).
struct RowText {
  absl::Span<const hl::Instr> terms, body, finish;
  absl::Span<const hl::View> views;
  bool is_reduce = false;
  int type = 0, init_type = 0, many = 1;
  // If threads hold rows (compile/held_rows.h): the place in which each array is held, -1: in
  // memory alone; the place of the result; whether it goes to memory, and is read from there.
  bool wide = true;
  std::vector<int> holds;
  int makes = -1;
  bool stores = true, read_back = true;
};
// columns: of rows that are held; 0: nothing is.
std::string EmitRows(absl::Span<const RowText> parts, int64_t columns = 0);
// A kernel as NVRTC takes it, named hl_kernel; of the headers it compiles only the listed parts
// (device/used.h).
std::string EmitSource(const std::string& kernel);

}  // namespace hlocts::cuda

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_COMPILE_EMIT_H_
