// SPDX-License-Identifier: Apache-2.0
// reduce-window, one dimension after another. A cumulative reduction along the last dimension
// requires only one pass.
#include "backends/engine/cpu/kernels/window/window.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include "backends/engine/cpu/kernels/reduce/reduce_ops.h"
#include "backends/engine/cpu/kernels/runtime/checks.h"
#include "backends/engine/cpu/kernels/runtime/convert.h"
#include "backends/engine/cpu/kernels/runtime/division.h"
#include "backends/engine/cpu/kernels/runtime/scratch.h"

namespace hlocts::kernels {
namespace {

constexpr int64_t kWindowTile = 2048;    // outputs or adjacent elements in a unit of work
constexpr int64_t kScanBlock = 1 << 15;  // a block of a long line, which several threads scan
constexpr double kNanosecondsPerElement = 0.5;

struct WindowPass {
  ReduceOps ops;
  WindowDimensionSpec window;
  int64_t outer, inner;
  const char* from;
  char* to;

  int64_t n() const { return window.input_size; }
  int64_t m() const { return window.output_size; }
  // Returns the first position of output j's window. Holes between dilated elements are positions.
  int64_t Start(int64_t j) const { return j * window.stride - window.padding_low; }
};

// Combines lines of single elements. The outputs that a tap contributes to are one strided run.
void TapsOfLine(const WindowPass& pass, const char* line, char* out, int64_t begin, int64_t end) {
  const WindowDimensionSpec& w = pass.window;
  const int64_t bytes = pass.ops.bytes, base = w.base_dilation;
  alignas(64) char run[kWindowTile * 16];
  pass.ops.fill(out + begin * bytes, end - begin);
  for (int64_t k = 0; k < w.size; ++k) {
    const int64_t shift = k * w.window_dilation - w.padding_low;
    // The outputs j for which tap k is at an element: j * stride + shift must be in [0, (n - 1) *
    // base] and a multiple of base.
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

// Combines rows of `inner` adjacent elements.
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

// Combines tap by tap. Is used for short windows and for dilation.
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

// Combines by doubling: runs of 1, 2, 4, ... elements compose a window of any size.
absl::Status RunLong(const Parallel& parallel, const WindowPass& pass) {
  constexpr int64_t kWidth = 256;  // adjacent elements of a line, processed together
  const WindowDimensionSpec& w = pass.window;
  const int64_t bytes = pass.ops.bytes, length = (pass.m() - 1) * w.stride + w.size;
  const int64_t tiles = CeilDiv(pass.inner, kWidth), most = std::min(kWidth, pass.inner);
  const int64_t line_bytes = length * most * bytes;
  std::atomic<bool> failed{false};
  const double cost = 3 * kNanosecondsPerElement * static_cast<double>(length * most);
  parallel.For(pass.outer * tiles, cost, [&](int64_t unit, int64_t end) {
    const Scratch memory(3 * line_bytes);
    if (!memory.ok()) {
      failed = true;
      return;
    }
    char *runs = memory.As<char>(), *next = runs + line_bytes, *windows = next + line_bytes;
    for (; unit < end; ++unit) {
      const int64_t outer = unit / tiles, first = unit % tiles * kWidth;
      const int64_t width = std::min(kWidth, pass.inner - first), row = width * bytes;
      const auto copy = [&](const char* from, char* to) { std::memcpy(to, from, row); };
      pass.ops.fill(runs, length * width);
      pass.ops.fill(windows, length * width);
      const int64_t begin = std::max<int64_t>(0, -w.padding_low);
      const int64_t stop = std::min(pass.n(), length - w.padding_low);
      for (int64_t i = begin; i < stop; ++i) {
        copy(pass.from + ((outer * pass.n() + i) * pass.inner + first) * bytes,
             runs + (i + w.padding_low) * row);
      }
      // windows[i] combines the `done` elements from i on, runs[i] the `step` elements from i on.
      for (int64_t step = 1, done = 0; done < w.size; step *= 2) {
        if ((w.size & step) != 0) {
          pass.ops.columns(windows, runs + done * row, 0, 1, (length - done) * width);
          done += step;
        }
        if (2 * step > w.size) break;
        std::memcpy(next, runs, length * row);
        pass.ops.columns(next, runs + step * row, 0, 1, (length - step) * width);
        std::swap(runs, next);
      }
      for (int64_t j = 0; j < pass.m(); ++j) {
        copy(windows + j * w.stride * row,
             pass.to + ((outer * pass.m() + j) * pass.inner + first) * bytes);
      }
    }
  });
  return failed ? OutOfScratch(3 * line_bytes) : absl::OkStatus();
}

// Computes the prefixes of one long line, beginning with `init`, on several threads: first the
// total of each of several fixed blocks, then the prefixes in each block.
absl::Status ScanLongLine(const Parallel& parallel, const ReduceOps& ops, const char* from,
                          int64_t count, char* to, const void* init) {
  const int64_t pieces = CeilDiv(count, kScanBlock), bytes = ops.bytes;
  const Scratch carries((pieces + 1) * bytes);
  if (!carries.ok()) return OutOfScratch((pieces + 1) * bytes);
  char* carry = carries.As<char>();
  ops.fill(carry, pieces + 1);
  std::memcpy(carry, init, bytes);
  const double cost = kScanBlock * kNanosecondsPerElement;
  const auto length = [&](int64_t p) { return std::min(kScanBlock, count - p * kScanBlock); };
  parallel.For(pieces, cost, [&](int64_t p, int64_t end) {
    for (; p < end; ++p) ops.row(from + p * kScanBlock * bytes, length(p), carry + (p + 1) * bytes);
  });
  for (int64_t p = 1; p <= pieces; ++p) ops.row(carry + (p - 1) * bytes, 1, carry + p * bytes);
  parallel.For(pieces, cost, [&](int64_t p, int64_t end) {
    for (; p < end; ++p) {
      alignas(16) char start[16];
      std::memcpy(start, carry + p * bytes, bytes);
      ops.scan(from + p * kScanBlock * bytes, length(p), to + p * kScanBlock * bytes, start);
    }
  });
  return absl::OkStatus();
}

constexpr int64_t kShortWindow = 6;  // windows of up to this size are combined tap by tap

absl::Status RunPass(const Parallel& parallel, const WindowPass& pass) {
  const WindowDimensionSpec& w = pass.window;
  const bool taps = w.window_dilation != 1 || w.base_dilation != 1 || w.size <= kShortWindow ||
                    w.size <= 2 * w.stride || w.size > 4 * w.input_size;
  if (!taps) return RunLong(parallel, pass);
  RunTaps(parallel, pass);
  return absl::OkStatus();
}

// Combines the elements with the init value, and stores the results.
void Finish(const Parallel& parallel, const ReduceWindowRequest& request, const ReduceOps& ops,
            bool decode, const char* from, int64_t count) {
  alignas(16) char init[16] = {};
  const int storage = StorageBytes(request.type);
  if (decode) {
    DecodeRun(request.type, request.init, 1, 1, reinterpret_cast<float*>(init));
  } else {
    std::memcpy(init, request.init, ops.bytes);
  }
  parallel.For(CeilDiv(count, kWindowTile), kWindowTile * kNanosecondsPerElement,
               [&](int64_t tile, int64_t end) {
                 alignas(64) char run[kWindowTile * 16];
                 for (; tile < end; ++tile) {
                   const int64_t first = tile * kWindowTile,
                                 n = std::min(kWindowTile, count - first);
                   PackRun(ops.bytes, init, 0, n, run);
                   ops.columns(run, from + first * ops.bytes, 0, 1, n);
                   char* to = static_cast<char*>(request.output) + first * storage;
                   if (decode) {
                     EncodeRun(request.type, reinterpret_cast<float*>(run), n, 1, to);
                   } else if (IsSubByte(request.type)) {
                     EncodeRun(request.type, reinterpret_cast<int8_t*>(run), n, 1, to);
                   } else {
                     std::memcpy(to, run, n * ops.bytes);
                   }
                 }
               });
}

// Returns true for cumulative reductions along the last dimension only. Their prefixes, which begin
// with the init value, are written directly to the output.
bool IsCumulative(const ReduceWindowRequest& request, bool converts) {
  if (converts || request.dimensions.empty() || IsSubByte(request.type)) return false;
  for (size_t d = 0; d + 1 < request.dimensions.size(); ++d) {
    if (!IsTrivial(request.dimensions[d])) return false;
  }
  const WindowDimensionSpec& w = request.dimensions.back();
  return w.stride == 1 && w.base_dilation == 1 && w.window_dilation == 1 &&
         w.input_size == w.output_size && w.padding_low == w.size - 1 && w.size >= w.input_size;
}

absl::Status Accumulate(const Parallel& parallel, const ReduceWindowRequest& request,
                        const ReduceOps& ops, int64_t count) {
  const int64_t n = request.dimensions.back().input_size, lines = count / n, bytes = ops.bytes;
  const char* from = static_cast<const char*>(request.operand);
  char* to = static_cast<char*>(request.output);
  if (n > 2 * kScanBlock) {
    for (int64_t line = 0; line < lines; ++line) {
      HLOCTS_RETURN_IF_ERROR(ScanLongLine(parallel, ops, from + line * n * bytes, n,
                                          to + line * n * bytes, request.init));
    }
    return absl::OkStatus();
  }
  parallel.For(lines, kNanosecondsPerElement * n + 10, [&](int64_t line, int64_t end) {
    for (; line < end; ++line) {
      alignas(16) char carry[16];
      std::memcpy(carry, request.init, bytes);
      ops.scan(from + line * n * bytes, n, to + line * n * bytes, carry);
    }
  });
  return absl::OkStatus();
}

absl::Status PassByPass(const Parallel& parallel, const ReduceWindowRequest& request) {
  const ReduceOps ops = ReduceOpsFor(request.kind, request.type);
  const bool decode = ReduceComputeType(request.type) != request.type;
  int64_t count = 1, most = 1;
  for (const WindowDimensionSpec& d : request.dimensions) count *= d.input_size;
  if (IsCumulative(request, decode)) return Accumulate(parallel, request, ops, count);
  most = count;
  int64_t after = count;
  for (size_t d = request.dimensions.size(); d-- > 0;) {
    after = after / request.dimensions[d].input_size * request.dimensions[d].output_size;
    most = std::max(most, after);
  }
  const Scratch first(most * ops.bytes), second(most * ops.bytes);
  if (!first.ok() || !second.ok()) return OutOfScratch(most * ops.bytes);
  const char* from = static_cast<const char*>(request.operand);
  char *to = first.As<char>(), *other = second.As<char>();
  if (decode) {
    parallel.For(count, 1.0, [&](int64_t begin, int64_t end) {
      DecodeRun(request.type, from + begin * StorageBytes(request.type), 1, end - begin,
                reinterpret_cast<float*>(other) + begin);
    });
    from = other;
  }
  // Processes the last dimension first, so that the first passes process vectors of outputs.
  int64_t inner = 1, size = count;
  for (size_t d = request.dimensions.size(); d-- > 0;) {
    const WindowDimensionSpec& window = request.dimensions[d];
    const int64_t outer = size / inner / window.input_size;
    if (!IsTrivial(window)) {
      HLOCTS_RETURN_IF_ERROR(RunPass(parallel, {ops, window, outer, inner, from, to}));
      from = to;
      std::swap(to, other);
    }
    inner *= window.output_size;
    size = outer * inner;
  }
  Finish(parallel, request, ops, decode, from, size);
  return absl::OkStatus();
}

// Returns true if one window covers the entire dimension, as in global pooling.
bool SeesAll(const WindowDimensionSpec& w) {
  return w.output_size == 1 && w.padding_low >= 0 && w.size - w.padding_low >= w.input_size &&
         w.base_dilation == 1 && w.window_dilation == 1;
}

// Returns true if every window covers the entire array in some dimensions and one element in the
// others, so that the operation is a reduction. Returns false if channels are last, because rows of
// channels are already combined fast.
bool IsReduction(const ReduceWindowRequest& request) {
  if (request.dimensions.empty() || IsTrivial(request.dimensions.back())) return false;
  for (const WindowDimensionSpec& w : request.dimensions) {
    if (!IsTrivial(w) && !SeesAll(w)) return false;
  }
  return true;
}

absl::Status ReduceDimensions(const Parallel& parallel, const ReduceWindowRequest& request) {
  absl::InlinedVector<int64_t, 6> sizes, strides(request.dimensions.size()), reduced;
  for (size_t d = 0; d < request.dimensions.size(); ++d) {
    sizes.push_back(request.dimensions[d].input_size);
    if (!IsTrivial(request.dimensions[d])) reduced.push_back(static_cast<int64_t>(d));
  }
  int64_t stride = 1;
  for (size_t d = sizes.size(); d-- > 0;) strides[d] = std::exchange(stride, stride * sizes[d]);
  return Reduce(parallel, {request.kind, request.type, sizes, strides, reduced, request.operand,
                           request.init, request.output});
}

}  // namespace

absl::Status ReduceWindow(const Parallel& parallel, const ReduceWindowRequest& request) {
  if (!ReduceSupported(request.kind, request.type)) {
    return Unsupported("reduce-window of ", PrimitiveTypeName(request.type), " is not supported");
  }
  absl::InlinedVector<int64_t, 6> in, out;
  bool empty_window = false;
  for (const WindowDimensionSpec& d : request.dimensions) {
    if (d.size < 0 || d.stride < 1 || d.base_dilation < 1 || d.window_dilation < 1) {
      return InvalidInput("reduce-window: a size, stride or dilation is too small");
    }
    in.push_back(d.input_size);
    out.push_back(d.output_size);
    empty_window = empty_window || d.size == 0;
  }
  int64_t inputs = 0, outputs = 0;
  HLOCTS_RETURN_IF_ERROR(CountElements(in, inputs));
  HLOCTS_RETURN_IF_ERROR(CountElements(out, outputs));
  if (outputs == 0) return absl::OkStatus();
  if (inputs > 0 && !empty_window) {
    return IsReduction(request) ? ReduceDimensions(parallel, request)
                                : PassByPass(parallel, request);
  }
  const int bytes = StorageBytes(request.type);
  for (int64_t i = 0; i < outputs; ++i) {
    std::memcpy(static_cast<char*>(request.output) + i * bytes, request.init, bytes);
  }
  return absl::OkStatus();
}

}  // namespace hlocts::kernels
