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

Value Builder::Slice(Value operand, Sizes start_indices, Sizes limit_indices) {
  if (start_indices.size() != limit_indices.size()) {
    return FailRule("Slice", "slice.9", "as many limits as starts",
                    absl::StrCat(ListText(start_indices), ListText(limit_indices)));
  }
  SliceRanges ranges;
  for (size_t d = 0; d < start_indices.size(); ++d) {
    ranges.dimensions.push_back({start_indices[d], limit_indices[d], 1});  // slice.5
  }
  return Emit(Opcode::kSlice, {operand}, {{Attr::kSlice, ranges}});
}

Value Builder::AllToAll(Value operand, int64_t split_dimension, int64_t concat_dimension,
                        int64_t split_count) {
  if (!Usable({operand})) return {};
  const Shape shape = operand.shape();
  const int64_t rank = shape.rank();
  if (!shape.IsArray() || split_dimension < 0 || split_dimension >= rank || concat_dimension < 0 ||
      concat_dimension >= rank) {
    return FailRule("AllToAll", split_dimension < rank ? "all_to_all.15" : "all_to_all.13",
                    absl::StrCat("dimensions in [0, ", rank, ")"),
                    absl::StrCat(split_dimension, " and ", concat_dimension));
  }
  if (split_count < 1 || shape.dimension(split_dimension) % split_count != 0) {
    return FailRule("AllToAll", "all_to_all.9",
                    absl::StrCat("a split_count that divides ", shape.dimension(split_dimension)),
                    absl::StrCat(split_count));
  }
  Value blocks = Emit(Opcode::kAllToAll, {operand},
                      {{Attr::kReplicaGroups, ReplicaGroups()},
                       {Attr::kDimensions, std::vector<int64_t>{split_dimension}}});
  if (split_dimension == concat_dimension || !blocks.ok()) return blocks;
  // all_to_all.4: the block from core i is now block i of the split dimension. The core number
  // becomes a dimension of its own, which is moved before the concatenated dimension and merged
  // with it.
  std::vector<int64_t> apart = shape.dimensions(), permutation, merged = shape.dimensions();
  apart[split_dimension] /= split_count;
  apart.insert(apart.begin() + split_dimension, split_count);
  for (int64_t d = 0; d < rank; ++d) {
    if (d == concat_dimension) permutation.push_back(split_dimension);
    permutation.push_back(d < split_dimension ? d : d + 1);
  }
  merged[split_dimension] /= split_count;
  if (__builtin_mul_overflow(merged[concat_dimension], split_count, &merged[concat_dimension])) {
    return FailRule("AllToAll", "hlo.shape", "sizes below 2^63", "more");
  }
  return Reshape(Transpose(Reshape(blocks, apart), permutation), merged);
}

}  // namespace hlocts
