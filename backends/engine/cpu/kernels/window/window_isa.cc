// SPDX-License-Identifier: Apache-2.0
// reduce-window, one dimension after the other: what is cumulative at once, the rest pass by pass
// (window_pass_isa.h).
#include <algorithm>
#include <memory>

#include "backends/engine/cpu/kernels/reduce/reduce_table_isa.h"
#include "backends/engine/cpu/kernels/runtime/entries_isa.h"
#include "backends/engine/cpu/kernels/runtime/scratch.h"
#include "backends/engine/cpu/kernels/window/window.h"
#include "backends/engine/cpu/kernels/window/window_pass_isa.h"
#include "backends/engine/cpu/kernels/window/window_rows_isa.h"
#include "spec/base/status.h"

namespace hlocts::kernels::HLOCTS_ISA {
namespace {

constexpr int64_t kShortWindow = 6;  // taps below which combining tap by tap is as fast

absl::Status RunPass(const Parallel& parallel, const WindowPass& pass) {
  const WindowDimensionSpec& w = pass.window;
  const bool taps = w.window_dilation != 1 || w.base_dilation != 1 || w.size <= kShortWindow ||
                    w.size <= 2 * w.stride;
  if (!taps) return RunBlocks(parallel, pass);
  RunTaps(parallel, pass);
  return absl::OkStatus();
}

// Joins the init value and stores.
void Finish(const Parallel& parallel, const ReduceWindowRequest& request, const ReduceOps& ops,
            bool decode, const char* from, int64_t count) {
  alignas(16) char init[16] = {};
  const int storage = StorageBytes(request.type);
  if (decode) {
    DecodeRun(request.type, request.init, 1, 1, reinterpret_cast<float*>(init));
  } else {
    __builtin_memcpy(init, request.init, ops.bytes);
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
                     __builtin_memcpy(to, run, n * ops.bytes);
                   }
                 }
               });
}

// Cumulative sums along the last dimension and nothing else: straight into the output, the init
// value in front.
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
      HLOCTS_RETURN_IF_ERROR(ScanLongBlock(parallel, ops, from + line * n * bytes, n,
                                           to + line * n * bytes, request.init));
    }
    return absl::OkStatus();
  }
  parallel.For(lines, kNanosecondsPerElement * n + 10, [&](int64_t line, int64_t end) {
    for (; line < end; ++line) {
      alignas(16) char carry[16];
      __builtin_memcpy(carry, request.init, bytes);
      ops.scan(from + line * n * bytes, n, to + line * n * bytes, carry);
    }
  });
  return absl::OkStatus();
}

}  // namespace

absl::Status ReduceWindowKernel(const Parallel& parallel, const ReduceWindowRequest& request) {
  const ReduceOps ops = ReduceOpsFor(request.kind, request.type);
  const bool decode = ReduceComputeType(request.type) != request.type;
  int64_t count = 1, most = 1;
  for (const WindowDimensionSpec& d : request.dimensions) count *= d.input_size;
  if (IsCumulative(request, decode)) return Accumulate(parallel, request, ops, count);
  if (ReduceWindowByRows(parallel, request)) return absl::OkStatus();
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
  // From the last dimension on: the first passes are the ones with vectors of outputs.
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

}  // namespace hlocts::kernels::HLOCTS_ISA
