// SPDX-License-Identifier: Apache-2.0
// topk by total order. For each row a block selects the first k elements, which are then sorted. If
// there are only a few long rows, or if most elements are selected, whole rows are sorted.
#include "backends/engine/cuda/compile/op_list.h"

namespace hlocts::cuda {
namespace {

// Blocks select if there are at least kRankedRowsLeast rows, or if size <= kSizeShort.
constexpr int64_t kRankedRowsLeast = 64, kSizeShort = 1 << 15, kShareMost = 4;

struct TopKRun {
  hl::TopKArgs select = {};
  SortJob sort;  // sorts the selected elements, or entire rows
  bool selects = false;
  int64_t k = 0;
  int width = 0, index_type = 0;

  absl::Status operator()(Run& run, In in, Out out) const {
    if (sort.rows == 0 || k == 0) return absl::OkStatus();
    return selects ? Select(run, in, out) : SortAll(run, in, out);
  }
  absl::Status SortAll(Run& run, In in, Out out) const;
  absl::Status Select(Run& run, In in, Out out) const;
};

absl::Status TopKRun::SortAll(Run& run, In in, Out out) const {
  HLOCTS_ASSIGN_OR_RETURN(const Buffer order, RunSort(run, sort, in));
  hl::PermuteArgs move = {
      width, 0, sort.args.size, 1, k, static_cast<const hl::i64*>(order->data()), in[0], out[0]};
  HLOCTS_RETURN_IF_ERROR(run.Launch(hl::kPermuteKernel, move, sort.rows * k));
  move.bytes = index_type;
  move.out = out[1];
  return run.Launch(hl::kPositionsKernel, move, sort.rows * k);
}

absl::Status TopKRun::Select(Run& run, In in, Out out) const {
  const int64_t count = sort.rows * k;
  HLOCTS_ASSIGN_OR_RETURN(const Buffer values, run.Allocate(count * width));
  HLOCTS_ASSIGN_OR_RETURN(const Buffer positions, run.Allocate(count * 8));
  HLOCTS_ASSIGN_OR_RETURN(const Buffer sorted, run.Allocate(count * 8));
  hl::TopKArgs now = select;
  now.in = in[0];
  now.values = values->data();
  now.positions = static_cast<hl::i64*>(positions->data());
  HLOCTS_RETURN_IF_ERROR(run.Launch(hl::kTopKBlockKernel, now, sort.rows));
  const void* keys[1] = {values->data()};
  HLOCTS_ASSIGN_OR_RETURN(const Buffer order, RunSort(run, sort, keys));
  hl::PermuteArgs move = {
      width, 0, k, 1, k, static_cast<const hl::i64*>(order->data()), values->data(), out[0]};
  HLOCTS_RETURN_IF_ERROR(run.Launch(hl::kPermuteKernel, move, count));
  move.bytes = 8;
  move.in = positions->data();
  move.out = sorted->data();
  HLOCTS_RETURN_IF_ERROR(run.Launch(hl::kPermuteKernel, move, count));
  hl::CastArgs cast = {};
  HLOCTS_ASSIGN_OR_RETURN(cast.view, DeviceView(plan::View::Dense({count})));
  cast.from = hl::kS64;
  cast.to = index_type;
  cast.in = sorted->data();
  cast.out = out[1];
  return run.Launch(hl::kCastKernel, cast, count);
}

}  // namespace

absl::StatusOr<StepDraft> MakeTopK(const OpContext& context) {
  const plan::ArrayType& operand = context.in(0);
  if (IsComplex(operand.type) || operand.rank() == 0) {
    return Unsupported(context.name(), ": topk of ", PrimitiveTypeName(operand.type));
  }
  const bool largest = context.source().BoolOr(Attr::kLargest, true);
  const int64_t size = operand.dimensions.back();
  TopKRun step;
  step.k = context.source().IntOr(Attr::kK, 0);
  step.width = operand.width();
  step.index_type = TypeNumber(context.out(1).type);
  step.sort.rows = size == 0 ? 0 : operand.elements / size;
  step.selects = step.k > 0 && step.k * kShareMost <= size &&
                 (step.sort.rows >= kRankedRowsLeast || size <= kSizeShort);
  step.select.type = TypeNumber(operand.type);
  step.select.descending = largest ? 1 : 0;
  step.select.phases = hl::TopKPhases(step.select.type);
  step.select.size = size;
  step.select.k = step.k;
  step.sort.args.size = step.selects ? step.k : size;
  step.sort.args.inner = 1;
  HLOCTS_RETURN_IF_ERROR(SetTotalOrder(context.compiler, operand.type, largest, step.sort));
  StepDraft draft;
  draft.work = std::move(step);
  return draft;
}

}  // namespace hlocts::cuda
