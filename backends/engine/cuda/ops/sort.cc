// SPDX-License-Identifier: Apache-2.0
// sort with any comparator, stably. A library's radix sort is used if ranks are equivalent to the
// comparator (sort_rank.cc), else a merge sort (device/sort.h).
#include <algorithm>
#include <limits>

#include "backends/engine/cuda/compile/op_list.h"

namespace hlocts::cuda {

namespace {

constexpr int64_t kSortedForLibrary = 1 << 14;

// Returns a comparator by total order of the elements of operand `array`.
absl::StatusOr<std::shared_ptr<const Body>> OrderBody(Compiler& compiler, PrimitiveType type,
                                                      hl::Direction direction, int array = 0) {
  std::vector<hl::Instr> code(4);
  for (int k = 0; k < 2; ++k) {
    code[k].op = hl::kOpParameter;
    code[k].to = TypeNumber(type);
    code[k].a = 2 * array + k;
    code[k].dst = k;
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

// Sorts pairs by bits [0, end_bit) of their keys. Returns false if there is no library.
absl::StatusOr<bool> SortPairs(Run& run, int64_t count, int key_bytes, int end_bit, Buffer& keys,
                               Buffer& values) {
  HLOCTS_ASSIGN_OR_RETURN(Buffer sorted, run.Allocate(count * key_bytes));
  HLOCTS_ASSIGN_OR_RETURN(Buffer moved, run.Allocate(count * 4));
  const SortPlan plan = {key_bytes == 8 ? kSort64 : kSort32, end_bit, count};
  HLOCTS_ASSIGN_OR_RETURN(const bool done, run.CallLibrary(plan, {keys->data(), values->data()},
                                                           {sorted->data(), moved->data()}));
  keys = std::move(sorted);
  values = std::move(moved);
  return done;
}

// Sorts the positions in `values` by this rank, and then by row if row_bits > 0. Returns false if
// there is no library. If rank and row fit in 64 bits, one key contains both. Otherwise a second
// pass sorts by row.
absl::StatusOr<bool> SortByRank(Run& run, const SortJob& job, const SortRank& rank, int row_bits,
                                const void* in, bool sorted, Buffer& values) {
  const int64_t count = job.rows * job.args.size;
  hl::SortKeyArgs args = rank.keys;
  args.size = job.args.size;
  args.inner = job.args.inner;
  args.in = in;
  args.sorted = sorted ? 1 : 0;
  const int key_bits = rank.key_bits > 0 ? rank.key_bits : hl::BitsOf(args.type);
  const bool together = key_bits + row_bits <= 64;
  const int bits = together ? key_bits + row_bits : key_bits;
  args.row_shift = together && row_bits > 0 ? key_bits : -1;
  args.key_bytes = bits <= 32 ? 4 : 8;
  HLOCTS_ASSIGN_OR_RETURN(Buffer keys, run.Allocate(count * args.key_bytes));
  args.keys = keys->data();
  args.values = static_cast<uint32_t*>(values->data());
  HLOCTS_RETURN_IF_ERROR(run.Launch(hl::kSortKeysKernel, args, count));
  HLOCTS_ASSIGN_OR_RETURN(bool done, SortPairs(run, count, args.key_bytes, bits, keys, values));
  if (!done || together) return done;
  args.key_bytes = 4;
  args.keys = keys->data();
  args.values = static_cast<uint32_t*>(values->data());
  HLOCTS_RETURN_IF_ERROR(run.Launch(hl::kSortRowsKernel, args, count));
  return SortPairs(run, count, 4, row_bits, keys, values);
}

// Returns the sorted order of each row, or null if there is no library. Sorts by each rank, the
// least significant one first. As the sorts are stable, later ones keep the order of equal
// elements.
absl::StatusOr<Buffer> RankedOrder(Run& run, const SortJob& job, In in) {
  const int64_t count = job.rows * job.args.size;
  if (count > std::numeric_limits<int32_t>::max()) return Buffer();
  HLOCTS_ASSIGN_OR_RETURN(Buffer values, run.Allocate(count * 4));
  for (size_t r = job.ranks.size(); r-- > 0;) {
    const SortRank& rank = job.ranks[r];
    const int row_bits = r == 0 ? BitsNeeded(job.rows) : 0;
    HLOCTS_ASSIGN_OR_RETURN(const bool done,
                            SortByRank(run, job, rank, row_bits, in[rank.array],
                                       /*sorted=*/r + 1 < job.ranks.size(), values));
    if (!done) return Buffer();
  }
  HLOCTS_ASSIGN_OR_RETURN(Buffer order, run.Allocate(count * 8));
  hl::SortKeyArgs args = {};
  args.size = job.args.size;
  args.values = static_cast<uint32_t*>(values->data());
  args.order = static_cast<hl::i64*>(order->data());
  HLOCTS_RETURN_IF_ERROR(run.Launch(hl::kSortedOrderKernel, args, count));
  return order;
}

}  // namespace

int BitsNeeded(int64_t values) {
  int bits = 0;
  while (bits < 63 && int64_t{1} << bits < values) ++bits;
  return bits;
}

absl::StatusOr<bool> SetTargetOrder(Compiler& compiler, int64_t targets, SortJob& job) {
  const bool narrow = targets < std::numeric_limits<uint32_t>::max();
  HLOCTS_RETURN_IF_ERROR(SetTotalOrder(compiler, narrow ? PrimitiveType::kU32 : PrimitiveType::kS64,
                                       /*descending=*/false, job));
  for (SortRank& rank : job.ranks) {
    if (narrow) rank.key_bits = std::max(1, BitsNeeded(targets + 1));
  }
  return narrow;
}

absl::Status SetTotalOrder(Compiler& compiler, PrimitiveType type, bool descending, SortJob& job) {
  SortRank rank;
  job.args.arrays = 1;
  job.args.types[0] = rank.keys.type = TypeNumber(type);
  rank.keys.descending = descending ? 1 : 0;
  job.ranks = {rank};
  HLOCTS_ASSIGN_OR_RETURN(job.body, OrderBody(compiler, type, descending ? hl::kGt : hl::kLt));
  return CompileSort(compiler, job);
}

absl::Status CompileSort(Compiler& compiler, SortJob& job) {
  job.args.body = job.body->code;
  const int64_t elements = job.rows * job.args.size;
  if (!compiler.ShouldUseLibrary(elements, 1, kSortedForLibrary)) job.ranks.clear();
  const KernelFacts facts = {{job.args.types, job.args.types + job.args.arrays}};
  HLOCTS_ASSIGN_OR_RETURN(
      job.split_code, compiler.CompileKernel(hl::kSortSplitKernel, *job.body, {}, elements, facts));
  HLOCTS_ASSIGN_OR_RETURN(
      job.merge_code, compiler.CompileKernel(hl::kSortMergeKernel, *job.body, {}, elements, facts));
  return absl::OkStatus();
}

absl::StatusOr<bool> HasNan(Run& run, const SortJob& job, const SortRank& rank, const void* in) {
  int32_t found = 0;
  HLOCTS_ASSIGN_OR_RETURN(const Buffer flag, run.Allocate(sizeof(found)));
  HLOCTS_RETURN_IF_ERROR(run.device().Upload(flag->data(), &found, sizeof(found)));
  hl::SortKeyArgs args = rank.keys;
  args.in = in;
  args.values = static_cast<uint32_t*>(flag->data());
  HLOCTS_RETURN_IF_ERROR(run.Launch(hl::kHasNanKernel, args, job.rows * job.args.size));
  HLOCTS_RETURN_IF_ERROR(run.device().Download(&found, flag->data(), sizeof(found)));
  return found != 0;
}

absl::StatusOr<bool> IsRanked(Run& run, const SortJob& job, In in) {
  for (const SortRank& rank : job.ranks) {
    if (!rank.without_nan) continue;
    HLOCTS_ASSIGN_OR_RETURN(const bool has_nan, HasNan(run, job, rank, in[rank.array]));
    if (has_nan) return false;
  }
  return !job.ranks.empty();
}

absl::StatusOr<Buffer> RunSort(Run& run, const SortJob& job, In in) {
  HLOCTS_ASSIGN_OR_RETURN(const bool ranked, IsRanked(run, job, in));
  if (ranked) {
    HLOCTS_ASSIGN_OR_RETURN(Buffer ranked, RankedOrder(run, job, in));
    if (ranked != nullptr) return ranked;
  }
  hl::SortArgs args = job.args;
  const int64_t size = args.size, elements = job.rows * size;
  HLOCTS_ASSIGN_OR_RETURN(Buffer order, run.Allocate(elements * 8));
  HLOCTS_ASSIGN_OR_RETURN(Buffer next, run.Allocate(elements * 8));
  for (int k = 0; k < args.arrays; ++k) args.in[k] = in[k];
  args.order = static_cast<hl::i64*>(order->data());
  HLOCTS_RETURN_IF_ERROR(run.Launch(hl::kSortStartKernel, args, elements));
  // The first pass has the most splits: one for each pair of elements, and one more for each row.
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

namespace {

struct SortStep {
  SortJob job;
  std::vector<int> widths;  // bytes of an element of each array
  int64_t elements = 0;
  bool alone = false;  // a library sorts one row of f32 keys without values

  absl::Status operator()(Run& run, In in, Out out) const {
    if (elements == 0) return absl::OkStatus();
    if (alone) {
      const SortPlan plan = {kSortF32, 32, elements};
      HLOCTS_ASSIGN_OR_RETURN(const bool done, run.CallLibrary(plan, {in[0]}, {out[0]}));
      if (done) return absl::OkStatus();
    }
    HLOCTS_ASSIGN_OR_RETURN(const Buffer order, RunSort(run, job, in));
    for (size_t k = 0; k < widths.size(); ++k) {
      hl::PermuteArgs move = {widths[k],     0,
                              job.args.size, job.args.inner,
                              job.args.size, static_cast<const hl::i64*>(order->data()),
                              in[k],         out[k]};
      HLOCTS_RETURN_IF_ERROR(run.Launch(hl::kPermuteKernel, move, elements));
    }
    return absl::OkStatus();
  }
};

void SetRows(const OpContext& context, SortJob& job) {
  const plan::ArrayType& first = context.in(0);
  const std::vector<int64_t>& named = context.source().IntList(Attr::kDimensions);
  const int64_t dimension = named.empty() ? first.rank() - 1 : named[0];
  job.args.size = job.args.inner = 1;
  int64_t outer = 1;
  for (int64_t d = 0; d < first.rank(); ++d) {
    if (d < dimension) outer *= first.dimensions[d];
    if (d == dimension) job.args.size = first.dimensions[d];
    if (d > dimension) job.args.inner *= first.dimensions[d];
  }
  job.rows = outer * job.args.inner;
}

// Returns true for one ascending row of f32 in which zeros are equal and NaNs need no check.
bool IsSortedAlone(const OpContext& context, const SortJob& job) {
  if (job.ranks.size() != 1 || context.node.operands.size() != 1 || job.rows != 1) return false;
  const SortRank& rank = job.ranks[0];
  return context.in(0).type == PrimitiveType::kF32 && rank.keys.descending == 0 &&
         rank.keys.zeros_are_equal != 0 && rank.keys.nans_are_equal == 0 && !rank.without_nan &&
         context.in(0).elements <= std::numeric_limits<int32_t>::max();
}

}  // namespace

absl::StatusOr<StepDraft> MakeSort(const OpContext& context) {
  const size_t arrays = context.node.operands.size();
  HLOCTS_RETURN_IF_ERROR(CheckPlaces(context, arrays));
  SortStep step;
  SortJob& job = step.job;
  SetRows(context, job);
  job.args.arrays = static_cast<int>(arrays);
  for (size_t k = 0; k < arrays; ++k) {
    job.args.types[k] = TypeNumber(context.in(k).type);
    step.widths.push_back(context.in(k).width());
  }
  HLOCTS_ASSIGN_OR_RETURN(job.body, context.compiler.CompileElements(context.called(0)));
  const bool stable = context.source().BoolOr(Attr::kIsStable, false);
  FindRanks(context.called(0), stable, job);
  if (!stable && job.ranks.size() == 1) {
    // If the comparator does not order NaN, merges by it would leave numbers next to a NaN unsorted
    // (ruling 0024). Merges by the total order sort these numbers. Elements that only the total
    // order distinguishes may be in any order.
    const SortRank& rank = job.ranks[0];
    HLOCTS_ASSIGN_OR_RETURN(
        job.body, OrderBody(context.compiler, context.in(static_cast<size_t>(rank.array)).type,
                            rank.keys.descending != 0 ? hl::kGt : hl::kLt, rank.array));
  }
  HLOCTS_RETURN_IF_ERROR(CompileSort(context.compiler, job));
  step.elements = context.in(0).elements;
  step.alone = IsSortedAlone(context, job);
  StepDraft draft;
  draft.work = std::move(step);
  return draft;
}

}  // namespace hlocts::cuda
