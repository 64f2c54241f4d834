// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "spec/ir/decimal.h"
#include "spec/ir/index_util.h"
#include "spec/text/values.h"

namespace hlocts {
namespace {

// Reads a scalar. A NaN may be followed by its payload in parentheses.
absl::string_view ScalarToken(Cursor& in) {
  absl::string_view token = in.NumberToken();
  if (in.Raw() != '(' || (token != "nan" && token != "-nan")) return token;
  const char* start = token.data();
  in.Advance(1);
  in.NumberToken();
  if (in.Raw() == ')') in.Advance(1);
  return {start, static_cast<size_t>(in.raw_position() - start)};
}

// Reads "(re, im)", or only the real part.
absl::string_view ComplexToken(Cursor& in) {
  const char* start = in.Here();
  if (!in.Try('(')) return ScalarToken(in);
  ScalarToken(in);
  if (in.Try(',')) ScalarToken(in);
  in.Try(')');
  return {start, static_cast<size_t>(in.raw_position() - start)};
}

bool ReadElement(Cursor& in, PrimitiveType type, uint8_t* where) {
  const char* start = in.Here();
  absl::string_view token = IsComplex(type) ? ComplexToken(in) : ScalarToken(in);
  if (token.empty()) {
    return in.Expected(absl::StrCat("a value of ", PrimitiveTypeName(type)), "text.literal");
  }
  absl::Status read = ParseElement(type, token, where);
  return read.ok() || in.FailAt(start, "text.literal", read.message());
}

// Reads the braces of one array of sizes `extents`; `strides` determine where elements are stored.
class ArrayReader {
 public:
  ArrayReader(Cursor& in, PrimitiveType type, absl::Span<const int64_t> extents,
              absl::Span<const int64_t> bounds, uint8_t* data)
      : in_(in),
        type_(type),
        extents_(extents),
        data_(data),
        strides_(RowMajorStrides(bounds, StorageBytes(type))) {}

  bool Read(size_t dimension, int64_t offset) {
    if (dimension == extents_.size()) return ReadElement(in_, type_, data_ + offset);
    if (!in_.Try('{')) return NotNested(dimension);
    for (int64_t i = 0; i < extents_[dimension]; ++i) {
      if (in_.Peek() == '}') return WrongCount(dimension, i);
      if (!Read(dimension + 1, offset + i * strides_[dimension])) return false;
      in_.Try(',');
    }
    if (in_.Try('}')) return true;
    if (in_.AtEnd()) return in_.Expected("'}'", "text.literal");
    return dimension + 1 == extents_.size() && in_.Peek() == '{'
               ? in_.Fail("text.literal", absl::StrCat("expected ", extents_.size(),
                                                       " levels of braces, found more"))
               : WrongCount(dimension, -1);
  }

 private:
  bool NotNested(size_t dimension) {
    return in_.Expected(
        absl::StrCat("'{' before dimension ", dimension, " of an array of rank ", extents_.size()),
        "text.literal");
  }
  bool WrongCount(size_t dimension, int64_t found) {
    return in_.Fail("text.literal",
                    absl::StrCat("expected ", extents_[dimension], " elements in dimension ",
                                 dimension, ", found ", found < 0 ? "more" : absl::StrCat(found)));
  }

