// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/builder/builder.h"
#include "spec/infer/rules.h"

namespace hlocts {
namespace {

std::vector<int64_t> Vector(absl::Span<const int64_t> values) {
  return {values.begin(), values.end()};
}

}  // namespace

Value Builder::Broadcast(Value operand, Sizes broadcast_sizes) {
  if (!Usable({operand})) return {};
  const Shape& shape = operand.shape();
  std::vector<int64_t> sizes = Vector(broadcast_sizes), dimensions;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    dimensions.push_back(static_cast<int64_t>(sizes.size()));
    sizes.push_back(shape.dimension(d));
  }
  Shape result(shape.element_type(), sizes);
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (shape.is_dynamic_dimension(d)) result.set_dynamic_dimension(dimensions[d], true);
  }
  return Emit(Opcode::kBroadcast, {operand}, {{Attr::kDimensions, dimensions}}, result);
}

Value Builder::BroadcastInDim(Value operand, Sizes out_dim_size, Sizes broadcast_dimensions) {
  if (!Usable({operand})) return {};
  const Shape& shape = operand.shape();
  const std::vector<int64_t> out = Vector(out_dim_size);
  if (static_cast<int64_t>(broadcast_dimensions.size()) != shape.rank()) {
    return FailRule("BroadcastInDim", "broadcast_in_dim.5",
                    absl::StrCat(shape.rank(), " broadcast_dimensions"),
                    ListText(broadcast_dimensions));
  }
  for (int64_t d = 0; d < shape.rank(); ++d) {
    int64_t to = broadcast_dimensions[d];
    if (to < 0 || to >= static_cast<int64_t>(out.size())) {
      return FailRule("BroadcastInDim", "broadcast_in_dim.8",
                      absl::StrCat("broadcast_dimensions in [0, ", out.size(), ")"),
                      ListText(broadcast_dimensions));
    }
    if (shape.dimension(d) != 1 && shape.dimension(d) != out[to]) {
      return FailRule("BroadcastInDim", "broadcast_in_dim.9",
                      absl::StrCat("size 1 or ", out[to], " in dimension ", d),
                      absl::StrCat(shape.dimension(d)));
    }
  }
  // An identity mapping with equal sizes is the operand itself, any other mapping is a broadcast.
  bool is_identity = shape.dimensions() == out &&
                     std::is_sorted(broadcast_dimensions.begin(), broadcast_dimensions.end());
  if (is_identity) return operand;
  std::vector<int64_t> kept_sizes, kept_dimensions;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (shape.dimension(d) == 1 && out[broadcast_dimensions[d]] != 1) continue;
    kept_sizes.push_back(shape.dimension(d));
    kept_dimensions.push_back(broadcast_dimensions[d]);
  }
  if (kept_sizes != shape.dimensions()) operand = Reshape(operand, kept_sizes);
  return Emit(Opcode::kBroadcast, {operand}, {{Attr::kDimensions, kept_dimensions}},
              Shape(shape.element_type(), out));
}

Value Builder::Reshape(Value operand, Sizes new_sizes) {
  if (!Usable({operand})) return {};
  return Emit(Opcode::kReshape, {operand}, {},
              Shape(operand.shape().element_type(), Vector(new_sizes)));
}

Value Builder::Collapse(Value operand, Sizes dimensions) {
  if (!Usable({operand})) return {};
  const Shape& shape = operand.shape();
  for (size_t i = 0; i < dimensions.size(); ++i) {
    const bool outside = dimensions[i] < 0 || dimensions[i] >= shape.rank();
    const bool descends = i > 0 && dimensions[i] <= dimensions[i - 1];
    if (outside || descends || (i > 0 && dimensions[i] != dimensions[i - 1] + 1)) {
      const char* rule = outside ? "collapse.16" : descends ? "collapse.7" : "collapse.6";
      const auto wanted = absl::StrCat("consecutive, low to high, in [0, ", shape.rank(), ")");
      return FailRule("Collapse", rule, wanted, ListText(dimensions));
    }
  }
  if (dimensions.size() <= 1) return operand;
  std::vector<int64_t> sizes;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    bool merged = d > dimensions.front() && d <= dimensions.back();
    if (!merged) {
      sizes.push_back(shape.dimension(d));
    } else if (__builtin_mul_overflow(sizes.back(), shape.dimension(d), &sizes.back())) {
      return FailRule("Collapse", "collapse.11", "a size below 2^63", "more");
    }
  }
  return Reshape(operand, sizes);
}

Value Builder::Transpose(Value operand, Sizes permutation) {
  return Emit(Opcode::kTranspose, {operand}, {{Attr::kDimensions, Vector(permutation)}});
}

Value Builder::Rev(Value operand, Sizes dimensions) {
  return Emit(Opcode::kReverse, {operand}, {{Attr::kDimensions, Vector(dimensions)}});
}

