// SPDX-License-Identifier: Apache-2.0
// gather and scatter, which access windows of an operand that index vectors select.
#include <algorithm>

#include "backends/engine/cuda/compile/op_list.h"
#include "backends/engine/cuda/compile/reduce_plan.h"
#include "spec/infer/dimension_numbers.h"

namespace hlocts::cuda {
namespace {

// The parts that gather and scatter share. `batched` is the array of all windows: gather's result
// or scatter's updates. `window` is the window's size in each operand dimension. `window_dims` are
// the batched dimensions that correspond, in order, to the operand dimensions not in `absent`. The
// other batched dimensions enumerate the windows.
struct Description {
  const plan::ArrayType& operand;
  const plan::ArrayType& indices;
  const plan::ArrayType& batched;
  std::vector<int64_t> window;
  std::vector<int64_t> window_dims, absent;
  std::vector<int64_t> index_map, operand_batching, indices_batching;
  int64_t vector_dimension = 0;
  bool whole = false;  // entire windows, not only elements, are kept in bounds
};

// Sets the strides of the batched dimensions that enumerate the windows.
void SetBatch(const Description& d, const std::vector<int64_t>& operand, hl::IndexedWindows& w) {
  const std::vector<int64_t> indices = Strides(d.indices.dimensions);
  const std::vector<int64_t> batch = DimensionsExcept(d.batched.rank(), d.window_dims);
  for (int64_t i = 0, b = 0; i < d.indices.rank(); ++i) {
    if (i == d.vector_dimension) {
      w.component_stride = indices[i];
      continue;
    }
    w.index_stride[batch[b]] = indices[i];
    for (size_t k = 0; k < d.indices_batching.size(); ++k) {
      if (d.indices_batching[k] == i) {
        w.batching_stride[batch[b]] += operand[d.operand_batching[k]];
      }
    }
    ++b;
  }
}

absl::StatusOr<hl::IndexedWindows> WindowsOf(const OpContext& context, const Description& d) {
  HLOCTS_RETURN_IF_ERROR(CheckRank(context, d.operand.dimensions.size()));
  HLOCTS_RETURN_IF_ERROR(CheckRank(context, d.batched.dimensions.size()));
  HLOCTS_RETURN_IF_ERROR(CheckRank(context, d.index_map.size()));
  const std::vector<int64_t> operand = Strides(d.operand.dimensions);
  hl::IndexedWindows w = {};
  w.rank = static_cast<int>(d.batched.rank());
  w.operand_rank = static_cast<int>(d.operand.rank());
  w.components = static_cast<int>(d.index_map.size());
  w.index_type = TypeNumber(d.indices.type);
  w.narrow = d.batched.elements < kNarrowElements ? 1 : 0;
  for (int64_t k = 0; k < d.batched.rank(); ++k) w.size[k] = d.batched.dimensions[k];
  const std::vector<int64_t> present = DimensionsExcept(d.operand.rank(), d.absent);
  std::fill_n(w.window_dimension, d.batched.rank(), -1);
  for (size_t k = 0; k < d.window_dims.size(); ++k) {
    w.window_dimension[d.window_dims[k]] = static_cast<int>(present[k]);
    w.operand_stride[d.window_dims[k]] = operand[present[k]];
  }
  SetBatch(d, operand, w);
  for (size_t c = 0; c < d.index_map.size(); ++c) {
    w.component_dimension[c] = static_cast<int>(d.index_map[c]);
  }
  for (int64_t k = 0; k < d.operand.rank(); ++k) {
    w.last[k] = d.operand.dimensions[k] - (d.whole ? d.window[k] : 1);
    w.stride[k] = operand[k];
  }
  return w;
}

}  // namespace

absl::StatusOr<hl::IndexedWindows> GatherWindowsOf(const OpContext& context) {
  const GatherDimensionNumbers numbers = GatherDimensionsOf(context.source());
  Description d = {context.in(0), context.in(1), context.out(0)};
  d.window = context.source().IntList(Attr::kSliceSizes);
  d.window_dims = numbers.offset_dims;
  d.absent = Joined(numbers.collapsed_slice_dims, numbers.operand_batching_dims);
  d.index_map = numbers.start_index_map;
  d.operand_batching = numbers.operand_batching_dims;
  d.indices_batching = numbers.start_indices_batching_dims;
  d.vector_dimension = numbers.index_vector_dim;
  d.whole = true;
  return WindowsOf(context, d);
}

absl::StatusOr<StepDraft> MakeGather(const OpContext& context) {
  hl::GatherArgs args = {};
  HLOCTS_ASSIGN_OR_RETURN(args.windows, GatherWindowsOf(context));
  args.bytes = context.out(0).width();
  const int64_t elements = context.out(0).elements;
  StepDraft draft;
  draft.work = [args, elements](Run& run, In in, Out out) {
    hl::GatherArgs now = args;
    now.in = in[0];
    now.indices = in[1];
    now.out = out[0];
    return run.Launch(hl::kGatherKernel, now, elements);
  };
  return draft;
}

namespace {

// The values at the borders of pieces, which RunScatter combines at the next level.
struct ScatterBorders {
  Buffer targets, heads, tails;