  Cursor& in_;
  PrimitiveType type_;
  absl::Span<const int64_t> extents_;
  uint8_t* data_;
  std::vector<int64_t> strides_;
};

bool TooLarge(Cursor& in, const Shape& shape) {
  return in.Fail("text.limit", absl::StrCat("expected the elements of ", shape.ToString(),
                                            ", found a text too short to hold them"));
}

// Reads an array from one number without braces, which is the first element; all other elements are
// zero. XLA also reads this form, except for complex arrays.
bool ReadBareElement(Cursor& in, const Shape& shape, LiteralLimits& limits, Literal* literal) {
  int64_t bytes = shape.StorageSizeBytes();
  if (bytes > limits.unwritten_bytes) return TooLarge(in, shape);
  limits.unwritten_bytes -= bytes;
  uint8_t element[16];
  if (!ReadElement(in, shape.element_type(), element)) return false;
  *literal = Literal(shape);
  if (bytes > 0) {
    std::memcpy(literal->mutable_raw_data(), element, StorageBytes(shape.element_type()));
  }
  return true;
}

// Reads the run-time sizes "(3)" of all dimensions, or of only the dynamic ones.
bool ReadRuntimeSizes(Cursor& in, const Shape& shape, std::vector<int64_t>* sizes) {
  const char* start = in.Here();
  std::vector<int64_t> given;
  if (!ReadList(in, '(', ')', [&] { return in.NonNegative(&given.emplace_back()); })) return false;
  *sizes = shape.dimensions();
  bool all = given.size() == sizes->size();
  size_t next = 0;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (!all && !shape.is_dynamic_dimension(d)) continue;
    if (next == given.size()) return in.FailAt(start, "text.literal", "expected more sizes");
    (*sizes)[d] = given[next++];
  }
  if (next != given.size()) return in.FailAt(start, "text.literal", "expected fewer sizes");
  for (int64_t d = 0; d < shape.rank(); ++d) {
    int64_t bound = shape.dimensions()[d];
    if ((*sizes)[d] > bound || (!shape.is_dynamic_dimension(d) && (*sizes)[d] != bound)) {
      return in.FailAt(start, "text.literal",
                       absl::StrCat("expected sizes within ", shape.ToString(false), ", found ",
                                    (*sizes)[d], " in dimension ", d));
    }
  }
  return true;
}

// Fails if the '{' at the cursor begins an elided literal, {...}.
bool CheckNotElided(Cursor& in) {
  const char* start = in.Here();
  in.Advance(1);
  if (in.Try("...")) {
    return in.FailAt(start, "text.literal",
                     "expected the elements of the constant, found {...}: the text was printed "
                     "without large constants, as_hlo_text(print_large_constants=True) has "
                     "them; `hlocts convert --fill-elided` writes a module with random ones");
  }
  in.GoTo(start);
  return true;
}

// Returns false and sets the error of `in` if the text has fewer characters than the array has
// elements within the run-time sizes, or if the storage of a dynamic array exceeds its limit.
bool FitsLimits(Cursor& in, const Shape& shape, const std::vector<int64_t>& sizes,
                LiteralLimits& limits) {
  const int64_t written = Shape(shape.element_type(), sizes).ElementCount();
  if (written > in.remaining()) return TooLarge(in, shape);
  if (!shape.is_dynamic()) return true;
  if (shape.StorageSizeBytes() > limits.unwritten_bytes) return TooLarge(in, shape);
  limits.unwritten_bytes -= shape.StorageSizeBytes();
  return true;
}

bool ReadArray(Cursor& in, const Shape& shape, LiteralLimits& limits, Literal* literal) {
  if (shape.HasUnboundedDimension()) {
    return in.Fail("text.literal", "expected a literal with bounded dimensions");
  }
  std::vector<int64_t> sizes = shape.dimensions();
  bool sized = shape.is_dynamic() && in.Peek() == '(';
  if (sized && !ReadRuntimeSizes(in, shape, &sizes)) return false;
  const bool braces = in.Peek() == '{';
  if (braces && !CheckNotElided(in)) return false;
  if (shape.rank() > 0 && !braces) {
    if (IsComplex(shape.element_type()) && shape.ElementCount() > 0) {
      return in.Expected("'{' before the elements of a complex array", "text.literal");
    }
    return ReadBareElement(in, shape, limits, literal);
  }
  if (!FitsLimits(in, shape, sizes, limits)) return false;
  *literal = Literal(shape);
  ArrayReader reader(in, shape.element_type(), sizes, shape.dimensions(),
                     literal->mutable_raw_data());
  if (!reader.Read(0, 0)) return false;
  for (int64_t d = 0; sized && d < shape.rank(); ++d) {
    if (shape.is_dynamic_dimension(d)) literal->SetRuntimeSize(d, sizes[d]);
  }
  return true;
}

bool ReadTuple(Cursor& in, const Shape& shape, LiteralLimits& limits, Literal* literal) {
  std::vector<Literal> elements;
  if (!in.Enter()) return false;
  if (!in.Expect('(')) return false;
  for (const Shape& element : shape.tuple_shapes()) {
    if (!elements.empty() && !in.Expect(',')) return false;
    if (!ReadLiteral(in, element, limits, &elements.emplace_back())) return false;
  }
  in.Leave();
  *literal = Literal::Tuple(std::move(elements));
  return in.Expect(')');
}

}  // namespace

bool ReadLiteral(Cursor& in, const Shape& shape, LiteralLimits& limits, Literal* literal) {
  if (shape.IsTuple()) return ReadTuple(in, shape, limits, literal);
  if (shape.IsArray()) return ReadArray(in, shape, limits, literal);
  if (!shape.IsToken()) return in.Expected("a literal of an array, a tuple or a token");
  *literal = Literal(shape);
  return true;
}

bool ReadLiteralWithShape(Cursor& in, LiteralLimits& limits, Literal* literal) {
  Shape shape;
  return ReadShapeBeforeLiteral(in, &shape) && ReadLiteral(in, shape, limits, literal);
}

}  // namespace hlocts