Value Builder::Slice(Value operand, Sizes start_indices, Sizes limit_indices, Sizes strides) {
  if (start_indices.size() != limit_indices.size() ||
      (!strides.empty() && strides.size() != start_indices.size())) {
    return FailRule(
        "Slice", "slice.9", "as many limits and strides as starts",
        absl::StrCat(ListText(start_indices), ListText(limit_indices), ListText(strides)));
  }
  SliceRanges ranges;
  for (size_t d = 0; d < start_indices.size(); ++d) {
    ranges.dimensions.push_back(
        {start_indices[d], limit_indices[d], strides.empty() ? 1 : strides[d]});  // slice.5
  }
  return Emit(Opcode::kSlice, {operand}, {{Attr::kSlice, ranges}});
}

Value Builder::Pad(Value operand, Value padding_value, const PaddingConfig& padding_config) {
  return Emit(Opcode::kPad, {operand, padding_value}, {{Attr::kPadding, padding_config}});
}

Value Builder::Concatenate(Values operands, int64_t dimension) {
  return Emit(Opcode::kConcatenate, operands,
              {{Attr::kDimensions, std::vector<int64_t>{dimension}}});
}

Value Builder::DynamicSlice(Value operand, Values start_indices, Sizes size_indices) {
  std::vector<Value> operands = {operand};
  operands.insert(operands.end(), start_indices.begin(), start_indices.end());
  return Emit(Opcode::kDynamicSlice, operands, {{Attr::kDynamicSliceSizes, Vector(size_indices)}});
}

Value Builder::DynamicUpdateSlice(Value operand, Value update, Values start_indices) {
  std::vector<Value> operands = {operand, update};
  operands.insert(operands.end(), start_indices.begin(), start_indices.end());
  return Emit(Opcode::kDynamicUpdateSlice, operands);
}

Value Builder::Gather(Value operand, Value start_indices,
                      const GatherDimensionNumbers& dimension_numbers, Sizes slice_sizes,
                      bool indices_are_sorted) {
  Attributes attributes = {
      {Attr::kOffsetDims, dimension_numbers.offset_dims},
      {Attr::kCollapsedSliceDims, dimension_numbers.collapsed_slice_dims},
      {Attr::kStartIndexMap, dimension_numbers.start_index_map},
      {Attr::kIndexVectorDim, dimension_numbers.index_vector_dim},
      {Attr::kSliceSizes, Vector(slice_sizes)},
  };
  if (!dimension_numbers.operand_batching_dims.empty()) {
    attributes.push_back({Attr::kOperandBatchingDims, dimension_numbers.operand_batching_dims});
    attributes.push_back(
        {Attr::kStartIndicesBatchingDims, dimension_numbers.start_indices_batching_dims});
  }
  if (indices_are_sorted) attributes.push_back({Attr::kIndicesAreSorted, true});
  return Emit(Opcode::kGather, {operand, start_indices}, std::move(attributes));
}

Value Builder::Scatter(Values operands, Value scatter_indices, Values updates,
                       Computation* update_computation,
                       const ScatterDimensionNumbers& dimension_numbers, bool indices_are_sorted,
                       bool unique_indices) {
  if (!Usable(absl::MakeConstSpan(&update_computation, 1))) return {};
  std::vector<Value> all(operands.begin(), operands.end());
  all.push_back(scatter_indices);
  all.insert(all.end(), updates.begin(), updates.end());
  Attributes attributes = {
      {Attr::kUpdateWindowDims, dimension_numbers.update_window_dims},
      {Attr::kInsertedWindowDims, dimension_numbers.inserted_window_dims},
      {Attr::kScatterDimsToOperandDims, dimension_numbers.scatter_dims_to_operand_dims},
      {Attr::kIndexVectorDim, dimension_numbers.index_vector_dim},
      {Attr::kToApply, update_computation},
  };
  if (!dimension_numbers.input_batching_dims.empty()) {
    attributes.push_back({Attr::kInputBatchingDims, dimension_numbers.input_batching_dims});
    attributes.push_back(
        {Attr::kScatterIndicesBatchingDims, dimension_numbers.scatter_indices_batching_dims});
  }
  if (indices_are_sorted) attributes.push_back({Attr::kIndicesAreSorted, true});
  if (unique_indices) attributes.push_back({Attr::kUniqueIndices, true});
  return Emit(Opcode::kScatter, all, std::move(attributes));
}

Value Builder::GetDimensionSize(Value operand, int64_t dimension) {
  return Emit(Opcode::kGetDimensionSize, {operand},
              {{Attr::kDimensions, std::vector<int64_t>{dimension}}});
}

Value Builder::SetDimensionSize(Value operand, Value size, int64_t dimension) {
  return Emit(Opcode::kSetDimensionSize, {operand, size},
              {{Attr::kDimensions, std::vector<int64_t>{dimension}}});
}

}  // namespace hlocts
