// SPDX-License-Identifier: Apache-2.0
// Reads the dimension numbers of dot, gather and scatter from an instruction's attributes.
//
// Absent lists are empty, as in the text. These functions check nothing. Once the verifier has
// accepted the module, every number is in range and every list has the length that its clause
// states.
#pragma once

#include <cstdint>
#include <vector>

#include "spec/ir/module_fwd.h"

namespace hlocts {

// The dimension numbers of dot, ragged-dot and scaled-dot (DotGeneral's dimension_numbers).
struct DotDimensionNumbers {
  std::vector<int64_t> lhs_batch, rhs_batch;
  std::vector<int64_t> lhs_contracting, rhs_contracting;
};
DotDimensionNumbers DotDimensionsOf(const Instruction& dot);

struct GatherDimensionNumbers {
  std::vector<int64_t> offset_dims;
  std::vector<int64_t> collapsed_slice_dims;
  std::vector<int64_t> start_index_map;
  std::vector<int64_t> operand_batching_dims;
  std::vector<int64_t> start_indices_batching_dims;
  int64_t index_vector_dim = 0;
};
GatherDimensionNumbers GatherDimensionsOf(const Instruction& gather);

struct ScatterDimensionNumbers {
  std::vector<int64_t> update_window_dims;
  std::vector<int64_t> inserted_window_dims;
  std::vector<int64_t> scatter_dims_to_operand_dims;
  std::vector<int64_t> input_batching_dims;
  std::vector<int64_t> scatter_indices_batching_dims;
  int64_t index_vector_dim = 0;
};
ScatterDimensionNumbers ScatterDimensionsOf(const Instruction& scatter);

// Returns 0..rank-1 without `excluded`, in ascending order: the batch_dims of gather, the
// update_scatter_dims of scatter, the free dimensions of dot, and the dimensions that reduce keeps.
std::vector<int64_t> DimensionsExcept(int64_t rank, absl::Span<const int64_t> excluded);

}  // namespace hlocts
