// SPDX-License-Identifier: Apache-2.0
// A pass of reduce-window over one dimension, [outer, n, inner] -> [outer, m, inner], and the ways
// to run it. Only for *_isa.cc.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_WINDOW_WINDOW_PASS_ISA_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_WINDOW_WINDOW_PASS_ISA_H_

#include "backends/engine/cpu/kernels/reduce/reduce_table_isa.h"
#include "backends/engine/cpu/kernels/runtime/division_isa.h"
#include "backends/engine/cpu/kernels/window/window.h"

namespace hlocts::kernels::HLOCTS_ISA {

inline constexpr int64_t kWindowTile = 2048;    // outputs, or adjacent elements, of a unit of work
inline constexpr int64_t kScanBlock = 1 << 15;  // of a long line that several threads scan
inline constexpr double kNanosecondsPerElement = 0.5;

struct WindowPass {
  ReduceOps ops;
  WindowDimensionSpec window;
  int64_t outer, inner;
  const char* from;
  char* to;

  int64_t n() const { return window.input_size; }
  int64_t m() const { return window.output_size; }
  // First position (undilated input numbering for base_dilation 1) of output j's window.
  int64_t Start(int64_t j) const { return j * window.stride - window.padding_low; }
};

// Combines tap by tap: short windows, dilation.
void RunTaps(const Parallel& parallel, const WindowPass& pass);
// Combines for each output the end of one block of window length with the beginning of the next.
absl::Status RunBlocks(const Parallel& parallel, const WindowPass& pass);
// The prefixes of one long block, by several threads: sums of fixed pieces, then the pieces.
absl::Status ScanLongBlock(const Parallel& parallel, const ReduceOps& ops, const char* from,
                           int64_t count, char* to, const void* init = nullptr);

}  // namespace hlocts::kernels::HLOCTS_ISA

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_WINDOW_WINDOW_PASS_ISA_H_
