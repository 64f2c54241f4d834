// SPDX-License-Identifier: Apache-2.0
// Literal: the value of an array, a tuple of literals, or a token.
//
// Elements are stored in logical order, last dimension fastest, regardless of the shape's layout; a
// sub-byte element takes a byte in memory and is packed only on the wire (PackedBytes). A dynamic
// array has the storage of its bounds, in row-major order of the bounds; the run-time sizes are
// stored separately, and elements beyond them are padding. Copies share storage until one of them
// is written to.
#ifndef HLOCTS_SPEC_IR_LITERAL_H_
#define HLOCTS_SPEC_IR_LITERAL_H_

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
  // Zeros (pred: false) of that shape, leaves of tuples included. CHECKs that the size fits in the
  // address range: check Shape::StorageSizeBytes() against the budget first.
  explicit Literal(const Shape& shape);
  // The same with indeterminate elements: for a writer that writes every one of them.
  static Literal Uninitialized(const Shape& shape);
  // The same without a copy of the shape.
  static Literal Uninitialized(std::shared_ptr<const Shape> shape);
  static Literal Tuple(std::vector<Literal> elements);
  // `shape`: the tuple shape of the elements, which the caller already has.
  static Literal Tuple(std::vector<Literal> elements, std::shared_ptr<const Shape> shape);
  template <typename T>
  static Literal Scalar(PrimitiveType type, T value) {
    Literal literal(Shape::Scalar(type));
    literal.mutable_data<T>()[0] = value;
    return literal;
  }

  const Shape& shape() const { return shape_ ? *shape_ : InvalidShape(); }
  PrimitiveType element_type() const { return shape().element_type(); }
  // Elements in storage: the product of the bounds.
  int64_t element_count() const { return element_count_; }

  // Array elements as native type T, which must be NativeOf<element_type()>, or any type of the
  // same size when only bytes matter.
  template <typename T>
  absl::Span<const T> data() const {
    // Not braces: Span<const bool>{pointer, count} would be a list of two bools.
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

  const std::vector<Literal>& elements() const;  // only of a tuple (CHECKed)
  std::vector<Literal>& mutable_elements();      // after a change call RefreshTupleShape
  void RefreshTupleShape();
  // Element i of a tuple, moved out if no copy of the tuple shares it. The caller must not read
  // that element of this tuple again.
  Literal TakeElement(int64_t i);

  // Run-time size of a dimension: the bound when static.
  int64_t runtime_size(int64_t dimension) const;
  std::vector<int64_t> runtime_sizes() const;
  bool has_runtime_sizes() const { return !runtime_sizes_.empty(); }
  // Marks the dimension dynamic in the shape, with 0 <= size <= bound (CHECKed).
  void SetRuntimeSize(int64_t dimension, int64_t size);
  void ClearRuntimeSizes();  // makes all dimensions static, at the bounds

  // The same bytes as another shape with equally many stored bytes (reshape; layout changes).
  Literal WithShape(const Shape& shape) const;
  // This literal's storage as a literal of a shape with equally many bytes, without a copy of the
  // shape. Run-time sizes are dropped.
  Literal ReuseAs(std::shared_ptr<const Shape> shape) &&;

  // Sub-byte types packed, first element in the low bits; other types as in memory.
  std::string PackedBytes() const;
  static absl::StatusOr<Literal> FromPackedBytes(const Shape& shape, absl::string_view bytes);
  // Element bytes (unpacked) ordered by shape().layout() when it has one, else row-major.
  std::string BytesInLayout(const Layout& layout) const;
  static absl::StatusOr<Literal> FromBytesInLayout(const Shape& shape, const Layout& layout,
                                                   absl::string_view bytes);

  // Same shape (layout ignored), run-time sizes and bits (padding elements ignored).
  bool BitwiseEqual(const Literal& other) const;

  // Returns true if this storage has no other owner (for in-place decisions).
  bool UniqueStorage() const { return buffer_ && buffer_.use_count() == 1; }
  // Bytes of all live literals in this process, which memory budgets limit.
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

// Depth-first leaves of a literal, and the inverse.
std::vector<Literal> FlattenLeaves(const Literal& literal);
// `leaves` must match LeafShapes(shape) in number; consumes them in order.
absl::StatusOr<Literal> UnflattenLeaves(const Shape& shape, std::vector<Literal> leaves);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_IR_LITERAL_H_
