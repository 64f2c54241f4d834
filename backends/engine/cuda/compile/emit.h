// SPDX-License-Identifier: Apache-2.0
// Emits programs as CUDA C++ for NVRTC. The kernels are those of device/kernels.h, with
// straight-line code that calls the same functions on elements as the interpreter.
#pragma once

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "backends/engine/cuda/device/dispatch.h"

namespace hlocts::cuda {

// Run-time arguments of a kernel that are known when its source is emitted.
struct KernelFacts {
  std::vector<int> types;                   // element types of the arrays; empty: unknown
  const hl::WindowShape* window = nullptr;  // null: the kernel has none
};
// Returns a kernel named hl_kernel without the headers that it needs.
std::string EmitKernel(hl::Kernel kernel, absl::Span<const hl::Instr> code,
                       absl::Span<const hl::View> views, const KernelFacts& facts = {});
// A reduction by blocks: the programs of its terms, of the combination of two, and of the result.
struct ReduceText {
  absl::Span<const hl::Instr> prologue, body, epilogue;
  absl::Span<const hl::View> views;
  hl::View kept, reduced;
  bool init_first = false;
  std::vector<int> init_types, out_types;  // types of the init values and of the stored results
};
std::string EmitReduce(const ReduceText& text);
// One step of a kernel of rows (device/block_rows.h).
struct RowText {
  absl::Span<const hl::Instr> terms, body, finish;
  absl::Span<const hl::View> views;
  bool is_reduce = false;
  int type = 0, init_type = 0, many = 1;
  // Rows in registers (compile/held_rows.h). holds: the register array of each input, -1 if it has
  // none. makes: the register array of the result. stores: the result is written to memory.
  // read_back: a later part reads the result from memory.
  bool wide = true;
  std::vector<int> holds;
  int makes = -1;
  bool stores = true, read_back = true;
};
// columns: the length of rows that are kept in registers; 0: no rows are.
std::string EmitRows(absl::Span<const RowText> parts, int64_t columns = 0);
// Returns the source for NVRTC, with a kernel named hl_kernel. NVRTC compiles only the listed parts
// of the headers (device/used.h).
std::string EmitSource(const std::string& kernel);

}  // namespace hlocts::cuda
