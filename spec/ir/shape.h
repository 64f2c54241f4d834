// SPDX-License-Identifier: Apache-2.0
// Shape: element type, dimensions (static or bounded-dynamic) and layout of an array, or a tuple of
// shapes (the document "Shapes and layout"). The rank of an array is its number of dimensions.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "spec/base/status.h"
#include "spec/ir/layout.h"
#include "spec/ir/primitive_type.h"

namespace hlocts {

// The size of a dynamic dimension without a bound, which is printed as "?" and never evaluated.
inline constexpr int64_t kUnboundedSize = INT64_MIN;

class Shape {
 public:
  Shape();  // kInvalid
  Shape(const Shape& other);
  Shape(Shape&& other) noexcept;
  Shape& operator=(const Shape& other);
  Shape& operator=(Shape&& other) noexcept;
  ~Shape();
  // Constructs an array without a layout; see WithDefaultLayout.
  Shape(PrimitiveType element_type, std::vector<int64_t> dimensions);
  static Shape Scalar(PrimitiveType type) { return Shape(type, {}); }
  static Shape Tuple(std::vector<Shape> elements);
  static Shape Token() { return Shape(PrimitiveType::kToken, {}); }
  static Shape Opaque() { return Shape(PrimitiveType::kOpaque, {}); }

  PrimitiveType element_type() const { return element_type_; }
  void set_element_type(PrimitiveType type) { element_type_ = type; }
  bool IsArray() const { return IsArrayType(element_type_); }
  bool IsTuple() const { return element_type_ == PrimitiveType::kTuple; }
  bool IsToken() const { return element_type_ == PrimitiveType::kToken; }
  bool IsScalar() const { return IsArray() && dimensions_.empty(); }

  int64_t rank() const { return static_cast<int64_t>(dimensions_.size()); }
  // Returns the number of dimensions of size greater than 1 (the documents' "true rank").
  int64_t true_rank() const;
  const std::vector<int64_t>& dimensions() const { return dimensions_; }
  // Returns a size. Negative numbers count from the last dimension, which is -1. CHECKs the range.
  int64_t dimension(int64_t number) const { return dimensions_[NormalizeDimension(number)]; }
  void set_dimension(int64_t number, int64_t size) {
    dimensions_[NormalizeDimension(number)] = size;
  }
  int64_t NormalizeDimension(int64_t number) const;

  // Returns true if the dimension is dynamic. Its size is then a bound of the run-time size.
  bool is_dynamic_dimension(int64_t number) const;
  void set_dynamic_dimension(int64_t number, bool is_dynamic);
  bool is_dynamic() const;  // any dimension, of any tuple element
  bool HasUnboundedDimension() const;

  // Returns the product of the dimensions or bounds: 1 for a scalar, INT64_MAX if it does not fit.
  int64_t ElementCount() const;
  // Returns the bytes of all leaves as Literal stores them; INT64_MAX if the number does not fit.
  int64_t StorageSizeBytes() const;

  const std::vector<Shape>& tuple_shapes() const { return tuple_shapes_; }
  std::vector<Shape>& mutable_tuple_shapes() { return tuple_shapes_; }

  const std::optional<Layout>& layout() const { return layout_; }
  std::optional<Layout>& mutable_layout() { return layout_; }
  // Return copies whose array leaves all have a layout, or all have none.
  Shape WithDefaultLayout() const;  // keeps existing layouts
  Shape WithoutLayout() const;
  Shape WithElementType(PrimitiveType type) const;
  Shape WithStaticDimensions() const;

  // Returns true if element types, dimensions and dynamic flags are equal. Layouts are ignored.
  bool CompatibleWith(const Shape& other) const;
  bool SameDimensions(const Shape& other) const;  // arrays: sizes and flags, ignoring the type
  bool operator==(const Shape& other) const;      // compares layouts, too
  bool operator!=(const Shape& other) const { return !(*this == other); }

  // Returns the shape as XLA prints it: "f32[2,<=3]{1,0}", "(f32[], s32[2]{0})", "token[]".
  std::string ToString(bool with_layout = true) const;

  std::string unknown_fields;  // of the proto form, kept for writing

 private:
  PrimitiveType element_type_ = PrimitiveType::kInvalid;
  std::vector<int64_t> dimensions_;
  std::vector<bool> dynamic_dimensions_;  // empty: all static
  std::optional<Layout> layout_;
  std::vector<Shape> tuple_shapes_;
};

// A path into nested tuples: {} is the whole shape, {1,0} the first element of the second element.
using ShapeIndex = std::vector<int64_t>;

// Visits the leaves depth first, left to right. A leaf is any shape that is not a tuple.
void ForEachLeaf(const Shape& shape,
                 const std::function<void(const Shape& leaf, const ShapeIndex& index)>& visit);
std::vector<Shape> LeafShapes(const Shape& shape);
// Returns nullptr if the index is not in the shape.
const Shape* SubshapeAt(const Shape& shape, absl::Span<const int64_t> index);

// The shapes of the parameters and the result of a computation.
struct ProgramShape {
  std::vector<Shape> parameters;
  std::vector<std::string> parameter_names;
  Shape result;
};

}  // namespace hlocts
