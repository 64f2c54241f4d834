// SPDX-License-Identifier: Apache-2.0
#include "spec/ir/shape.h"

#include <algorithm>

namespace hlocts {
namespace {

int64_t SaturatingMultiply(int64_t a, int64_t b) {
  int64_t result;
  return __builtin_mul_overflow(a, b, &result) ? INT64_MAX : result;
}

int64_t SaturatingAdd(int64_t a, int64_t b) {
  int64_t result;
  return __builtin_add_overflow(a, b, &result) ? INT64_MAX : result;
}

void VisitLeaves(const Shape& shape, ShapeIndex& index,
                 const std::function<void(const Shape&, const ShapeIndex&)>& visit) {
  if (!shape.IsTuple()) {
    visit(shape, index);
    return;
  }
  for (size_t i = 0; i < shape.tuple_shapes().size(); ++i) {
    index.push_back(static_cast<int64_t>(i));
    VisitLeaves(shape.tuple_shapes()[i], index, visit);
    index.pop_back();
  }
}

// Returns a copy with `change` applied to every leaf.
template <typename Change>
Shape MapLeaves(const Shape& shape, const Change& change) {
  Shape result = shape;
  if (shape.IsTuple()) {
    for (Shape& element : result.mutable_tuple_shapes()) element = MapLeaves(element, change);
  } else {
    change(result);
  }
  return result;
}

}  // namespace

Shape::Shape(PrimitiveType element_type, std::vector<int64_t> dimensions)
    : element_type_(element_type), dimensions_(std::move(dimensions)) {}

Shape Shape::Tuple(std::vector<Shape> elements) {
  Shape shape;
  shape.element_type_ = PrimitiveType::kTuple;
  shape.tuple_shapes_ = std::move(elements);
  return shape;
}

int64_t Shape::true_rank() const {
  return std::count_if(dimensions_.begin(), dimensions_.end(), [](int64_t d) { return d > 1; });
}

int64_t Shape::NormalizeDimension(int64_t number) const {
  int64_t normalized = number < 0 ? number + rank() : number;
  HLOCTS_CHECK(normalized >= 0 && normalized < rank());
  return normalized;
}

bool Shape::is_dynamic_dimension(int64_t number) const {
  int64_t d = NormalizeDimension(number);
  return !dynamic_dimensions_.empty() && dynamic_dimensions_[d];
}

void Shape::set_dynamic_dimension(int64_t number, bool is_dynamic) {
  int64_t d = NormalizeDimension(number);
  if (dynamic_dimensions_.empty()) {
    if (!is_dynamic) return;
    dynamic_dimensions_.assign(dimensions_.size(), false);
  }
  dynamic_dimensions_[d] = is_dynamic;
  if (std::find(dynamic_dimensions_.begin(), dynamic_dimensions_.end(), true) ==
      dynamic_dimensions_.end()) {
    dynamic_dimensions_.clear();
  }
}

bool Shape::is_dynamic() const {
  return !dynamic_dimensions_.empty() || std::any_of(tuple_shapes_.begin(), tuple_shapes_.end(),
                                                     [](const Shape& s) { return s.is_dynamic(); });
}

bool Shape::HasUnboundedDimension() const {
  return std::find(dimensions_.begin(), dimensions_.end(), kUnboundedSize) != dimensions_.end() ||
         std::any_of(tuple_shapes_.begin(), tuple_shapes_.end(),
                     [](const Shape& s) { return s.HasUnboundedDimension(); });
}

int64_t Shape::ElementCount() const {
  if (std::find(dimensions_.begin(), dimensions_.end(), 0) != dimensions_.end()) return 0;
  int64_t count = 1;
  for (int64_t d : dimensions_) count = SaturatingMultiply(count, d);
  return count;
}

int64_t Shape::StorageSizeBytes() const {
  if (IsTuple()) {
    int64_t total = 0;
    for (const Shape& element : tuple_shapes_) {
      total = SaturatingAdd(total, element.StorageSizeBytes());
    }
    return total;
  }
  if (!IsArray()) return 0;
  return SaturatingMultiply(ElementCount(), StorageBytes(element_type_));
}

Shape Shape::WithDefaultLayout() const {
  return MapLeaves(*this, [](Shape& leaf) {
    if (leaf.IsArray() && !leaf.layout_) leaf.layout_ = DefaultLayout(leaf.rank());
  });
}

// Is called often, so it builds the result without copying the layout, which is most of a shape.
Shape Shape::WithoutLayout() const {
  Shape result(element_type_, dimensions_);
  result.dynamic_dimensions_ = dynamic_dimensions_;
  result.unknown_fields = unknown_fields;
  if (IsTuple()) result.layout_ = layout_;
  result.tuple_shapes_.reserve(tuple_shapes_.size());
  for (const Shape& element : tuple_shapes_)
    result.tuple_shapes_.push_back(element.WithoutLayout());
  return result;
}

Shape Shape::WithElementType(PrimitiveType type) const {
  Shape result = *this;
  result.element_type_ = type;
  return result;
}

Shape Shape::WithStaticDimensions() const {
  return MapLeaves(*this, [](Shape& leaf) { leaf.dynamic_dimensions_.clear(); });
}

bool Shape::SameDimensions(const Shape& other) const {
  return dimensions_ == other.dimensions_ && dynamic_dimensions_ == other.dynamic_dimensions_;
}

bool Shape::CompatibleWith(const Shape& other) const {
  if (element_type_ != other.element_type_ || !SameDimensions(other) ||
      tuple_shapes_.size() != other.tuple_shapes_.size()) {
    return false;
  }
  for (size_t i = 0; i < tuple_shapes_.size(); ++i) {
    if (!tuple_shapes_[i].CompatibleWith(other.tuple_shapes_[i])) return false;
  }
  return true;
}

bool Shape::operator==(const Shape& other) const {
  return element_type_ == other.element_type_ && SameDimensions(other) &&
         layout_ == other.layout_ && tuple_shapes_ == other.tuple_shapes_;
}

std::string Shape::ToString(bool with_layout) const {
  if (IsTuple()) {
    // XLA prints the index of every fifth element, as a help for readers.
    std::string text = "(";
    for (size_t i = 0; i < tuple_shapes_.size(); ++i) {
      if (i > 0) absl::StrAppend(&text, ", ");
      if (i > 0 && i % 5 == 0) absl::StrAppend(&text, "/*index=", i, "*/");
      absl::StrAppend(&text, tuple_shapes_[i].ToString(with_layout));
    }
    return text + ")";
  }
  std::string text = absl::StrCat(PrimitiveTypeName(element_type_), "[");
  for (int64_t d = 0; d < rank(); ++d) {
    if (d > 0) text += ",";
    if (dimensions_[d] == kUnboundedSize) {
      text += "?";
    } else {
      absl::StrAppend(&text, is_dynamic_dimension(d) ? "<=" : "", dimensions_[d]);
    }
  }
  text += "]";
  // A scalar's layout is printed only if it differs from "{}".
  if (with_layout && layout_ && IsArray()) {
    std::string layout = layout_->ToString();
    if (rank() > 0 || layout != "{}") text += layout;
  }
  return text;
}

void ForEachLeaf(const Shape& shape,
                 const std::function<void(const Shape&, const ShapeIndex&)>& visit) {
  ShapeIndex index;
  VisitLeaves(shape, index, visit);
}

std::vector<Shape> LeafShapes(const Shape& shape) {
  std::vector<Shape> leaves;
  ForEachLeaf(shape, [&](const Shape& leaf, const ShapeIndex&) { leaves.push_back(leaf); });
  return leaves;
}

const Shape* SubshapeAt(const Shape& shape, absl::Span<const int64_t> index) {
  const Shape* current = &shape;
  for (int64_t i : index) {
    if (!current->IsTuple() || i < 0 || i >= static_cast<int64_t>(current->tuple_shapes().size())) {
      return nullptr;
    }
    current = &current->tuple_shapes()[i];
  }
  return current;
}

}  // namespace hlocts
