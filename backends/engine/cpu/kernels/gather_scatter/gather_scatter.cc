// SPDX-License-Identifier: Apache-2.0
// Gather and scatter kernels. The index vectors of a block are converted to operand offsets. Then
// the contiguous runs of each slice are copied.
#include "backends/engine/cpu/kernels/gather_scatter/gather_scatter.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "backends/engine/cpu/kernels/gather_scatter/combine.h"
#include "backends/engine/cpu/kernels/gather_scatter/indexed_line.h"
#include "backends/engine/cpu/kernels/gather_scatter/slice_moves.h"
#include "backends/engine/cpu/kernels/runtime/checks.h"
#include "backends/engine/cpu/kernels/runtime/loop_nest.h"
#include "spec/ir/element_width.h"

namespace hlocts::kernels {
namespace {

constexpr int64_t kPrefetch = 16;  // number of slices that are prefetched

template <int kBytes>
void CopyRun(const char* from, int64_t from_stride, char* to, int64_t to_stride, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(to + i * to_stride * kBytes, from + i * from_stride * kBytes, kBytes);
  }
}

void CopyStrided(int bytes, const char* from, int64_t from_stride, char* to, int64_t to_stride,
                 int64_t count) {
  if (from_stride == 1 && to_stride == 1) {
    std::memcpy(to, from, count * bytes);
    return;
  }
  VisitWidth(bytes,
             [&](auto zero) { CopyRun<sizeof(zero)>(from, from_stride, to, to_stride, count); });
}

// Calls visit(operand offset, window offset) for every innermost run of one slice.
template <typename Visit>
void ForEachRun(const Moves& moves, int64_t operand, int64_t window, Visit visit) {
  if (moves.slice.empty()) return visit(operand, window);
  const int64_t runs = LoopCount(moves.slice);
  LoopWalk<2> walk(moves.slice, 0);
  for (int64_t r = 0; r < runs; ++r, walk.Next()) {
    visit(operand + walk.offset(0), window + walk.offset(1));
  }
}

// Copies single elements. One loop copies the entire block.
template <int kBytes>
void GatherSingles(const Starts& starts, int64_t count, const char* operand, char* output) {
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(output + starts.window[i] * kBytes, operand + starts.operand[i] * kBytes, kBytes);
  }
}

void GatherBlock(const Moves& moves, int bytes, const Starts& starts, int64_t count,
                 const char* operand, char* output) {
  if (moves.slice.empty() && moves.run.size == 1) {
    return VisitWidth(
        bytes, [&](auto zero) { GatherSingles<sizeof(zero)>(starts, count, operand, output); });
  }
  for (int64_t i = 0; i < count; ++i) {
    if (i + kPrefetch < count) {
      __builtin_prefetch(operand + starts.operand[i + kPrefetch] * bytes);
    }
    ForEachRun(moves, starts.operand[i], starts.window[i], [&](int64_t from, int64_t to) {
      CopyStrided(bytes, operand + from * bytes, moves.run.stride[0], output + to * bytes,
                  moves.run.stride[1], moves.run.size);
    });
  }
}

// Returns true if every slice is one element with one index, and all strides are constant.
bool IsLine(const Moves& moves, IndexedLine& line) {
  const IndexVectors& indices = moves.indices;
  if (!moves.slice.empty() || moves.run.size != 1 || moves.batch.size() != 1 ||
      indices.operand_dimensions.size() != 1 || moves.batch[0].stride[1] != 0) {
    return false;
  }
  const int64_t d = indices.operand_dimensions[0];
  line.indices = indices.data;
  line.index_type = indices.type;
  line.count = moves.batch[0].size;
  line.last = moves.operand_dimensions[d] - moves.sizes[d];
  line.index_stride = moves.batch[0].stride[0];
  line.operand_stride = moves.operand_strides[d];
  line.batched_stride = moves.batch[0].stride[2];
  return true;
}

