// SPDX-License-Identifier: Apache-2.0
// Emits programs as CUDA C++ for NVRTC. The kernels are those of device/kernels.h. Their programs
// become straight-line code that calls the interpreter's functions on elements.
#pragma once

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "backends/engine/cuda/device/dispatch.h"

namespace hlocts::cuda {

// Arguments of a kernel that are already known when its source is emitted.
struct KernelFacts {
  std::vector<int> types;                   // element types of the arrays; empty if unknown
  const hl::WindowShape* window = nullptr;  // null if the kernel has none
};
// Returns a kernel named hl_kernel, without the #include lines.
std::string EmitKernel(hl::Kernel kernel, absl::Span<const hl::Instr> code,
                       absl::Span<const hl::View> views, const KernelFacts& facts = {});
// A reduction by blocks: `prologue` computes a term, `body` combines two, `epilogue` makes results.
struct ReduceText {
  absl::Span<const hl::Instr> prologue, body, epilogue;
  absl::Span<const hl::View> views;
  hl::View kept, reduced;
  bool init_first = false;
  std::vector<int> init_types, out_types;  // types of init values and stored results
};
std::string EmitReduce(const ReduceText& text);
// A step in a kernel of rows (device/block_rows.h), where it is called a part.
struct RowText {
  absl::Span<const hl::Instr> terms, body, finish;
  absl::Span<const hl::View> views;
  bool is_reduce = false;
  int type = 0, init_type = 0, many = 1;
  // The following fields describe rows in registers (compile/held_rows.h). `holds` has the number
  // of the register array of each input, or -1. `makes` is the result's number. `stores`: the
  // result is written to memory. `read_back`: a later part reads the result from memory.
  bool wide = true;
  std::vector<int> holds;
  int makes = -1;
  bool stores = true, read_back = true;
};
// If `columns` is not 0, rows of this length are kept in registers.
std::string EmitRows(absl::Span<const RowText> parts, int64_t columns = 0);
// Returns the source for NVRTC of `kernel`, a text from EmitKernel or EmitRows. The source lists
// the parts of the headers that NVRTC must compile (device/used.h).
std::string EmitSource(const std::string& kernel);

}  // namespace hlocts::cuda
