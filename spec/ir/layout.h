// SPDX-License-Identifier: Apache-2.0
// Layout: the memory order of the elements of an array, which never changes a value (the document
// "Shapes and layout"). Every part of a layout that XLA prints is stored and printed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "spec/base/status.h"
#include "spec/ir/primitive_type.h"

namespace hlocts {

// One level of tiling, e.g. (8,128). kCombine is "*", which combines a dimension with the next one.
struct Tile {
  static constexpr int64_t kCombine = -1;
  std::vector<int64_t> dimensions;
  bool operator==(const Tile& other) const { return dimensions == other.dimensions; }
};

struct SplitConfig {
  int64_t dimension = 0;
  std::vector<int64_t> split_indices;
  bool operator==(const SplitConfig& other) const {
    return dimension == other.dimension && split_indices == other.split_indices;
  }
};

class Shape;

struct Layout {
  // The dimensions from the fastest varying to the slowest, a permutation of 0..rank-1.
  std::vector<int64_t> minor_to_major;
  std::vector<Tile> tiles;
  int64_t tail_padding_alignment_in_elements = 1;
  PrimitiveType index_primitive_type = PrimitiveType::kInvalid;
  PrimitiveType pointer_primitive_type = PrimitiveType::kInvalid;
  int64_t element_size_in_bits = 0;
  int64_t memory_space = 0;
  std::vector<SplitConfig> split_configs;
  std::shared_ptr<const Shape> physical_shape;
  int64_t dynamic_shape_metadata_prefix_bytes = 0;
  std::string dim_level_types;  // letters after D in the text of a sparse layout: e.g. "D,C"
  // The older form (ruling 0017): sizes of the padded array per dimension, and the padding value.
  std::vector<int64_t> padded_dimensions;
  std::string padding_value;   // name of the enumerator in the document, "" if unpadded
  std::string unknown_fields;  // of the proto form, kept for writing

  bool operator==(const Layout& other) const;
  // Returns the layout as XLA prints it: "{1,0:T(8,128)S(5)}", or "{}" for rank 0.
  std::string ToString() const;
  bool IsMajorToMinor() const;
};

// Returns {rank-1, ..., 1, 0}.
std::vector<int64_t> MajorToMinorOrder(int64_t rank);
Layout DefaultLayout(int64_t rank);
// Checks that the layout is a permutation of 0..rank-1 and that its tiles are positive.
absl::Status ValidateLayout(const Layout& layout, int64_t rank);

}  // namespace hlocts