  absl::Status Allocate(Run& run, int64_t borders, hl::ScatterArgs& args) {
    const int64_t bytes = borders * args.arrays * int64_t{sizeof(hl::Value)};
    HLOCTS_ASSIGN_OR_RETURN(targets, run.Allocate(borders * (args.narrow != 0 ? 4 : 8)));
    HLOCTS_ASSIGN_OR_RETURN(heads, run.Allocate(bytes));
    HLOCTS_ASSIGN_OR_RETURN(tails, run.Allocate(bytes));
    args.next_targets = targets->data();
    args.next_heads = static_cast<hl::Value*>(heads->data());
    args.next_tails = static_cast<hl::Value*>(tails->data());
    return absl::OkStatus();
  }
};

}  // namespace

absl::Status RunScatter(Run& run, hl::ScatterArgs args, int64_t code) {
  std::vector<ScatterBorders> levels;  // each level combines the borders of the previous level
  while (args.splits != 0 && args.count > hl::kScatterPiece) {
    const int64_t borders = (args.count + hl::kScatterPiece - 1) / hl::kScatterPiece;
    HLOCTS_RETURN_IF_ERROR(levels.emplace_back().Allocate(run, borders, args));
    HLOCTS_RETURN_IF_ERROR(run.Launch(hl::kScatterKernel, args, args.count, code));
    args.targets = args.next_targets;
    args.order = nullptr;
    args.heads = args.next_heads;
    args.tails = args.next_tails;
    args.count = borders;
  }
  args.splits = 0;
  return run.Launch(hl::kScatterKernel, args, args.count, code);
}

namespace {

// Sorts the updates by their target elements, then applies the updates of each target in order.
class ScatterStep {
 public:
  hl::TargetArgs targets = {};
  hl::ScatterArgs scatter = {};
  SortJob sort;
  int64_t code = -1;
  std::vector<int64_t> bytes;

  absl::Status operator()(Run& run, In in, Out out) const {
    const int arrays = scatter.arrays;
    for (int k = 0; k < arrays; ++k) {
      if (in[k] != out[k]) HLOCTS_RETURN_IF_ERROR(run.device().Copy(out[k], in[k], bytes[k]));
    }
    if (scatter.count == 0) return absl::OkStatus();
    HLOCTS_ASSIGN_OR_RETURN(const Buffer where,
                            run.Allocate(scatter.count * (scatter.narrow != 0 ? 4 : 8)));
    hl::TargetArgs find = targets;
    find.indices = in[arrays];
    find.targets = where->data();
    HLOCTS_RETURN_IF_ERROR(run.Launch(hl::kTargetKernel, find, scatter.count));
    const void* keys[1] = {where->data()};
    HLOCTS_ASSIGN_OR_RETURN(const Buffer order, RunSort(run, sort, keys));
    hl::ScatterArgs now = scatter;
    now.targets = where->data();
    now.order = order->data();
    for (int k = 0; k < arrays; ++k) {
      now.updates[k] = in[arrays + 1 + k];
      now.out[k] = out[k];
    }
    return RunScatter(run, now, code);
  }
};

// Applies updates in any order. Is used if all targets are distinct, or if the order does not
// affect the result.
struct DirectScatter {
  hl::ScatterDirectArgs args = {};
  int64_t count = 0, bytes = 0, code = -1;
  std::shared_ptr<const Body> body;

