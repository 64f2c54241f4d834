// SPDX-License-Identifier: Apache-2.0
// reduce of many operands (reduce_step.cc handles few), reduce-window and select-and-scatter, with
// any computation. One thread computes each result.
#include <algorithm>

#include "backends/engine/cuda/compile/op_list.h"
#include "backends/engine/cuda/compile/reduce_plan.h"
#include "backends/engine/plan/windows.h"
#include "spec/infer/dimension_numbers.h"

namespace hlocts::cuda {
namespace {

// Returns windows over an array with dimensions `base`, positions[d] of them in dimension d.
absl::StatusOr<hl::WindowShape> WindowOf(const OpContext& context, const plan::Dimensions& base,
                                         const plan::Dimensions& positions) {
  HLOCTS_RETURN_IF_ERROR(CheckRank(context, base.size()));
  HLOCTS_ASSIGN_OR_RETURN(const auto windows, plan::WindowsOf(context.source(), base, positions));
  const std::vector<int64_t> strides = Strides(base);
  hl::WindowShape shape = {};
  shape.rank = static_cast<int>(base.size());
  for (size_t d = 0; d < base.size(); ++d) {
    const WindowDimension& window = windows[d];
    shape.axes[d] = {
        window.size,          window.stride, window.padding_low, window.window_dilation,
        window.base_dilation, base[d],       strides[d],         positions[d]};
  }
  return shape;
}

template <class Args>
void SetArrays(const OpContext& context, size_t arrays, Args& args) {
  args.arrays = static_cast<int>(arrays);
  for (size_t k = 0; k < arrays; ++k) args.types[k] = TypeNumber(context.in(k).type);
}
template <class Args>
void SetPointers(In in, Out out, Args& args) {
  for (int k = 0; k < args.arrays; ++k) {
    args.in[k] = in[k];
    args.init[k] = in[args.arrays + k];
    args.out[k] = out[k];
  }
}

}  // namespace

// Makes a map whose computation cannot be part of a loop. function_builder.cc makes the other maps.
absl::StatusOr<StepDraft> MakeMap(const OpContext& context) {
  const size_t arrays = context.node.operands.size();
  std::vector<PrimitiveType> types;
  for (size_t k = 0; k < arrays; ++k) types.push_back(context.in(k).type);
  HLOCTS_ASSIGN_OR_RETURN(const auto body, context.compiler.CompileLoop(context.called(0), types));
  const plan::ArrayType& result = context.out(0);
  StepDraft draft;
  draft.work = [=, to = TypeNumber(result.type), elements = result.elements](Run& run, In in,
                                                                             Out out) {
    hl::LoopArgs args = {};
    args.body = body->code;
    args.type = to;
    args.out = out[0];
    std::copy_n(in, arrays, args.arrays);
    return run.Launch(hl::kLoopKernel, args, elements);
  };
  return draft;
}

absl::StatusOr<StepDraft> MakeReduce(const OpContext& context) {
  const size_t arrays = context.node.outputs.size();
  HLOCTS_RETURN_IF_ERROR(CheckPlaces(context, arrays));
  HLOCTS_ASSIGN_OR_RETURN(const auto body, context.compiler.CompileElements(context.called(0)));
  const plan::ArrayType& operand = context.in(0);
  std::vector<int64_t> reduced = context.source().IntList(Attr::kDimensions);
  std::sort(reduced.begin(), reduced.end());
  const plan::View dense = plan::View::Dense(operand.dimensions);
  const plan::View terms = plan::Transposed(dense, reduced);
  hl::ReduceArgs args = {};
  args.body = body->code;
  HLOCTS_ASSIGN_OR_RETURN(
      args.kept, DeviceView(plan::Transposed(dense, DimensionsExcept(operand.rank(), reduced))));
  HLOCTS_ASSIGN_OR_RETURN(args.reduced, DeviceView(terms));
  args.terms = terms.elements();
  SetArrays(context, arrays, args);
  const int64_t elements = context.out(0).elements;
  HLOCTS_ASSIGN_OR_RETURN(const int64_t code, context.compiler.CompileKernel(
                                                  hl::kReduceKernel, *body, {}, operand.elements,
                                                  {{args.types, args.types + args.arrays}}));
  StepDraft draft;
  draft.work = [args, body, elements, code](Run& run, In in, Out out) {
    hl::ReduceArgs now = args;
    SetPointers(in, out, now);
    return run.Launch(hl::kReduceKernel, now, elements, code);
  };
  return draft;
}

absl::StatusOr<StepDraft> MakeReduceWindow(const OpContext& context) {
  const size_t arrays = context.node.outputs.size();
  HLOCTS_RETURN_IF_ERROR(CheckPlaces(context, arrays));
  StepDraft draft;
  HLOCTS_ASSIGN_OR_RETURN(const bool scans, MakeScan(context, draft));
  if (scans) return draft;
  HLOCTS_ASSIGN_OR_RETURN(const auto body, context.compiler.CompileElements(context.called(0)));
  hl::ReduceWindowArgs args = {};
  args.body = body->code;
  HLOCTS_ASSIGN_OR_RETURN(args.window,
                          WindowOf(context, context.in(0).dimensions, context.out(0).dimensions));
  SetArrays(context, arrays, args);
  const int64_t elements = context.out(0).elements;
  HLOCTS_ASSIGN_OR_RETURN(
      const int64_t code,
      context.compiler.CompileKernel(hl::kReduceWindowKernel, *body, {}, context.in(0).elements,
                                     {{args.types, args.types + args.arrays}, &args.window}));
  draft.work = [args, body, elements, code](Run& run, In in, Out out) {
    hl::ReduceWindowArgs now = args;
    SetPointers(in, out, now);
    return run.Launch(hl::kReduceWindowKernel, now, elements, code);
  };
  return draft;
}

namespace {

// Sorts windows by the element that each selects. If several windows select the same element, their
// source elements are combined in order.
struct SelectAndScatter {
  hl::SelectArgs select = {};
  hl::ScatterArgs scatter = {};
  SortJob sort;
  int64_t select_code = -1, scatter_code = -1;
  int64_t elements = 0;
  int width = 1;

