// SPDX-License-Identifier: Apache-2.0
// Literal: the value of an array, a tuple of literals, or a token.
//
// Elements are stored in logical order, last dimension fastest, regardless of the shape's layout. A
// sub-byte element takes a byte in memory and is packed only for transfer (PackedBytes). A dynamic
// array has the storage of its bounds, in row-major order of the bounds. Its run-time sizes are
// stored separately; elements beyond them are padding. Copies share storage until one is modified.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "spec/base/status.h"
#include "spec/ir/native.h"
#include "spec/ir/shape.h"

namespace hlocts {

class Literal {
 public:
  Literal();  // shape() is invalid
  Literal(const Literal& other);
  Literal(Literal&& other) noexcept;
  Literal& operator=(const Literal& other);
  Literal& operator=(Literal&& other) noexcept;
  ~Literal();
  // Constructs zeros (pred: false) of shape `shape`, leaves of tuples included. CHECKs that the
  // size fits in the address range: check Shape::StorageSizeBytes() against the budget first.
  explicit Literal(const Shape& shape);
  // Returns a literal with indeterminate elements, for callers that write every element.
  static Literal Uninitialized(const Shape& shape);
  // Does not copy the shape.
  static Literal Uninitialized(std::shared_ptr<const Shape> shape);
  static Literal Tuple(std::vector<Literal> elements);
  // `shape` is the tuple shape of the elements, which the caller already has.
  static Literal Tuple(std::vector<Literal> elements, std::shared_ptr<const Shape> shape);
  template <typename T>
  static Literal Scalar(PrimitiveType type, T value) {
    Literal literal(Shape::Scalar(type));
    literal.mutable_data<T>()[0] = value;
    return literal;
  }

  const Shape& shape() const { return shape_ ? *shape_ : InvalidShape(); }
  PrimitiveType element_type() const { return shape().element_type(); }
  // Returns the number of stored elements, the product of the bounds.
  int64_t element_count() const { return element_count_; }

  // Returns the elements as NativeOf<element_type()>, or their bytes as any T of that size.
  template <typename T>
  absl::Span<const T> data() const {
    // Braces would select the list constructor: Span<const bool>{pointer, count} is two bools.
    return absl::Span<const T>(reinterpret_cast<const T*>(raw_data()),
                               static_cast<size_t>(element_count_));
  }
  template <typename T>
  absl::Span<T> mutable_data() {
    return absl::Span<T>(reinterpret_cast<T*>(mutable_raw_data()),
                         static_cast<size_t>(element_count_));
  }
  const uint8_t* raw_data() const { return buffer_ ? buffer_->data : nullptr; }
  uint8_t* mutable_raw_data();  // makes the storage unique first
  size_t raw_size() const { return buffer_ ? buffer_->size : 0; }

  const std::vector<Literal>& elements() const;  // requires a tuple (CHECKed)
  std::vector<Literal>& mutable_elements();      // call RefreshTupleShape after a change
  void RefreshTupleShape();
  // Returns element i of a tuple; moves it if no copy of the tuple shares it. The caller must not
  // read that element of this tuple again.
  Literal TakeElement(int64_t i);

  // Returns the run-time size of a dimension, or the bound if it is static.
  int64_t runtime_size(int64_t dimension) const;
  std::vector<int64_t> runtime_sizes() const;
  bool has_runtime_sizes() const { return !runtime_sizes_.empty(); }
  // Marks the dimension dynamic in the shape and sets its size. CHECKs 0 <= size <= bound.
  void SetRuntimeSize(int64_t dimension, int64_t size);
  void ClearRuntimeSizes();  // makes all dimensions static, at the bounds

  // Returns the same bytes with another shape of equally many bytes (reshape, layout changes).
  Literal WithShape(const Shape& shape) const;
  // Returns this storage as a literal of a shape with equally many bytes. Drops run-time sizes.
  Literal ReuseAs(std::shared_ptr<const Shape> shape) &&;

  // Returns the bytes with sub-byte types packed, first element in the low bits.
  std::string PackedBytes() const;
  static absl::StatusOr<Literal> FromPackedBytes(const Shape& shape, absl::string_view bytes);
  // Returns the unpacked element bytes in the order of `layout`.
  std::string BytesInLayout(const Layout& layout) const;
  static absl::StatusOr<Literal> FromBytesInLayout(const Shape& shape, const Layout& layout,
                                                   absl::string_view bytes);

  // Returns true if shapes, run-time sizes and bits are equal. Ignores layouts and padding.
  bool BitwiseEqual(const Literal& other) const;

  // Returns true if this literal alone owns its storage, so that the storage can be reused.
  bool UniqueStorage() const { return buffer_ && buffer_.use_count() == 1; }
  // Returns the bytes of all live literals in this process, which memory budgets limit.
  static int64_t LiveBytes();

 private:
  struct Buffer {
    Buffer(size_t bytes, bool zeroed);
    ~Buffer();
    Buffer(const Buffer&) = delete;
    size_t size;
    uint8_t* data;
  };
  Literal(std::shared_ptr<const Shape> shape, bool zeroed);
  static const Shape& InvalidShape();

  std::shared_ptr<const Shape> shape_;  // shared by copies, which are frequent
  int64_t element_count_ = 0;
  std::shared_ptr<Buffer> buffer_;
  std::shared_ptr<std::vector<Literal>> elements_;
  std::vector<int64_t> runtime_sizes_;
};

// Returns the leaves of a literal, depth first.
std::vector<Literal> FlattenLeaves(const Literal& literal);
// Reverses FlattenLeaves. `leaves` must have as many entries as LeafShapes(shape).
absl::StatusOr<Literal> UnflattenLeaves(const Shape& shape, std::vector<Literal> leaves);

}  // namespace hlocts
