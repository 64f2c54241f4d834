#include "absl/strings/str_cat.h"
#include "spec/ir/decimal.h"
#include "spec/text/format_number.h"
#include "spec/text/print_values.h"

namespace hlocts {
namespace {

using AppendElementFunction = void (*)(PrimitiveType, const uint8_t*, std::string*);

// pred elements are 1 and 0 inside braces, true and false alone.
void AppendArrayElement(PrimitiveType type, const uint8_t* element, std::string* out) {
  if (type == PrimitiveType::kPred) {
    out->push_back(*element ? '1' : '0');
  } else {
    AppendElementAsXla(type, element, out);
  }
}

// The braces of one array. XLA's spacing: none inside the only pair of braces, nor inside innermost
// braces around at most one element; beyond rank 3 a comment counts the outer indices.
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
        strides_(bounds.size()) {
    int64_t stride = StorageBytes(type);
    for (size_t d = bounds.size(); d-- > 0;) {
      strides_[d] = stride;
      stride *= bounds[d];
    }
  }

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
    // Empty braces keep both spaces, unless a comment stands between them.
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

void AppendArray(const Literal& literal, bool index_comments, AppendElementFunction append,
                 std::string* out) {
  std::vector<int64_t> extents = literal.runtime_sizes();
  ArrayPrinter(literal.element_type(), extents, literal.shape().dimensions(), literal.raw_data(),
               index_comments, append, out)
      .Print(0, 0, 0);
}

// XLA hides the elements of larger literals when asked to.
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
    if (literal.has_runtime_sizes()) AppendRuntimeSizes(literal, out);
    AppendArray(literal, true,
                literal.shape().rank() == 0 ? AppendElementAsXla : AppendArrayElement, out);
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
    }
    AppendArray(literal, false, AppendElement, &out);
  }
  return out;
}

std::string PrintElement(const Literal& literal, int64_t linear_index) {
  std::string out;
  PrimitiveType type = literal.element_type();
  AppendElement(type, literal.raw_data() + linear_index * StorageBytes(type), &out);
  return out;
}

}  // namespace hlocts