// Checks sizes. Sets `windows` to the number of index vectors times the size of a slice, which
// is 0 if there is nothing to copy.
absl::Status CheckGeometry(const IndexVectors& indices, absl::Span<const int64_t> dimensions,
                           absl::Span<const int64_t> strides, absl::Span<const int64_t> sizes,
                           absl::Span<const int64_t> operand_batch,
                           absl::Span<const int64_t> window_batch,
                           absl::Span<const SliceDimension> slice, int64_t& windows) {
  if (!IsInteger(indices.type)) {
    return Unsupported("indices of ", PrimitiveTypeName(indices.type), " are not supported");
  }
  const size_t batch = indices.batch_sizes.size();
  if (strides.size() != dimensions.size() || sizes.size() != dimensions.size() ||
      indices.batch_strides.size() != batch || window_batch.size() != batch ||
      (!operand_batch.empty() && operand_batch.size() != batch)) {
    return InvalidInput("gather or scatter: expected lists of equal lengths");
  }
  for (size_t d = 0; d < dimensions.size(); ++d) {
    if (sizes[d] < 0 || sizes[d] > dimensions[d]) {
      return InvalidInput("gather or scatter: expected a slice size from 0 to ", dimensions[d],
                          " in dimension ", d, ", found ", sizes[d]);
    }
  }
  for (int64_t d : indices.operand_dimensions) {
    if (d < 0 || d >= static_cast<int64_t>(dimensions.size())) {
      return InvalidInput("gather or scatter: expected a dimension of the operand, found ", d);
    }
  }
  absl::InlinedVector<int64_t, 8> counts(indices.batch_sizes.begin(), indices.batch_sizes.end());
  for (const SliceDimension& d : slice) counts.push_back(d.size);
  return CountElements(counts, windows);
}

// The least number of bytes in a thread's part of a run.
constexpr int64_t kPartBytes = 256;

// Returns true if no range of the operand has more than 3/2 of the average number of windows.
bool SpreadEvenly(const Moves& moves, int64_t elements, int64_t parts) {
  const int64_t count = LoopCount(moves.batch);
  std::vector<int64_t> windows(parts);
  Starts starts;
  for (int64_t first = 0; first < count; first += kBlock) {
    const int64_t n = std::min(kBlock, count - first);
    FindStarts(moves, first, n, starts);
    for (int64_t i = 0; i < n; ++i) ++windows[starts.operand[i] * parts / elements];
  }
  return *std::max_element(windows.begin(), windows.end()) * parts * 2 <= count * 3;
}

Moves PartOfRuns(const Moves& moves, int64_t part, int64_t parts) {
  Moves result = moves;
  const int64_t begin = moves.run.size * part / parts;
  result.run.size = moves.run.size * (part + 1) / parts - begin;
  for (int i = 0; i < 2; ++i) result.run_start[i] = begin * moves.run.stride[i];
  return result;
}

// Updates those windows that begin at offsets [begin, end) of the operand.
void ScatterPart(const Moves& moves, const ScatterRequest& request, ReduceKind kind, int64_t begin,
                 int64_t end) {
  const bool assign = request.kind == ScatterKind::kAssign;
  const CombineFunction combine = CombineFor(kind, request.type);
  const int64_t count = LoopCount(moves.batch), bytes = StorageBytes(request.type);
  char* output = static_cast<char*>(request.output) + moves.run_start[0] * bytes;
  const char* updates = static_cast<const char*>(request.updates) + moves.run_start[1] * bytes;
  const auto move = [&](const Moves& window, int64_t operand, int64_t update) {
    ForEachRun(window, operand, update, [&](int64_t to, int64_t from) {
      if (assign) {
        CopyStrided(static_cast<int>(bytes), updates + from * bytes, window.run.stride[1],
                    output + to * bytes, window.run.stride[0], window.run.size);
      } else {
        combine(kind, {request.type, output + to * bytes, updates + from * bytes, window.run.size,
                       window.run.stride[0], window.run.stride[1]});
      }
    });
  };
  Moves clipped = moves;
  Starts starts;
  for (int64_t first = 0; first < count; first += kBlock) {
    const int64_t n = std::min(kBlock, count - first);
    FindStarts(moves, first, n, starts);
    for (int64_t i = 0; i < n; ++i) {
      if (i + kPrefetch < n) __builtin_prefetch(output + starts.operand[i + kPrefetch] * bytes, 1);
      if (starts.operand[i] < begin || starts.operand[i] >= end) continue;
      int64_t operand, update;
      if (starts.inside[i]) {
        move(moves, starts.operand[i], starts.window[i]);
      } else if (moves.overhangs &&
                 ClipWindow(moves, starts, i, request.window, clipped, operand, update)) {
        move(clipped, operand, update);
      }
    }
  }
}

}  // namespace