  absl::Status operator()(Run& run, In in, Out out) const {
    const hl::FillArgs fill = {width, 0, in[2], out[0]};
    HLOCTS_RETURN_IF_ERROR(run.Launch(hl::kFillKernel, fill, elements));
    if (scatter.count == 0) return absl::OkStatus();
    HLOCTS_ASSIGN_OR_RETURN(const Buffer selected,
                            run.Allocate(scatter.count * (scatter.narrow != 0 ? 4 : 8)));
    hl::SelectArgs find = select;
    find.operand = in[0];
    find.selected = selected->data();
    HLOCTS_RETURN_IF_ERROR(run.Launch(hl::kSelectKernel, find, scatter.count, select_code));
    const void* keys[1] = {selected->data()};
    HLOCTS_ASSIGN_OR_RETURN(const Buffer order, RunSort(run, sort, keys));
    hl::ScatterArgs now = scatter;
    now.targets = selected->data();
    now.order = order->data();
    now.updates[0] = in[1];
    now.out[0] = out[0];
    return RunScatter(run, now, scatter_code);
  }
};

}  // namespace

absl::StatusOr<StepDraft> MakeSelectAndScatter(const OpContext& context) {
  HLOCTS_ASSIGN_OR_RETURN(plan::Graph * selects, context.CalledBy(Attr::kSelect));
  HLOCTS_ASSIGN_OR_RETURN(plan::Graph * scatters, context.CalledBy(Attr::kScatter));
  HLOCTS_ASSIGN_OR_RETURN(const auto select, context.compiler.CompileElements(*selects));
  HLOCTS_ASSIGN_OR_RETURN(const auto scatter, context.compiler.CompileElements(*scatters));
  SelectAndScatter step;
  step.select.body = select->code;
  step.select.type = step.scatter.types[0] = TypeNumber(context.in(0).type);
  HLOCTS_ASSIGN_OR_RETURN(step.select.window,
                          WindowOf(context, context.in(0).dimensions, context.in(1).dimensions));
  step.scatter.body = scatter->code;
  step.scatter.arrays = 1;
  step.scatter.splits = KnownBody(*scatters).has_value() ? 1 : 0;
  step.scatter.count = context.in(1).elements;
  step.elements = context.out(0).elements;
  step.width = context.out(0).width();
  step.sort.args.size = step.scatter.count;
  step.sort.args.inner = 1;
  step.sort.rows = 1;
  HLOCTS_ASSIGN_OR_RETURN(const bool narrow,
                          SetTargetOrder(context.compiler, context.in(0).elements, step.sort));
  step.select.narrow = step.scatter.narrow = narrow ? 1 : 0;
  HLOCTS_ASSIGN_OR_RETURN(
      step.select_code,
      context.compiler.CompileKernel(hl::kSelectKernel, *select, {}, context.in(0).elements,
                                     {{step.select.type}, &step.select.window}));
  HLOCTS_ASSIGN_OR_RETURN(step.scatter_code, context.compiler.CompileKernel(
                                                 hl::kScatterKernel, *scatter, {},
                                                 step.scatter.count, {{step.scatter.types[0]}}));
  StepDraft draft;
  draft.work = [step = std::move(step), select, scatter](Run& run, In in, Out out) {
    return step(run, in, out);
  };
  return draft;
}

}  // namespace hlocts::cuda
