// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "absl/strings/str_cat.h"
#include "spec/ir/decimal.h"
#include "spec/ir/index_util.h"
#include "spec/text/format_number.h"
#include "spec/text/print_values.h"

namespace hlocts {
namespace {

using AppendElementFunction = void (*)(PrimitiveType, const uint8_t*, std::string*);

// Appends an element inside braces, where elements of pred are 1 and 0 instead of true and false.
void AppendArrayElement(PrimitiveType type, const uint8_t* element, std::string* out) {
  if (type == PrimitiveType::kPred) {
    out->push_back(*element ? '1' : '0');
  } else {
    AppendElementAsXla(type, element, out);
  }
}

// Prints one array with XLA's spacing. There is a space after '{' and before '}', except in
// innermost braces around at most one element, and in an array with only one pair of braces. If the
// rank is above 3, a comment contains the outer indices.
class ArrayPrinter {
 public:
  ArrayPrinter(PrimitiveType type, absl::Span<const int64_t> extents,
               absl::Span<const int64_t> bounds, const uint8_t* data, bool index_comments,
               AppendElementFunction append, std::string* out)
      : type_(type),
        extents_(extents),
        data_(data),
        index_comments_(index_comments && extents.size() > 3),
        append_(append),
        out_(out),
        strides_(RowMajorStrides(bounds, StorageBytes(type))) {}

  void Print(size_t dimension, int64_t offset, int64_t index) {
    if (dimension == extents_.size()) return append_(type_, data_ + offset, out_);
    bool innermost = dimension + 1 == extents_.size();
    bool spaced = innermost ? extents_.size() > 1 && extents_[dimension] > 1 : true;
    out_->push_back('{');
    bool commented = index_comments_ && !innermost && dimension > 0;
    if (commented) absl::StrAppend(out_, " /*i", dimension - 1, "=", index, "*/");
    if (spaced) out_->push_back(' ');
    for (int64_t i = 0; i < extents_[dimension]; ++i) {
      if (i > 0) out_->append(", ");
      Print(dimension + 1, offset + i * strides_[dimension], i);
    }
    // Empty braces contain two spaces, or a comment and one space.
    if (spaced && !(commented && extents_[dimension] == 0)) out_->push_back(' ');
    out_->push_back('}');
  }

 private:
  PrimitiveType type_;
  absl::Span<const int64_t> extents_;
  const uint8_t* data_;
  bool index_comments_;
  AppendElementFunction append_;
  std::string* out_;
  std::vector<int64_t> strides_;
};

// Arrays with more elements (or empty innermost braces) are printed in full only if necessary.
constexpr int64_t kWrittenMax = int64_t{1} << 16;

// Returns true if the array has more than kWrittenMax elements (or empty innermost braces).
bool TakesALongText(const Literal& literal) {
  int64_t written = 1;
  for (int64_t size : literal.runtime_sizes()) {
    if (size == 0) return false;
    if (size > kWrittenMax / written) return true;
    written *= size;
  }
  return false;
}

// Returns true if all elements but the first are 0. XLA reads no complex array from one number.
bool ZerosAfterTheFirst(const Literal& literal) {
  if (IsComplex(literal.element_type())) return literal.element_count() == 0;
  const size_t first = StorageBytes(literal.element_type()), bytes = literal.raw_size();
  const uint8_t* rest = literal.raw_data() + first;
  if (bytes <= first) return true;
  return rest[0] == 0 && std::memcmp(rest, rest + 1, bytes - first - 1) == 0;
}

// Appends the first element without braces, which represents the array if all other elements are
// zeros. The full text of such an array could have hundreds of megabytes.
void AppendFirstElement(const Literal& literal, AppendElementFunction append, std::string* out) {
  const uint8_t zero[16] = {};
  append(literal.element_type(), literal.element_count() == 0 ? zero : literal.raw_data(), out);
}

void AppendArray(const Literal& literal, bool index_comments, AppendElementFunction append,
                 std::string* out) {
  std::vector<int64_t> extents = literal.runtime_sizes();
  ArrayPrinter(literal.element_type(), extents, literal.shape().dimensions(), literal.raw_data(),
               index_comments, append, out)
      .Print(0, 0, 0);
}

// The maximum size of literals whose elements XLA prints even if large constants are elided.
constexpr int64_t kSmallLiteral = 10;

bool TooLarge(const Literal& literal) {
  if (!literal.shape().IsTuple()) return literal.element_count() > kSmallLiteral;
  for (const Literal& element : literal.elements()) {
    if (TooLarge(element)) return true;
  }
  return false;
}

}  // namespace

void AppendLiteralBody(const Literal& literal, std::string* out) {
  if (literal.shape().IsTuple()) {
    out->append("( ");
    bool first = true;
    for (const Literal& element : literal.elements()) {
      if (!first) out->append(", ");
      first = false;
      AppendLiteralBody(element, out);
    }
    out->append(" )");
  } else if (literal.shape().IsArray()) {
    const auto append = literal.shape().rank() == 0 ? AppendElementAsXla : AppendArrayElement;
    if (literal.has_runtime_sizes()) {
      AppendRuntimeSizes(literal, out);
    } else if (TakesALongText(literal) && ZerosAfterTheFirst(literal)) {
      return AppendFirstElement(literal, append, out);
    }
    AppendArray(literal, true, append, out);
  }
}

void AppendConstant(const Literal& literal, bool large_constants, std::string* out) {
  if (!large_constants && TooLarge(literal)) {
    out->append("{...}");
  } else {
    AppendLiteralBody(literal, out);
  }
}

void AppendRuntimeSizes(const Literal& literal, std::string* out) {
  out->push_back('(');
  bool first = true;
  for (int64_t size : literal.runtime_sizes()) {
    absl::StrAppend(out, first ? "" : ",", size);
    first = false;
  }
  out->append(") ");
}

std::string PrintLiteralBody(const Literal& literal) {
  std::string out;
  AppendLiteralBody(literal, &out);
  return out;
}

std::string PrintLiteralWithShape(const Literal& literal) {
  Shape shape = literal.shape().WithoutLayout().WithDefaultLayout();
  std::string out = shape.ToString();
  if (shape.IsTuple()) {
    out.push_back(' ');
    AppendLiteralBody(literal, &out);
  } else if (shape.IsArray()) {
    if (literal.has_runtime_sizes()) {
      AppendRuntimeSizes(literal, &out);
    } else {
      out.push_back(' ');
      if (literal.element_count() == 0 && TakesALongText(literal)) {
        AppendFirstElement(literal, AppendElement, &out);
        return out;
      }
    }
    AppendArray(literal, false, AppendElement, &out);
  }
  return out;
}

}  // namespace hlocts