absl::Status Gather(const Parallel& parallel, const GatherRequest& request) {
  int64_t windows = 0;
  HLOCTS_RETURN_IF_ERROR(CheckGeometry(
      request.indices, request.operand_dimensions, request.operand_strides, request.slice_sizes,
      request.operand_batch_strides, request.output_batch_strides, request.slice, windows));
  if (windows == 0) return absl::OkStatus();
  const Moves moves = MovesOf(request.indices, request.operand_dimensions, request.operand_strides,
                              request.slice_sizes, true, request.operand_batch_strides,
                              request.output_batch_strides, request.slice);
  const int64_t count = LoopCount(moves.batch), blocks = (count + kBlock - 1) / kBlock;
  const int bytes = StorageBytes(request.type);
  IndexedLine line;
  if (IsLine(moves, line) && GatherLine(parallel, line, bytes, request.operand, request.output)) {
    return absl::OkStatus();
  }
  const double cost = kBlock * (4 + 0.3 * static_cast<double>(windows / count));
  parallel.For(blocks, cost, [&](int64_t block, int64_t end) {
    Starts starts;
    for (; block < end; ++block) {
      const int64_t first = block * kBlock, n = std::min(kBlock, count - first);
      FindStarts(moves, first, n, starts);
      GatherBlock(moves, bytes, starts, n, static_cast<const char*>(request.operand),
                  static_cast<char*>(request.output));
    }
  });
  return absl::OkStatus();
}

absl::Status Scatter(const Parallel& parallel, const ScatterRequest& request) {
  int64_t windows = 0;
  HLOCTS_RETURN_IF_ERROR(CheckGeometry(
      request.indices, request.operand_dimensions, request.operand_strides, request.window_sizes,
      request.operand_batch_strides, request.update_batch_strides, request.window, windows));
  const bool assign = request.kind == ScatterKind::kAssign;
  const ReduceKind kind =
      assign ? ReduceKind::kAdd : static_cast<ReduceKind>(static_cast<int>(request.kind) - 1);
  if (!IsArrayType(request.type) || (!assign && !ReduceSupported(kind, request.type))) {
    return Unsupported("scatter of ", PrimitiveTypeName(request.type));
  }
  if (windows == 0) return absl::OkStatus();
  const Moves moves = MovesOf(request.indices, request.operand_dimensions, request.operand_strides,
                              request.window_sizes, false, request.operand_batch_strides,
                              request.update_batch_strides, request.window);
  const int64_t bytes = StorageBytes(request.type);
  IndexedLine line;
  if (IsLine(moves, line) &&
      ScatterLine(parallel, line, request.kind, request.type, request.updates, request.output)) {
    return absl::OkStatus();
  }
  // If windows may overhang, parts of different runs may share an element, so runs are not split.
  const int64_t parts = moves.overhangs ? 1
                                        : std::clamp<int64_t>(moves.run.size * bytes / kPartBytes,
                                                              1, parallel.threads());
  // If windows are spread evenly, a thread updates the windows in one range, which it often wrote
  // in an earlier step; otherwise, a part of every run. Updates of one element keep their order.
  int64_t elements = 1;  // largest offset in the operand, plus 1
  for (size_t d = 0; d < request.operand_dimensions.size(); ++d)
    elements += (request.operand_dimensions[d] - 1) * request.operand_strides[d];
  const bool ranges = parts > 1 && SpreadEvenly(moves, elements, parts);
  const double cost = 0.15 * static_cast<double>(windows) / static_cast<double>(parts);
  parallel.For(parts, cost, [&](int64_t part, int64_t end) {
    for (; part < end; ++part) {
      if (ranges) {
        ScatterPart(moves, request, kind, elements * part / parts, elements * (part + 1) / parts);
      } else {
        ScatterPart(PartOfRuns(moves, part, parts), request, kind, 0, elements);
      }
    }
  });
  return absl::OkStatus();
}

}  // namespace hlocts::kernels
