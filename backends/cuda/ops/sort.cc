// sort with any comparator, stably; top-k by total order. See device/sort.h.
#include <algorithm>

#include "backends/cuda/ops/op_list.h"

namespace hlocts::cuda {

absl::StatusOr<std::shared_ptr<const Body>> OrderBody(Compiler& compiler, PrimitiveType type,
                                                      hl::Direction direction) {
  std::vector<hl::Instr> code(4);
  for (int k = 0; k < 2; ++k) {
    code[k].op = hl::kOpParameter;
    code[k].to = TypeNumber(type);
    code[k].a = code[k].dst = k;
  }
  code[2].op = hl::kOpCompareTotal;
  code[2].type = TypeNumber(type);
  code[2].to = hl::kPred;
  code[2].b = code[2].dst = 1;
  code[2].imm[0] = direction;
  code[3].op = hl::kOpResult;
  code[3].a = 1;
  return compiler.UploadProgram(std::move(code));
}

absl::Status CompileSort(Compiler& compiler, SortJob& job) {
  job.args.body = job.body->code;
  const int64_t elements = job.rows * job.args.size;
  HLOCTS_ASSIGN_OR_RETURN(job.split_code, compiler.CompileKernel(hl::kSortSplitKernel, *job.body,
                                                                 {}, elements));
  HLOCTS_ASSIGN_OR_RETURN(job.merge_code, compiler.CompileKernel(hl::kSortMergeKernel, *job.body,
                                                                 {}, elements));
  return absl::OkStatus();
}

absl::StatusOr<Buffer> RunSort(Run& run, const SortJob& job, In in) {
  hl::SortArgs args = job.args;
  const int64_t size = args.size, elements = job.rows * size;
  HLOCTS_ASSIGN_OR_RETURN(Buffer order, run.Allocate(elements * 8));
  HLOCTS_ASSIGN_OR_RETURN(Buffer next, run.Allocate(elements * 8));
  for (int k = 0; k < args.arrays; ++k) args.in[k] = in[k];
  args.order = static_cast<hl::i64*>(order->data());
  HLOCTS_RETURN_IF_ERROR(run.Launch(hl::kSortStartKernel, args, elements));
  // The most splits: two to a chunk in the first pass.
  HLOCTS_ASSIGN_OR_RETURN(const Buffer splits, run.Allocate((elements + job.rows) * 8));
  args.splits = static_cast<hl::i64*>(splits->data());
  for (int64_t width = 1; width < size; width *= 2) {
    args.width = width;
    args.chunk = std::min<int64_t>(2 * width, hl::kSortChunk);
    args.chunks = (size + args.chunk - 1) / args.chunk;
    args.order = static_cast<hl::i64*>(order->data());
    args.next = static_cast<hl::i64*>(next->data());
    const int64_t pairs = (size + 2 * width - 1) / (2 * width);
    HLOCTS_RETURN_IF_ERROR(
        run.Launch(hl::kSortSplitKernel, args, job.rows * args.chunks, job.split_code));
    HLOCTS_RETURN_IF_ERROR(run.Launch(hl::kSortRepairKernel, args, job.rows * pairs));
    HLOCTS_RETURN_IF_ERROR(
        run.Launch(hl::kSortMergeKernel, args, job.rows * args.chunks, job.merge_code));
    std::swap(order, next);
  }
  return order;
}

absl::StatusOr<StepDraft> MakeSort(const OpContext& context) {
  const size_t arrays = context.node.operands.size();
  HLOCTS_RETURN_IF_ERROR(CheckPlaces(context, arrays));
  const plan::ArrayType& first = context.in(0);
  const std::vector<int64_t>& named = context.source().IntList(Attr::kDimensions);
  const int64_t dimension = named.empty() ? first.rank() - 1 : named[0];
  SortJob job;
  job.args.size = job.args.inner = 1;
  int64_t outer = 1;
  for (int64_t d = 0; d < first.rank(); ++d) {
    if (d < dimension) outer *= first.dimensions[d];
    if (d == dimension) job.args.size = first.dimensions[d];
    if (d > dimension) job.args.inner *= first.dimensions[d];
  }
  job.rows = outer * job.args.inner;
  job.args.arrays = static_cast<int>(arrays);
  std::vector<int> widths;
  for (size_t k = 0; k < arrays; ++k) {
    job.args.types[k] = TypeNumber(context.in(k).type);
    widths.push_back(context.in(k).width());
  }
  HLOCTS_ASSIGN_OR_RETURN(job.body, context.compiler.CompileElements(context.called(0)));
  HLOCTS_RETURN_IF_ERROR(CompileSort(context.compiler, job));
  const int64_t elements = first.elements;
  StepDraft draft;
  draft.work = [=](Run& run, In in, Out out) -> absl::Status {
    if (elements == 0) return absl::OkStatus();
    HLOCTS_ASSIGN_OR_RETURN(const Buffer order, RunSort(run, job, in));
    for (size_t k = 0; k < widths.size(); ++k) {
      hl::PermuteArgs move = {widths[k], 0, job.args.size, job.args.inner, job.args.size,
                              static_cast<const hl::i64*>(order->data()), in[k], out[k]};
      HLOCTS_RETURN_IF_ERROR(run.Launch(hl::kPermuteKernel, move, elements));
    }
    return absl::OkStatus();
  };
  return draft;
}

// Rows in descending (or ascending) total order, of which the first k are taken.
absl::StatusOr<StepDraft> MakeTopK(const OpContext& context) {
  const plan::ArrayType& operand = context.in(0);
  const int64_t k = context.source().IntOr(Attr::kK, 0);
  if (IsComplex(operand.type) || operand.rank() == 0) {
    return Unsupported(context.name(), ": topk of ", PrimitiveTypeName(operand.type));
  }
  const bool largest = context.source().BoolOr(Attr::kLargest, true);
  SortJob job;
  job.args.size = operand.dimensions.back();
  job.args.inner = 1;
  job.args.arrays = 1;
  job.args.types[0] = TypeNumber(operand.type);
  job.rows = job.args.size == 0 ? 0 : operand.elements / job.args.size;
  HLOCTS_ASSIGN_OR_RETURN(
      job.body, OrderBody(context.compiler, operand.type, largest ? hl::kGt : hl::kLt));
  HLOCTS_RETURN_IF_ERROR(CompileSort(context.compiler, job));
  const int width = operand.width(), index_type = TypeNumber(context.out(1).type);
  StepDraft draft;
  draft.work = [=](Run& run, In in, Out out) -> absl::Status {
    if (job.rows == 0 || k == 0) return absl::OkStatus();
    HLOCTS_ASSIGN_OR_RETURN(const Buffer order, RunSort(run, job, in));
    hl::PermuteArgs move = {width, 0, job.args.size, 1, k,
                            static_cast<const hl::i64*>(order->data()), in[0], out[0]};
    HLOCTS_RETURN_IF_ERROR(run.Launch(hl::kPermuteKernel, move, job.rows * k));
    move.bytes = index_type;
    move.out = out[1];
    return run.Launch(hl::kPositionsKernel, move, job.rows * k);
  };
  return draft;
}

}  // namespace hlocts::cuda
