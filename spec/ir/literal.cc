// SPDX-License-Identifier: Apache-2.0
#include "spec/ir/literal.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>

#include "spec/base/array_memory.h"
#include "spec/ir/index_util.h"

namespace hlocts {
namespace {

// Copies element bytes between row-major order and the order of a layout.
void PermuteBytes(const Shape& shape, const Layout& layout, const uint8_t* row_major,
                  uint8_t* physical, bool to_physical) {
  size_t width = StorageBytes(shape.element_type());
  std::vector<int64_t> strides = LayoutStrides(shape.dimensions(), layout);
  int64_t linear = 0;
  uint8_t* logical = const_cast<uint8_t*>(row_major);
  ForEachIndex(shape.dimensions(), [&](absl::Span<const int64_t> index) {
    uint8_t* there = physical + LinearIndex(index, strides) * width;
    uint8_t* here = logical + linear++ * width;
    to_physical ? std::memcpy(there, here, width) : std::memcpy(here, there, width);
  });
}

absl::Status SizeMismatch(const Shape& shape, size_t actual, size_t expected) {
  return InvalidInput("literal of shape ", shape.ToString(), ": expected ", expected,
                      " bytes, found ", actual);
}

std::atomic<int64_t>& LiveByteCount() {
  static std::atomic<int64_t> count{0};
  return count;
}

// Allocates memory. calloc gets zeroed pages from the system and does not write them.
uint8_t* Allocated(size_t bytes, bool zeroed) {
  constexpr size_t kShort = 4096;
  if (zeroed) return static_cast<uint8_t*>(std::calloc(bytes | 1, 1));
  if (bytes < kShort) return static_cast<uint8_t*>(std::malloc(bytes | 1));
  return static_cast<uint8_t*>(AllocateArray(bytes));
}
}  // namespace

Literal::Buffer::Buffer(size_t bytes, bool zeroed) : size(bytes), data(Allocated(bytes, zeroed)) {
  if (data == nullptr) {  // like operator new
    if (const std::new_handler handler = std::get_new_handler()) handler();
    throw std::bad_alloc();
  }
  LiveByteCount().fetch_add(static_cast<int64_t>(size), std::memory_order_relaxed);
}

Literal::Buffer::~Buffer() {
  LiveByteCount().fetch_sub(static_cast<int64_t>(size), std::memory_order_relaxed);
  std::free(data);
}

int64_t Literal::LiveBytes() { return LiveByteCount().load(std::memory_order_relaxed); }

const Shape& Literal::InvalidShape() {
  static const Shape* shape = new Shape();
  return *shape;
}

Literal::Literal(const Shape& shape) : Literal(std::make_shared<const Shape>(shape), true) {}

Literal Literal::Uninitialized(const Shape& shape) {
  return Literal(std::make_shared<const Shape>(shape), false);
}

Literal Literal::Uninitialized(std::shared_ptr<const Shape> shape) {
  return Literal(std::move(shape), false);
}

Literal::Literal(std::shared_ptr<const Shape> shape, bool zeroed) : shape_(std::move(shape)) {
  if (shape_->IsTuple()) {
    elements_ = std::make_shared<std::vector<Literal>>();
    for (const Shape& element : shape_->tuple_shapes()) {
      elements_->push_back(Literal(std::make_shared<const Shape>(element), zeroed));
    }
    return;
  }
  if (!shape_->IsArray()) return;
  element_count_ = shape_->ElementCount();
  int64_t bytes = shape_->StorageSizeBytes();
  HLOCTS_CHECK(bytes < (int64_t{1} << 46));
  buffer_ = std::make_shared<Buffer>(static_cast<size_t>(bytes), zeroed);
}

Literal Literal::Tuple(std::vector<Literal> elements, std::shared_ptr<const Shape> shape) {
  Literal result;
  result.elements_ = std::make_shared<std::vector<Literal>>(std::move(elements));
  result.shape_ = std::move(shape);
  return result;
}

Literal Literal::TakeElement(int64_t i) {
  HLOCTS_CHECK(shape().IsTuple());
  Literal& element = (*elements_)[i];
  return elements_.use_count() == 1 ? std::move(element) : element;
}

Literal Literal::Tuple(std::vector<Literal> elements) {
  Literal result;
  result.elements_ = std::make_shared<std::vector<Literal>>(std::move(elements));
  result.RefreshTupleShape();
  return result;
}

uint8_t* Literal::mutable_raw_data() {
  if (!buffer_) return nullptr;
  if (buffer_.use_count() != 1) {
    auto copy = std::make_shared<Buffer>(buffer_->size, false);
    std::memcpy(copy->data, buffer_->data, buffer_->size);
    buffer_ = std::move(copy);
  }
  return buffer_->data;
}

const std::vector<Literal>& Literal::elements() const {
  HLOCTS_CHECK(shape().IsTuple());
  return *elements_;
}

std::vector<Literal>& Literal::mutable_elements() {
  HLOCTS_CHECK(shape().IsTuple());
  if (elements_.use_count() != 1) elements_ = std::make_shared<std::vector<Literal>>(*elements_);
  return *elements_;
}

void Literal::RefreshTupleShape() {
  std::vector<Shape> shapes;
  shapes.reserve(elements_->size());
  for (const Literal& element : *elements_) shapes.push_back(element.shape());
  shape_ = std::make_shared<const Shape>(Shape::Tuple(std::move(shapes)));
}

int64_t Literal::runtime_size(int64_t dimension) const {
  int64_t d = shape_->NormalizeDimension(dimension);
  return runtime_sizes_.empty() ? shape_->dimensions()[d] : runtime_sizes_[d];
}

std::vector<int64_t> Literal::runtime_sizes() const {
  return runtime_sizes_.empty() ? shape().dimensions() : runtime_sizes_;
}

void Literal::SetRuntimeSize(int64_t dimension, int64_t size) {
  int64_t d = shape_->NormalizeDimension(dimension);
  HLOCTS_CHECK(size >= 0 && size <= shape_->dimensions()[d]);
  if (runtime_sizes_.empty()) runtime_sizes_ = shape_->dimensions();
  runtime_sizes_[d] = size;
  if (shape_->is_dynamic_dimension(d)) return;
  Shape dynamic = *shape_;
  dynamic.set_dynamic_dimension(d, true);
  shape_ = std::make_shared<const Shape>(std::move(dynamic));
}

void Literal::ClearRuntimeSizes() {
  runtime_sizes_.clear();
  shape_ = std::make_shared<const Shape>(shape_->WithStaticDimensions());
}

Literal Literal::WithShape(const Shape& shape) const {
  HLOCTS_CHECK(shape.IsArray() && shape.StorageSizeBytes() == shape_->StorageSizeBytes());
  Literal result = *this;
  result.shape_ = std::make_shared<const Shape>(shape);
  result.element_count_ = shape.ElementCount();
  if (!shape.SameDimensions(*shape_)) result.runtime_sizes_.clear();
  return result;
}

Literal Literal::ReuseAs(std::shared_ptr<const Shape> shape) && {
  Literal result;
  result.buffer_ = std::move(buffer_);
  result.shape_ = std::move(shape);
  result.element_count_ = result.shape_->ElementCount();
  HLOCTS_CHECK(result.shape_->StorageSizeBytes() == static_cast<int64_t>(result.raw_size()));
  return result;
}

std::string Literal::PackedBytes() const {
  int bits = BitWidth(element_type());
  if (bits >= 8) return std::string(reinterpret_cast<const char*>(raw_data()), raw_size());
  int per_byte = 8 / bits;
  std::string packed((element_count_ + per_byte - 1) / per_byte, '\0');
  for (int64_t i = 0; i < element_count_; ++i) {
    int code = raw_data()[i] & ((1 << bits) - 1);
    packed[i / per_byte] =
        static_cast<char>(packed[i / per_byte] | (code << (i % per_byte * bits)));
  }
  return packed;
}

absl::StatusOr<Literal> Literal::FromPackedBytes(const Shape& shape, absl::string_view bytes) {
  if (!shape.IsArray()) return InvalidInput("packed bytes need an array, found ", shape.ToString());
  int bits = BitWidth(shape.element_type());
  int per_byte = bits >= 8 ? 1 : 8 / bits;
  int64_t count = shape.ElementCount();
  size_t expected = bits >= 8 ? static_cast<size_t>(shape.StorageSizeBytes())
                              : static_cast<size_t>((count + per_byte - 1) / per_byte);
  if (bytes.size() != expected) return SizeMismatch(shape, bytes.size(), expected);
  Literal result(shape);
  uint8_t* out = result.mutable_raw_data();
  if (bits >= 8) {
    if (!bytes.empty()) std::memcpy(out, bytes.data(), bytes.size());
    return result;
  }
  bool sign_extend = IsSigned(shape.element_type());
  for (int64_t i = 0; i < count; ++i) {
    int code =
        (static_cast<uint8_t>(bytes[i / per_byte]) >> (i % per_byte * bits)) & ((1 << bits) - 1);
    if (sign_extend && (code >> (bits - 1))) code -= 1 << bits;
    out[i] = static_cast<uint8_t>(code);
  }
  return result;
}

std::string Literal::BytesInLayout(const Layout& layout) const {
  std::string bytes(raw_size(), '\0');
  PermuteBytes(*shape_, layout, raw_data(), reinterpret_cast<uint8_t*>(bytes.data()), true);
  return bytes;
}

absl::StatusOr<Literal> Literal::FromBytesInLayout(const Shape& shape, const Layout& layout,
                                                   absl::string_view bytes) {
  if (!shape.IsArray()) return InvalidInput("bytes need an array, found ", shape.ToString());
  size_t expected = static_cast<size_t>(shape.StorageSizeBytes());
  if (bytes.size() != expected) return SizeMismatch(shape, bytes.size(), expected);
  HLOCTS_RETURN_IF_ERROR(ValidateLayout(layout, shape.rank()));
  Literal result(shape);
  std::string copy(bytes);
  PermuteBytes(shape, layout, result.mutable_raw_data(), reinterpret_cast<uint8_t*>(copy.data()),
               false);
  return result;
}

bool Literal::BitwiseEqual(const Literal& other) const {
  if (shape().IsTuple() != other.shape().IsTuple()) return false;
  if (shape().IsTuple()) {
    if (elements().size() != other.elements().size()) return false;
    for (size_t i = 0; i < elements().size(); ++i) {
      if (!elements()[i].BitwiseEqual(other.elements()[i])) return false;
    }
    return true;
  }
  if (element_type() != other.element_type() ||
      shape().dimensions() != other.shape().dimensions() ||
      runtime_sizes() != other.runtime_sizes()) {
    return false;
  }
  if (!has_runtime_sizes()) {
    return raw_size() == 0 || std::memcmp(raw_data(), other.raw_data(), raw_size()) == 0;
  }
  bool equal = true;
  size_t width = StorageBytes(element_type());
  std::vector<int64_t> strides = RowMajorStrides(shape_->dimensions());
  ForEachIndex(runtime_sizes(), [&](absl::Span<const int64_t> index) {
    size_t at = LinearIndex(index, strides) * width;
    equal = equal && std::memcmp(raw_data() + at, other.raw_data() + at, width) == 0;
  });
  return equal;
}

namespace {

void AppendLeaves(const Literal& literal, std::vector<Literal>& leaves) {
  if (!literal.shape().IsTuple()) {
    leaves.push_back(literal);
    return;
  }
  for (const Literal& element : literal.elements()) AppendLeaves(element, leaves);
}

absl::StatusOr<Literal> TakeLeaves(const Shape& shape, std::vector<Literal>& leaves, size_t& next) {
  if (!shape.IsTuple()) {
    if (next >= leaves.size()) {
      return InvalidInput("too few leaves for ", shape.ToString(), ": found ", leaves.size());
    }
    return std::move(leaves[next++]);
  }
  std::vector<Literal> elements;
  for (const Shape& element : shape.tuple_shapes()) {
    HLOCTS_ASSIGN_OR_RETURN(Literal taken, TakeLeaves(element, leaves, next));
    elements.push_back(std::move(taken));
  }
  return Literal::Tuple(std::move(elements));
}

}  // namespace

std::vector<Literal> FlattenLeaves(const Literal& literal) {
  std::vector<Literal> leaves;
  AppendLeaves(literal, leaves);
  return leaves;
}

absl::StatusOr<Literal> UnflattenLeaves(const Shape& shape, std::vector<Literal> leaves) {
  size_t next = 0;
  HLOCTS_ASSIGN_OR_RETURN(Literal result, TakeLeaves(shape, leaves, next));
  if (next != leaves.size()) {
    return InvalidInput("too many leaves for ", shape.ToString(), ": expected ", next, ", found ",
                        leaves.size());
  }
  return result;
}

}  // namespace hlocts
