// SPDX-License-Identifier: Apache-2.0
// Factories of structured operations: each inspects a node once and returns its step.
#pragma once

#include "backends/engine/cuda/compile/compiler.h"

namespace hlocts::cuda {

#define HLOCTS_CUDA_OP(Opcode, Factory) absl::StatusOr<StepDraft> Factory(const OpContext& context);
#include "backends/engine/cuda/compile/ops.def"
#undef HLOCTS_CUDA_OP

// Returns the strides of the dense array, in which the last dimension is contiguous.
std::vector<int64_t> Strides(absl::Span<const int64_t> dimensions);
using plan::Joined;
using plan::Product;
// Return Unimplemented if kernels do not support that many.
absl::Status CheckRank(const OpContext& context, size_t rank);
absl::Status CheckPlaces(const OpContext& context, size_t arrays);

// A term of a view over the result's dimensions, for CoordinateView: the stride of one dimension.
// Dimensions without a Coordinate have stride 0.
struct Coordinate {
  int64_t dimension = 0, stride = 0;
};
absl::StatusOr<hl::View> CoordinateView(absl::Span<const int64_t> result,
                                        absl::Span<const Coordinate> coordinates);

// Descriptions of the elements of a pad and of a gather.
absl::StatusOr<hl::PadShape> PadShapeOf(const OpContext& context);
absl::StatusOr<hl::IndexedWindows> GatherWindowsOf(const OpContext& context);

// Makes the step of a reduce-window that is a scan. Returns false if it is not a scan.
absl::StatusOr<bool> MakeScan(const OpContext& context, StepDraft& draft);

// The sort keys of an array.
struct SortRank {
  int array = 0;
  bool without_nan = false;  // valid only if the array has no NaN
  int key_bits = 0;          // bits of a key; 0: the width of the type
  hl::SortKeyArgs keys = {};
};
// Writes positions 0 .. size-1 of each row, sorted by the body, to `order` (i64, contiguous rows).
struct SortJob {
  // The ranks by which the body compares, the most significant first. If there are any, a library
  // may sort. Empty if none are known, or if no library should be used.
  std::vector<SortRank> ranks;
  hl::SortArgs args = {};
  int64_t rows = 0;
  std::shared_ptr<const Body> body;
  int64_t split_code = -1, merge_code = -1;
};
absl::Status CompileSort(Compiler& compiler, SortJob& job);
// `in` contains the arrays that the body compares. The returned buffer contains the order.
absl::StatusOr<Buffer> RunSort(Run& run, const SortJob& job, In in);
// Sets the ranks of the job that are known.
void FindRanks(const plan::Graph& body, bool stable, SortJob& job);
// Returns the number of bits that distinguish this number of values.
int BitsNeeded(int64_t values);
// Prepares a sort of the numbers of elements of an array of `targets` elements; -1 means no
// element. Returns true if StoreTarget writes these numbers as u32.
absl::StatusOr<bool> SetTargetOrder(Compiler& compiler, int64_t targets, SortJob& job);
// Sorts by the total order of values of a type.
absl::Status SetTotalOrder(Compiler& compiler, PrimitiveType type, bool descending, SortJob& job);

// Runs all levels of a scatter with given targets and order (device/scatter.h). args.splits means
// that long runs may be cut, because the computation may combine updates in any order.
absl::Status RunScatter(Run& run, hl::ScatterArgs args, int64_t code);

// Copies an operand to the host, for operations that the host executes.
absl::StatusOr<std::vector<uint8_t>> ToHost(Run& run, const void* data, int64_t bytes);

}  // namespace hlocts::cuda
