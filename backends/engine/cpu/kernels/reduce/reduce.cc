// SPDX-License-Identifier: Apache-2.0
// reduce on strided views. The work is divided into blocks that depend on the shape only. Each
// block computes a partial result in the type of the computation. Partial results are combined in
// order.
#include "backends/engine/cpu/kernels/reduce/reduce.h"

#include <algorithm>
#include <cstring>

#include "backends/engine/cpu/kernels/reduce/reduce_ops.h"
#include "backends/engine/cpu/kernels/runtime/checks.h"
#include "backends/engine/cpu/kernels/runtime/convert.h"
#include "backends/engine/cpu/kernels/runtime/loop_nest.h"
#include "backends/engine/cpu/kernels/runtime/scratch.h"

namespace hlocts::kernels {
namespace {

constexpr int64_t kRowChunk = 32768;   // most elements of one row in a block
constexpr int64_t kColumnTile = 1024;  // accumulators that remain in the L1 cache
constexpr int64_t kBlockElements = 1 << 18;
constexpr int64_t kEnoughUnits = 64;  // with this many outputs, sums are not split
// With fewer adjacent outputs, several rows are processed at once.
constexpr int64_t kNarrowColumns = 128;
constexpr int64_t kShortRow = 16;  // shorter rows are processed column by column
constexpr double kNanosecondsPerByte = 0.05;
constexpr int64_t kMadeBytes = 16384;  // bytes of computed elements at a time: half of an L1 cache

struct Plan {
  PrimitiveType type;  // the stored type
  ReduceOps ops;
  const char* operand;
  // Replaces `operand` if not null.
  const std::function<void(int64_t, int64_t, void*)>* make;
  double make_ns;
  int64_t storage_bytes;
  bool decode;                // the stored type is narrower than the computed one
  LoopNest<2> kept, reduced;  // strides in operand, output; no innermost loop
  LoopDimension<2> inner;
  bool inner_reduced;
  int64_t outputs, repeats;  // repeats: product of the sizes of `reduced`
};

// Returns a run of contiguous elements in the type of the computation. If they are stored
// otherwise, converts or copies them to `buffer`.
const void* Fetch(const Plan& plan, int64_t offset, int64_t stride, int64_t count, char* buffer) {
  alignas(64) char stored[kMadeBytes / 2];  // for types that are computed in a wider type
  const char* from = stored;
  if (plan.make == nullptr) {
    from = plan.operand + offset * plan.storage_bytes;
  } else {
    (*plan.make)(offset, offset + count, plan.decode ? stored : buffer);
    if (!plan.decode) return buffer;
  }
  if (plan.decode) {
    DecodeRun(plan.type, from, stride, count, reinterpret_cast<float*>(buffer));
    return buffer;
  }
  if (stride == 1) return from;
  PackRun(plan.ops.bytes, from, stride, count, buffer);
  return buffer;
}

// The partial results, an array [blocks, outputs]. Block b of output o combines a fixed part of the
// elements of output o.
struct Partials {
  char* data;
  int64_t blocks, outputs;
};

// Returns true if plan.ops.rows can reduce whole rows: their outputs are adjacent, and elements are
// stored in the type of the computation.
bool TakesRowsTogether(const Plan& plan, const Partials& partials) {
  return plan.make == nullptr && !plan.decode && plan.inner.stride[0] == 1 &&
         plan.reduced.empty() && partials.blocks == 1 && plan.inner.size <= kRowChunk &&
         plan.kept.size() == 1 && plan.kept[0].stride[1] == 1;
}

// Reduces along the innermost loop, for one output at a time.
void ReduceRows(const Plan& plan, int64_t unit_begin, int64_t unit_end, const Partials& partials,
                int64_t rows_per_block) {
  if (TakesRowsTogether(plan, partials)) {
    const int64_t row_bytes = plan.kept[0].stride[0] * plan.ops.bytes;
    return plan.ops.rows(plan.operand + unit_begin * row_bytes, row_bytes, unit_end - unit_begin,
                         plan.inner.size, partials.data + unit_begin * plan.ops.bytes);
  }
  const int64_t row = plan.inner.size, chunk = std::min(row, kRowChunk);
  const int64_t chunks = (row + chunk - 1) / chunk, items = plan.repeats * chunks;
  alignas(64) char buffer[kMadeBytes];
  const bool in_place = plan.make == nullptr && !plan.decode && plan.inner.stride[0] == 1;
  const int64_t capacity = plan.make != nullptr ? kMadeBytes : kMadeBytes / 4;
  const int64_t step = in_place ? chunk : capacity / plan.ops.bytes;
  LoopWalk<2> output(plan.kept, unit_begin / partials.blocks);
  for (int64_t unit = unit_begin; unit < unit_end; ++unit) {
    const int64_t block = unit % partials.blocks;
    if (block == 0 && unit > unit_begin) output.Next();
    char* to = partials.data + (block * partials.outputs + output.offset(1)) * plan.ops.bytes;
    const int64_t end = std::min(items, (block + 1) * rows_per_block);
    int64_t item = block * rows_per_block;
    LoopWalk<2> repeat(plan.reduced, item / chunks);
    for (; item < end; ++item) {
      const int64_t first = item % chunks * chunk, last = std::min(row, first + chunk);
      for (int64_t i = first; i < last; i += step) {
        const int64_t count = std::min(step, last - i), stride = plan.inner.stride[0];
        const int64_t offset = output.offset(0) + repeat.offset(0) + i * stride;
        plan.ops.row(Fetch(plan, offset, stride, count, buffer), count, to);
      }
      if (item % chunks == chunks - 1) repeat.Next();
    }
  }
}

// Adds `rows` rows of `count` adjacent elements to `sums`. If there are many short rows without
// gaps, several of them become one wide row that fills a tile.
void AddRows(const ReduceOps& ops, const char* from, int64_t row_bytes, int64_t rows, int64_t count,
             char* sums) {
  const int64_t fold = std::min(kColumnTile / count, rows / 4);
  if (count < kNarrowColumns && fold > 1 && row_bytes == count * ops.bytes) {
    alignas(64) char wide[kColumnTile * 16];
    const int64_t folds = rows / fold;
    ops.fill(wide, fold * count);
    ops.columns(wide, from, fold * row_bytes, folds, fold * count);
    ops.columns(sums, wide, row_bytes, fold, count);
    from += folds * fold * row_bytes;
    rows -= folds * fold;
  }
  ops.columns(sums, from, row_bytes, rows, count);
}

// Adds contiguous rows of computed elements, as many at a time as fit in the buffer.
void AddMadeRows(const Plan& plan, int64_t offset, int64_t rows, int64_t count, char* buffer,
                 char* sums) {
  const int64_t together = std::max<int64_t>(1, kMadeBytes / (count * plan.ops.bytes));
  for (int64_t row = 0; row < rows; row += together) {
    const int64_t number = std::min(together, rows - row);
    const void* from = Fetch(plan, offset + row * count, 1, number * count, buffer);
    AddRows(plan.ops, static_cast<const char*>(from), count * plan.ops.bytes, number, count, sums);
  }
}

// Reduces to a tile of adjacent outputs at a time. The innermost loop must not be reduced.
void ReduceColumns(const Plan& plan, int64_t unit_begin, int64_t unit_end, const Partials& partials,
                   int64_t rows_per_block) {
  const int64_t width = plan.inner.size, tiles = (width + kColumnTile - 1) / kColumnTile;
  alignas(64) char buffer[kColumnTile * 16], sums[kColumnTile * 16];
  for (int64_t unit = unit_begin; unit < unit_end; ++unit) {
    const int64_t block = unit % partials.blocks, tile = unit / partials.blocks % tiles;
    const LoopWalk<2> output(plan.kept, unit / partials.blocks / tiles);
    const int64_t first = tile * kColumnTile, count = std::min(kColumnTile, width - first);
    const int64_t in = output.offset(0) + first * plan.inner.stride[0];
    const int64_t out = output.offset(1) + first * plan.inner.stride[1];
    plan.ops.fill(sums, count);
    int64_t row = block * rows_per_block;
    const int64_t end = std::min(plan.repeats, row + rows_per_block);
    const bool adjacent = plan.reduced.size() == 1 && plan.inner.stride[0] == 1;
    LoopWalk<2> repeat(plan.reduced, row);
    if (plan.make != nullptr && adjacent && plan.reduced[0].stride[0] == count) {
      AddMadeRows(plan, in + repeat.offset(0), end - row, count, buffer, sums);
    } else if (plan.make == nullptr && adjacent && !plan.decode) {
      AddRows(plan.ops, plan.operand + (in + repeat.offset(0)) * plan.storage_bytes,
              plan.reduced[0].stride[0] * plan.storage_bytes, end - row, count, sums);
    } else {
      for (; row < end; ++row, repeat.Next()) {
        const void* from = Fetch(plan, in + repeat.offset(0), plan.inner.stride[0], count, buffer);
        plan.ops.columns(sums, from, 0, 1, count);
      }
    }
    char* to = partials.data + (block * partials.outputs + out) * plan.ops.bytes;
    for (int64_t j = 0; j < count; ++j) {
      __builtin_memcpy(to + j * plan.inner.stride[1] * plan.ops.bytes, sums + j * plan.ops.bytes,
                       plan.ops.bytes);
    }
  }
}

// Combines the partial results with the init value, and stores the results.
void Finish(const Parallel& parallel, const Plan& plan, const Partials& partials,
            const ReduceRequest& request) {
  alignas(16) char init[32] = {};  // if complex: the real part, then the imaginary part
  const int64_t period = plan.type == request.type ? 1 : 2;
  if (plan.decode) {
    DecodeRun(plan.type, request.init, 1, 1, reinterpret_cast<float*>(init));
  } else {
    __builtin_memcpy(init, request.init, plan.ops.bytes * period);
  }
  const int64_t bytes = plan.ops.bytes, line = partials.outputs * bytes;
  constexpr int64_t kPiece = 1024;
  const int64_t pieces = (partials.outputs + kPiece - 1) / kPiece;
  parallel.For(
      pieces, kPiece * bytes * partials.blocks * kNanosecondsPerByte, [&](int64_t p, int64_t end) {
        alignas(64) char sums[kPiece * 16];
        for (; p < end; ++p) {
          const int64_t first = p * kPiece, count = std::min(kPiece, partials.outputs - first);
          for (int64_t j = 0; j < count; ++j) {
            __builtin_memcpy(sums + j * bytes, init + j % period * bytes, bytes);
          }
          plan.ops.columns(sums, partials.data + first * bytes, line, partials.blocks, count);
          char* out = static_cast<char*>(request.output) + first * plan.storage_bytes;
          if (plan.decode) {
            EncodeRun(plan.type, reinterpret_cast<float*>(sums), count, 1, out);
          } else if (IsSubByte(plan.type)) {
            EncodeRun(plan.type, reinterpret_cast<int8_t*>(sums), count, 1, out);
          } else {
            __builtin_memcpy(out, sums, count * bytes);
          }
        }
      });
}

absl::Status Run(const Parallel& parallel, const Plan& plan, const ReduceRequest& request) {
  const int64_t width = plan.inner.size;
  const int64_t row_chunks = (width + kRowChunk - 1) / kRowChunk;
  const int64_t items = plan.inner_reduced ? plan.repeats * row_chunks : plan.repeats;
  const int64_t item_elements = std::min(width, plan.inner_reduced ? kRowChunk : kColumnTile);
  const int64_t tiles = plan.inner_reduced ? 1 : (width + kColumnTile - 1) / kColumnTile;
  const int64_t independent = LoopCount(plan.kept) * tiles;
  const int64_t per_block =
      independent >= kEnoughUnits ? items : std::max<int64_t>(1, kBlockElements / item_elements);
  const int64_t blocks = (items + per_block - 1) / per_block;
  const int64_t bytes = blocks * plan.outputs * plan.ops.bytes;
  const Scratch scratch(bytes);
  if (!scratch.ok()) return OutOfScratch(bytes);
  const Partials partials = {scratch.As<char>(), blocks, plan.outputs};
  const double cost = static_cast<double>(std::min(items, per_block)) * item_elements *
                          (plan.ops.bytes * kNanosecondsPerByte + plan.make_ns) +
                      10;
  if (plan.inner_reduced) plan.ops.fill(partials.data, blocks * plan.outputs);
  parallel.For(independent * blocks, cost, [&](int64_t begin, int64_t end) {
    (plan.inner_reduced ? ReduceRows : ReduceColumns)(plan, begin, end, partials, per_block);
  });
  Finish(parallel, plan, partials, request);
  return absl::OkStatus();
}

LoopNest<2> LoopsOf(const ReduceRequest& request) {
  LoopNest<2> loops(request.dimensions.size());
  int64_t out = 1;
  for (size_t d = loops.size(); d-- > 0;) {
    const bool is_reduced = std::count(request.reduced.begin(), request.reduced.end(), d) > 0;
    loops[d].size = request.dimensions[d];
    loops[d].stride = {request.strides[d], is_reduced ? 0 : out};
    if (!is_reduced) out *= loops[d].size;
  }
  return loops;
}

// Turns a complex sum into two real sums: the parts become a dimension that is not reduced.
void SplitComplex(LoopNest<2>& loops, PrimitiveType& type) {
  for (LoopDimension<2>& loop : loops) {
    for (int64_t& stride : loop.stride) stride *= 2;
  }
  loops.push_back({2, {1, 1}});
  type = ComponentType(type);
}

// Returns the index of the loop to run innermost. This is the last one, which has the smallest
// stride, unless it is a short sum inside a long loop over outputs.
size_t InnermostLoop(const LoopNest<2>& loops) {
  const size_t last = loops.size() - 1;
  if (loops[last].stride[1] != 0 || loops[last].size >= kShortRow) return last;
  for (size_t d = last; d-- > 0;) {
    if (loops[d].stride[1] != 0 && loops[d].size >= 4 * kShortRow) return d;
  }
  return last;
}

Plan PlanOf(const ReduceRequest& request) {
  Plan plan = {};
  plan.type = request.type;
  LoopNest<2> loops = LoopsOf(request);
  if (IsComplex(plan.type) && request.kind == ReduceKind::kAdd) SplitComplex(loops, plan.type);
  plan.ops = ReduceOpsFor(request.kind, plan.type);
  plan.operand = static_cast<const char*>(request.operand);
  plan.make = request.make;
  plan.make_ns = request.make_ns;
  plan.storage_bytes = StorageBytes(plan.type);
  plan.decode = ReduceComputeType(plan.type) != plan.type;
  SortLoops(loops, 0);
  loops = MergedLoops(loops);
  if (loops.empty()) loops.push_back({1, {1, 0}});
  const size_t inner = InnermostLoop(loops);
  plan.inner = loops[inner];
  loops.erase(loops.begin() + inner);
  plan.inner_reduced = plan.inner.stride[1] == 0;
  for (const LoopDimension<2>& loop : loops) {
    (loop.stride[1] == 0 ? plan.reduced : plan.kept).push_back(loop);
  }
  plan.outputs = LoopCount(plan.kept) * (plan.inner_reduced ? 1 : plan.inner.size);
  plan.repeats = LoopCount(plan.reduced);
  return plan;
}

absl::Status ReduceStoredRows(const RowReduceRequest& request) {
  constexpr int64_t kRows = 32;  // number of rows at a time
  const ReduceOps ops = ReduceOpsFor(request.kind, request.type);
  const int64_t bytes = ops.bytes, row_bytes = request.size * bytes;
  const char* from = static_cast<const char*>(request.operand);
  char* to = static_cast<char*>(request.output);
  for (int64_t row = 0; row < request.rows; row += kRows) {
    const int64_t rows = std::min(kRows, request.rows - row);
    alignas(16) char sums[kRows * 16];
    ops.fill(sums, rows);
    for (int64_t first = 0; first < request.size; first += kRowChunk) {
      ops.rows(from + first * bytes, row_bytes, rows, std::min(kRowChunk, request.size - first),
               sums);
    }
    PackRun(ops.bytes, request.init, 0, rows, to);
    ops.columns(to, sums, 0, 1, rows);
    from += rows * row_bytes;
    to += rows * bytes;
  }
  return absl::OkStatus();
}

}  // namespace

bool ReduceSupported(ReduceKind kind, PrimitiveType type) {
  if (!IsArrayType(type)) return false;
  switch (kind) {
    case ReduceKind::kAdd:
    case ReduceKind::kMultiply:
      return true;
    case ReduceKind::kMinimum:
    case ReduceKind::kMaximum:
      return !IsComplex(type);
    default:
      return !IsFloat(type) && !IsComplex(type);
  }
}

absl::Status Reduce(const Parallel& parallel, const ReduceRequest& request) {
  if (!ReduceSupported(request.kind, request.type)) {
    return Unsupported("reduce of ", PrimitiveTypeName(request.type), " is not supported");
  }
  if (request.strides.size() != request.dimensions.size()) {
    return InvalidInput("reduce: expected ", request.dimensions.size(), " strides, found ",
                        request.strides.size());
  }
  int64_t count = 1, outputs = 1;
  HLOCTS_RETURN_IF_ERROR(CountElements(request.dimensions, count));
  for (size_t d = 0; d < request.dimensions.size(); ++d) {
    bool is_reduced = false;
    for (int64_t r : request.reduced) is_reduced = is_reduced || r == static_cast<int64_t>(d);
    if (!is_reduced) outputs *= request.dimensions[d];
  }
  if (count > 0) return Run(parallel, PlanOf(request), request);
  const int64_t bytes = StorageBytes(request.type);
  for (int64_t i = 0; i < outputs; ++i) {
    std::memcpy(static_cast<char*>(request.output) + i * bytes, request.init, bytes);
  }
  return absl::OkStatus();
}

absl::Status RowReduce(const RowReduceRequest& request) {
  const PrimitiveType type = request.type;
  const bool as_stored =
      !IsComplex(type) && !IsSubByte(type) && (!IsFloat(type) || BitWidth(type) >= 32);
  if (as_stored && request.size > 0 && ReduceSupported(request.kind, type)) {
    return ReduceStoredRows(request);
  }
  const int64_t dimensions[2] = {request.rows, request.size}, strides[2] = {request.size, 1},
                reduced[1] = {1};
  return Reduce(Parallel(1), {request.kind, type, dimensions, strides, reduced, request.operand,
                              request.init, request.output});
}

}  // namespace hlocts::kernels
