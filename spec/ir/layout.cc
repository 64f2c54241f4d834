// SPDX-License-Identifier: Apache-2.0
#include "spec/ir/layout.h"

#include "absl/algorithm/container.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/str_join.h"
#include "spec/ir/shape.h"

namespace hlocts {
namespace {

std::string TileToString(const Tile& tile) {
  return absl::StrCat("(",
                      absl::StrJoin(tile.dimensions, ",",
                                    [](std::string* out, int64_t d) {
                                      absl::StrAppend(out,
                                                      d == Tile::kCombine ? "*" : absl::StrCat(d));
                                    }),
                      ")");
}

std::string SplitToString(const SplitConfig& split) {
  return absl::StrCat("(", split.dimension, ":", absl::StrJoin(split.split_indices, ","), ")");
}

bool SamePhysicalShape(const Layout& a, const Layout& b) {
  if (!a.physical_shape || !b.physical_shape) return a.physical_shape == b.physical_shape;
  return *a.physical_shape == *b.physical_shape;
}

}  // namespace

bool Layout::operator==(const Layout& other) const {
  return minor_to_major == other.minor_to_major && tiles == other.tiles &&
         tail_padding_alignment_in_elements == other.tail_padding_alignment_in_elements &&
         index_primitive_type == other.index_primitive_type &&
         pointer_primitive_type == other.pointer_primitive_type &&
         element_size_in_bits == other.element_size_in_bits && memory_space == other.memory_space &&
         split_configs == other.split_configs && SamePhysicalShape(*this, other) &&
         dynamic_shape_metadata_prefix_bytes == other.dynamic_shape_metadata_prefix_bytes &&
         dim_level_types == other.dim_level_types && padded_dimensions == other.padded_dimensions &&
         padding_value == other.padding_value;
}

std::string Layout::ToString() const {
  std::string extra;
  if (!dim_level_types.empty()) absl::StrAppend(&extra, "D(", dim_level_types, ")");
  if (!tiles.empty()) {
    absl::StrAppend(&extra, "T");
    for (const Tile& tile : tiles) absl::StrAppend(&extra, TileToString(tile));
  }
  if (tail_padding_alignment_in_elements != 1) {
    absl::StrAppend(&extra, "L(", tail_padding_alignment_in_elements, ")");
  }
  if (index_primitive_type != PrimitiveType::kInvalid) {
    absl::StrAppend(&extra, "#(", PrimitiveTypeName(index_primitive_type), ")");
  }
  if (pointer_primitive_type != PrimitiveType::kInvalid) {
    absl::StrAppend(&extra, "*(", PrimitiveTypeName(pointer_primitive_type), ")");
  }
  if (element_size_in_bits != 0) absl::StrAppend(&extra, "E(", element_size_in_bits, ")");
  if (memory_space != 0) absl::StrAppend(&extra, "S(", memory_space, ")");
  if (!split_configs.empty()) {
    absl::StrAppend(&extra, "SC");
    for (const SplitConfig& split : split_configs) absl::StrAppend(&extra, SplitToString(split));
  }
  if (physical_shape) absl::StrAppend(&extra, "P(", physical_shape->ToString(), ")");
  if (dynamic_shape_metadata_prefix_bytes != 0) {
    absl::StrAppend(&extra, "M(", dynamic_shape_metadata_prefix_bytes, ")");
  }
  return absl::StrCat("{", absl::StrJoin(minor_to_major, ","), extra.empty() ? "" : ":", extra,
                      "}");
}

bool Layout::IsMajorToMinor() const {
  int64_t expected = static_cast<int64_t>(minor_to_major.size());
  return absl::c_all_of(minor_to_major, [&](int64_t d) { return d == --expected; });
}

std::vector<int64_t> MajorToMinorOrder(int64_t rank) {
  std::vector<int64_t> order(rank);
  for (int64_t i = 0; i < rank; ++i) order[i] = rank - 1 - i;
  return order;
}

Layout DefaultLayout(int64_t rank) {
  Layout layout;
  layout.minor_to_major = MajorToMinorOrder(rank);
  return layout;
}

absl::Status ValidateLayout(const Layout& layout, int64_t rank) {
  if (static_cast<int64_t>(layout.minor_to_major.size()) != rank) {
    return RuleError("shapes.layout",
                     absl::StrCat("layout ", layout.ToString(), " has ",
                                  layout.minor_to_major.size(), " dimensions, expected ", rank));
  }
  absl::InlinedVector<bool, 8> seen(static_cast<size_t>(rank), false);
  for (int64_t d : layout.minor_to_major) {
    if (d < 0 || d >= rank || seen[d]) {
      return RuleError("shapes.layout", absl::StrCat("layout ", layout.ToString(),
                                                     " is not a permutation of 0..", rank - 1));
    }
    seen[d] = true;
  }
  return absl::OkStatus();
}

}  // namespace hlocts
