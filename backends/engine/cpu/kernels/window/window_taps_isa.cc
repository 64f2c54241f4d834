// SPDX-License-Identifier: Apache-2.0
// Passes of reduce-window tap by tap.
#include <algorithm>

#include "backends/engine/cpu/kernels/runtime/entries_isa.h"
#include "backends/engine/cpu/kernels/window/window_pass_isa.h"

namespace hlocts::kernels::HLOCTS_ISA {
namespace {

// Lines of single elements: for each tap the outputs that it reaches are one strided run.
void TapsOfLine(const WindowPass& pass, const char* line, char* out, int64_t begin, int64_t end) {
  const WindowDimensionSpec& w = pass.window;
  const int64_t bytes = pass.ops.bytes, base = w.base_dilation;
  alignas(64) char run[kWindowTile * 16];
  pass.ops.fill(out + begin * bytes, end - begin);
  for (int64_t k = 0; k < w.size; ++k) {
    const int64_t shift = k * w.window_dilation - w.padding_low;
    // Outputs j with 0 <= j * stride + shift <= (n - 1) * base, on the grid of base.
    int64_t j = std::max(begin, CeilDiv(-shift, w.stride));
    const int64_t last = std::min(end - 1, FloorDiv((w.input_size - 1) * base - shift, w.stride));
    if (base == 1) {
      if (j > last) continue;
      const char* from = line + (j * w.stride + shift) * bytes;
      const int64_t count = last - j + 1;
      if (w.stride != 1) PackRun(static_cast<int>(bytes), from, w.stride, count, run);
      pass.ops.columns(out + j * bytes, w.stride == 1 ? from : run, 0, 1, count);
      continue;
    }
    for (; j <= last; ++j) {
      const int64_t at = j * w.stride + shift;
      if (at % base == 0) pass.ops.row(line + at / base * bytes, 1, out + j * bytes);
    }
  }
}

// Rows of `inner` adjacent elements.
void TapsOfRows(const WindowPass& pass, int64_t outer, int64_t j, int64_t first, int64_t count) {
  const WindowDimensionSpec& w = pass.window;
  const int64_t bytes = pass.ops.bytes;
  char* out = pass.to + ((outer * pass.m() + j) * pass.inner + first) * bytes;
  pass.ops.fill(out, count);
  for (int64_t k = 0; k < w.size; ++k) {
    const int64_t at = pass.Start(j) + k * w.window_dilation;
    if (at < 0 || at % w.base_dilation != 0 || at / w.base_dilation >= w.input_size) continue;
    const int64_t row = outer * pass.n() + at / w.base_dilation;
    pass.ops.columns(out, pass.from + (row * pass.inner + first) * bytes, 0, 1, count);
  }
}

}  // namespace

void RunTaps(const Parallel& parallel, const WindowPass& pass) {
  const bool lines = pass.inner == 1;
  const int64_t tiles = CeilDiv(lines ? pass.m() : pass.inner, kWindowTile);
  const int64_t units = pass.outer * tiles * (lines ? 1 : pass.m());
  const int64_t width = std::min(kWindowTile, lines ? pass.m() : pass.inner);
  const double cost = 10 + kNanosecondsPerElement * width * static_cast<double>(pass.window.size);
  parallel.For(units, cost, [&](int64_t unit, int64_t end) {
    for (; unit < end; ++unit) {
      const int64_t first = unit % tiles * kWindowTile, rest = unit / tiles;
      if (lines) {
        TapsOfLine(pass, pass.from + rest * pass.n() * pass.ops.bytes,
                   pass.to + rest * pass.m() * pass.ops.bytes, first,
                   std::min(pass.m(), first + kWindowTile));
      } else {
        TapsOfRows(pass, rest / pass.m(), rest % pass.m(), first,
                   std::min(kWindowTile, pass.inner - first));
      }
    }
  });
}

}  // namespace hlocts::kernels::HLOCTS_ISA
