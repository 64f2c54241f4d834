// SPDX-License-Identifier: Apache-2.0
// Shape rule of gather (spec/clauses/gather.textproto); batching dimensions are newer (hlo.gather).

#include "absl/algorithm/container.h"
#include "spec/infer/dimension_numbers.h"
#include "spec/infer/rules.h"

namespace hlocts {
namespace {

absl::Status CheckDimensionLists(const GatherDimensionNumbers& numbers, int64_t operand_rank,
                                 int64_t result_rank) {
  HLOCTS_RETURN_IF_ERROR(
      ExpectDimensions("gather.6", "offset_dims", numbers.offset_dims, result_rank));
  HLOCTS_RETURN_IF_ERROR(ExpectAscending("gather.6", "offset_dims", numbers.offset_dims));
  HLOCTS_RETURN_IF_ERROR(ExpectDimensions("gather.8", "collapsed_slice_dims",
                                          numbers.collapsed_slice_dims, operand_rank));
  HLOCTS_RETURN_IF_ERROR(
      ExpectAscending("gather.8", "collapsed_slice_dims", numbers.collapsed_slice_dims));
  HLOCTS_RETURN_IF_ERROR(
      ExpectDimensions("gather.10", "start_index_map", numbers.start_index_map, operand_rank));
  HLOCTS_RETURN_IF_ERROR(ExpectDimensions("hlo.gather", "operand_batching_dims",
                                          numbers.operand_batching_dims, operand_rank));
  HLOCTS_RETURN_IF_ERROR(
      ExpectAscending("hlo.gather", "operand_batching_dims", numbers.operand_batching_dims));
  for (int64_t d : numbers.operand_batching_dims) {
    HLOCTS_EXPECT(!absl::c_linear_search(numbers.collapsed_slice_dims, d) &&
                      !absl::c_linear_search(numbers.start_index_map, d),
                  "hlo.gather", "operand_batching_dims that are neither collapsed nor mapped",
                  absl::StrCat(d));
  }
  return absl::OkStatus();
}

absl::Status CheckSliceSizes(const GatherDimensionNumbers& numbers, const Shape& operand,
                             const std::vector<int64_t>& slice_sizes) {
  HLOCTS_EXPECT(static_cast<int64_t>(slice_sizes.size()) == operand.rank(), "gather.16",
                absl::StrCat(operand.rank(), " slice_sizes"), ListText(slice_sizes));
  for (int64_t d = 0; d < operand.rank(); ++d) {
    bool known = operand.dimension(d) != kUnboundedSize;
    HLOCTS_EXPECT(slice_sizes[d] >= 0 && (!known || slice_sizes[d] <= operand.dimension(d)),
                  "gather.7",
                  absl::StrCat("slice_sizes[", d, "] in [0, ", operand.dimension(d), "]"),
                  absl::StrCat(slice_sizes[d]));
  }
  // In an empty operand, a collapsed dimension can only have slice size 0 (ruling 0037).
  for (int64_t d : numbers.collapsed_slice_dims) {
    HLOCTS_EXPECT(slice_sizes[d] <= 1, "gather.9",
                  absl::StrCat("a slice size of at most 1 in collapsed dimension ", d),
                  absl::StrCat(slice_sizes[d]));
  }
  for (int64_t d : numbers.operand_batching_dims) {
    HLOCTS_EXPECT(slice_sizes[d] <= 1, "hlo.gather",
                  absl::StrCat("a slice size of at most 1 in batching dimension ", d),
                  absl::StrCat(slice_sizes[d]));
  }
  return absl::OkStatus();
}

// Appends the result's dimensions as in gather.19 and .20: batch dimensions in order, and offset
// dimensions at the positions in offset_dims.
void AppendResult(const GatherDimensionNumbers& numbers, const Shape& indices,
                  const std::vector<int64_t>& slice_sizes, const std::vector<int64_t>& window_dims,
                  int64_t rank, Shape& result) {
  int64_t batch = 0, offset = 0;
  for (int64_t d = 0; d < rank; ++d) {
    if (absl::c_linear_search(numbers.offset_dims, d)) {
      AppendSize(result, slice_sizes[window_dims[offset++]]);
      continue;
    }
    if (batch == numbers.index_vector_dim) ++batch;
    AppendDimension(result, indices, batch++);
  }
}

}  // namespace

absl::StatusOr<Shape> InferGather(const Instruction& gather, Signatures&) {
  const Shape& operand = gather.operand(0).shape();
  Shape indices = gather.operand(1).shape();
  const std::vector<int64_t>& slice_sizes = gather.IntList(Attr::kSliceSizes);
  GatherDimensionNumbers numbers = GatherDimensionsOf(gather);
  HLOCTS_EXPECT(IsInteger(indices.element_type()), "gather.4", "start_indices of integer type",
                ShapeText(indices));
  int64_t index_vector_dim = numbers.index_vector_dim;
  HLOCTS_RETURN_IF_ERROR(
      ExpectDimension("gather.17", "index_vector_dim", index_vector_dim, indices.rank() + 1));
  if (index_vector_dim == indices.rank()) AppendSize(indices, 1);
  int64_t offset_count = static_cast<int64_t>(numbers.offset_dims.size());
  int64_t result_rank = offset_count + indices.rank() - 1;
  HLOCTS_RETURN_IF_ERROR(CheckDimensionLists(numbers, operand.rank(), result_rank));
  HLOCTS_EXPECT(CompatibleSize(static_cast<int64_t>(numbers.start_index_map.size()),
                               indices.dimension(index_vector_dim)),
                "gather.10",
                absl::StrCat("start_index_map with ", indices.dimension(index_vector_dim),
                             " entries, one for each element of an index vector"),
                ListText(numbers.start_index_map));
  HLOCTS_RETURN_IF_ERROR(ExpectBatching(
      "hlo.gather", "start_indices_batching_dims", operand, numbers.operand_batching_dims, indices,
      numbers.start_indices_batching_dims, numbers.index_vector_dim));
  HLOCTS_RETURN_IF_ERROR(CheckSliceSizes(numbers, operand, slice_sizes));
  std::vector<int64_t> dropped = numbers.collapsed_slice_dims;
  dropped.insert(dropped.end(), numbers.operand_batching_dims.begin(),
                 numbers.operand_batching_dims.end());
  std::vector<int64_t> window_dims = DimensionsExcept(operand.rank(), dropped);
  HLOCTS_EXPECT(static_cast<int64_t>(window_dims.size()) == offset_count, "gather.15",
                absl::StrCat(window_dims.size(), " offset_dims"), ListText(numbers.offset_dims));
  Shape result(operand.element_type(), {});
  AppendResult(numbers, indices, slice_sizes, window_dims, result_rank, result);
  return result;
}

}  // namespace hlocts
