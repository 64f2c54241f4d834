// SPDX-License-Identifier: Apache-2.0
// Factories of structured operations: each inspects a node once and returns the step that runs.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_COMPILE_OP_LIST_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_COMPILE_OP_LIST_H_

#include "backends/engine/cuda/compile/compiler.h"

namespace hlocts::cuda {

#define HLOCTS_CUDA_OP(Opcode, Factory) absl::StatusOr<StepDraft> Factory(const OpContext& context);
#include "backends/engine/cuda/compile/ops.def"
#undef HLOCTS_CUDA_OP

// Strides of the dense array, last dimension fastest.
std::vector<int64_t> Strides(absl::Span<const int64_t> dimensions);
int64_t Product(absl::Span<const int64_t> sizes);
std::vector<int64_t> Joined(std::vector<int64_t> a, const std::vector<int64_t>& b);
// Unimplemented when there are more than kernels support.
absl::Status CheckRank(const OpContext& context, size_t rank);
absl::Status CheckPlaces(const OpContext& context, size_t arrays);

// A view over the result's dimensions: the offset of a step in each of them. Dimensions that are
// not named have none.
struct Coordinate {
  int64_t dimension = 0, stride = 0;
};
absl::StatusOr<hl::View> CoordinateView(absl::Span<const int64_t> result,
                                        absl::Span<const Coordinate> coordinates);

// Descriptions of the elements of a pad and of a gather.
absl::StatusOr<hl::PadShape> PadShapeOf(const OpContext& context);
absl::StatusOr<hl::IndexedWindows> GatherWindowsOf(const OpContext& context);

// The step of a reduce-window that is a scan; false: it is none.
absl::StatusOr<bool> MakeScan(const OpContext& context, StepDraft& draft);

// The keys by which an array's elements are compared.
struct SortRank {
  int array = 0;
  bool without_nan = false;  // only if no element of it is NaN
  int key_bits = 0;          // how many the keys need, 0: all of their type
  hl::SortKeyArgs keys = {};
};
// Leaves positions 0 .. size-1 of each row in `order` (i64, contiguous rows), sorted by the body.
struct SortJob {
  // The body compares by these ranks, each where all before it are equal: a library may sort. Empty
  // if no ranks are known, or no library should be used.
  std::vector<SortRank> ranks;
  hl::SortArgs args = {};
  int64_t rows = 0;
  std::shared_ptr<const Body> body;
  int64_t split_code = -1, merge_code = -1;
};
absl::Status CompileSort(Compiler& compiler, SortJob& job);
// `in` are the arrays that the body compares; the returned buffer holds the order.
absl::StatusOr<Buffer> RunSort(Run& run, const SortJob& job, In in);
// Sets what is known of the job's ranks.
void FindRanks(const plan::Graph& body, bool stable, SortJob& job);
// The number of bits that distinguish so many values.
int BitsNeeded(int64_t values);
// Sorts element numbers of an array of so many elements, or -1. Returns whether StoreTarget writes
// them narrow.
absl::StatusOr<bool> SetTargetOrder(Compiler& compiler, int64_t targets, SortJob& job);
// Sorts by the total order of values of a type (which of s64 is theirs), down or up.
absl::Status SetTotalOrder(Compiler& compiler, PrimitiveType type, bool descending, SortJob& job);

// Runs all levels of a scatter with given targets and order (device/scatter.h). splits in the
// arguments: long runs may be cut, since the computation combines in any order.
absl::Status RunScatter(Run& run, hl::ScatterArgs args, int64_t code);

// Copies operands to the host and results back, for operations that the host coordinates.
absl::StatusOr<std::vector<uint8_t>> ToHost(Run& run, const void* data, int64_t bytes);

}  // namespace hlocts::cuda

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_COMPILE_OP_LIST_H_
