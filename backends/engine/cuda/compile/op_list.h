// SPDX-License-Identifier: Apache-2.0
// The factories of structured operations. A factory inspects a node once and returns its step.
#pragma once

#include "backends/engine/cuda/compile/compiler.h"

namespace hlocts::cuda {

#define HLOCTS_CUDA_OP(Opcode, Factory) absl::StatusOr<StepDraft> Factory(const OpContext& context);
#include "backends/engine/cuda/compile/ops.def"
#undef HLOCTS_CUDA_OP

// Returns the row-major strides of a dense array.
std::vector<int64_t> Strides(absl::Span<const int64_t> dimensions);
using plan::Joined;
using plan::Product;
// Return Unimplemented if kernels do not support this rank or this number of arrays.
absl::Status CheckRank(const OpContext& context, size_t rank);
absl::Status CheckPlaces(const OpContext& context, size_t arrays);

// The stride of a view along one dimension of the result, for CoordinateView. The stride of a
// dimension without a Coordinate is 0.
struct Coordinate {
  int64_t dimension = 0, stride = 0;
};
absl::StatusOr<hl::View> CoordinateView(absl::Span<const int64_t> result,
                                        absl::Span<const Coordinate> coordinates);

// Return descriptions by which a kernel finds the elements of a pad or of a gather.
absl::StatusOr<hl::PadShape> PadShapeOf(const OpContext& context);
absl::StatusOr<hl::IndexedWindows> GatherWindowsOf(const OpContext& context);

// Makes the step of a reduce-window if it is a scan. Returns false otherwise.
absl::StatusOr<bool> MakeScan(const OpContext& context, StepDraft& draft);

// A key by which a radix sort of one array is equivalent to a comparison.
struct SortRank {
  int array = 0;
  bool without_nan = false;  // valid only if the array contains no NaN
  int key_bits = 0;          // bits of a key; 0 means the width of the type
  hl::SortKeyArgs keys = {};
};
// Sorts the positions 0 .. size-1 of each row into `order` (i64, contiguous rows), by the body.
struct SortJob {
  // The ranks that the body compares, the most significant first. Is empty if the ranks are not
  // known or no library should be used.
  std::vector<SortRank> ranks;
  hl::SortArgs args = {};
  int64_t rows = 0;
  std::shared_ptr<const Body> body;
  int64_t split_code = -1, merge_code = -1;
};
absl::Status CompileSort(Compiler& compiler, SortJob& job);
// Returns the order. `in` are the arrays that the body compares.
absl::StatusOr<Buffer> RunSort(Run& run, const SortJob& job, In in);
// Sets the ranks of the job if the body is equivalent to comparing ranks.
void FindRanks(const plan::Graph& body, bool stable, SortJob& job);
// Returns the number of bits that represent this number of different values.
int BitsNeeded(int64_t values);
// Prepares a sort of updates by target: an index into an array of `targets` elements, or -1 for
// none. Returns true if StoreTarget must write the indices as u32.
absl::StatusOr<bool> SetTargetOrder(Compiler& compiler, int64_t targets, SortJob& job);
// Prepares a sort by the total order of a type.
absl::Status SetTotalOrder(Compiler& compiler, PrimitiveType type, bool descending, SortJob& job);

// Runs all levels of a scatter with given targets and order (device/scatter.h). args.splits is 1 if
// long runs may be cut, because the computation may combine updates in any order.
absl::Status RunScatter(Run& run, hl::ScatterArgs args, int64_t code);

// Returns a host copy of an operand, for operations that the host executes.
absl::StatusOr<std::vector<uint8_t>> ToHost(Run& run, const void* data, int64_t bytes);

}  // namespace hlocts::cuda