  absl::Status operator()(Run& run, In in, Out out) const {
    if (in[0] != out[0]) HLOCTS_RETURN_IF_ERROR(run.device().Copy(out[0], in[0], bytes));
    hl::ScatterDirectArgs now = args;
    now.indices = in[1];
    now.updates = in[2];
    now.out = out[0];
    return run.Launch(hl::kScatterDirectKernel, now, count, code);
  }
};

// Returns true if unique_indices is set and no two windows have an element in common.
bool HasUniqueTargets(const OpContext& context, const Description& d) {
  return context.source().BoolOr(Attr::kUniqueIndices, false) &&
         std::all_of(d.index_map.begin(), d.index_map.end(),
                     [&](int64_t dimension) { return d.window[dimension] == 1; });
}

bool MayBeDirect(const OpContext& context, const Description& d) {
  if (context.node.outputs.size() != 1 || !IsStraightLine(context.called(0))) return false;
  if (HasUniqueTargets(context, d)) return true;
  const PrimitiveType type = context.out(0).type;
  if (BitWidth(type) != 32 && BitWidth(type) != 64) return false;
  if (!KnownBody(context.called(0)).has_value()) return false;
  const bool any_order = !context.compiler.options().deterministic;
  return IsSigned(type) || IsUnsigned(type) || (any_order && IsFloat(type));
}

absl::StatusOr<StepDraft> MakeDirectScatter(const OpContext& context, const Description& d) {
  DirectScatter step;
  HLOCTS_ASSIGN_OR_RETURN(step.args.windows, WindowsOf(context, d));
  HLOCTS_ASSIGN_OR_RETURN(step.body, context.compiler.CompileElements(context.called(0)));
  step.args.body = step.body->code;
  step.args.type = TypeNumber(context.out(0).type);
  step.args.unique = HasUniqueTargets(context, d) ? 1 : 0;
  step.count = d.batched.elements;
  step.bytes = context.out(0).bytes;
  HLOCTS_ASSIGN_OR_RETURN(step.code,
                          context.compiler.CompileKernel(hl::kScatterDirectKernel, *step.body, {},
                                                         step.count, {{step.args.type}}));
  StepDraft draft;
  draft.in_place.push_back({0, 0});
  draft.work = std::move(step);
  return draft;
}

Description DescribeScatter(const OpContext& context) {
  const size_t arrays = context.node.outputs.size();
  const ScatterDimensionNumbers numbers = ScatterDimensionsOf(context.source());
  Description d = {context.in(0), context.in(arrays), context.in(arrays + 1)};
  d.absent = Joined(numbers.inserted_window_dims, numbers.input_batching_dims);
  d.window.assign(d.operand.dimensions.size(), 1);
  const std::vector<int64_t> present = DimensionsExcept(d.operand.rank(), d.absent);
  for (size_t k = 0; k < numbers.update_window_dims.size(); ++k) {
    d.window[present[k]] = d.batched.dimensions[numbers.update_window_dims[k]];
  }
  d.window_dims = numbers.update_window_dims;
  d.index_map = numbers.scatter_dims_to_operand_dims;
  d.operand_batching = numbers.input_batching_dims;
  d.indices_batching = numbers.scatter_indices_batching_dims;
  d.vector_dimension = numbers.index_vector_dim;
  return d;
}

}  // namespace

// Applies updates in row-major order of windows, then of the elements of a window. Skips elements
// that are out of bounds (scatter.47, ruling 0011).
absl::StatusOr<StepDraft> MakeScatter(const OpContext& context) {
  const size_t arrays = context.node.outputs.size();
  HLOCTS_RETURN_IF_ERROR(CheckPlaces(context, arrays));
  const Description d = DescribeScatter(context);
  if (MayBeDirect(context, d)) return MakeDirectScatter(context, d);
  ScatterStep step;
  HLOCTS_ASSIGN_OR_RETURN(step.targets.windows, WindowsOf(context, d));
  HLOCTS_ASSIGN_OR_RETURN(const auto body, context.compiler.CompileElements(context.called(0)));
  step.scatter.body = body->code;
  step.scatter.arrays = static_cast<int>(arrays);
  step.scatter.splits = KnownBody(context.called(0)).has_value() ? 1 : 0;
  step.scatter.count = step.sort.args.size = d.batched.elements;
  step.sort.args.inner = step.sort.rows = 1;
  StepDraft draft;
  for (size_t k = 0; k < arrays; ++k) {
    step.scatter.types[k] = TypeNumber(context.out(k).type);
    step.bytes.push_back(context.out(k).bytes);
    draft.in_place.push_back({static_cast<int>(k), static_cast<int>(k)});
  }
  HLOCTS_ASSIGN_OR_RETURN(const bool narrow,
                          SetTargetOrder(context.compiler, d.operand.elements, step.sort));
  step.targets.narrow = step.scatter.narrow = narrow ? 1 : 0;
  HLOCTS_ASSIGN_OR_RETURN(step.code, context.compiler.CompileKernel(
                                         hl::kScatterKernel, *body, {}, d.batched.elements,
                                         {{step.scatter.types, step.scatter.types + arrays}}));
  draft.work = [step = std::move(step), body](Run& run, In in, Out out) {
    return step(run, in, out);
  };
  return draft;
}

}  // namespace hlocts::cuda
