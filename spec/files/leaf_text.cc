// SPDX-License-Identifier: Apache-2.0
// Parses and prints one leaf of a literals file.
#include <algorithm>
#include <cstring>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "spec/files/literals_file.h"
#include "spec/ir/decimal.h"
#include "spec/ir/index_util.h"

namespace hlocts {
namespace {

// Nesting deeper than any engine supports is rejected, so that braces cannot exhaust the stack.
constexpr int64_t kRankMax = 64;
// The limit of the storage of a dynamic array. Storage is allocated for the bounds, although the
// text may have fewer elements.
constexpr int64_t kBoundBytesMax = int64_t{1} << 28;

class LeafParser {
 public:
  explicit LeafParser(absl::string_view text) : rest_(text) {}

  absl::StatusOr<Literal> Parse(const Shape* expected);

 private:
  absl::Status ParseWrittenShape();
  absl::Status ParseDimensions();
  absl::Status SkipLayout();
  absl::Status ParseRuntimeSizes();
  absl::StatusOr<Shape> ResolveShape(const Shape* expected) const;
  absl::Status ParseBody(PrimitiveType type, size_t dimension);
  absl::Status ParseOneElement(PrimitiveType type);
  absl::StatusOr<Literal> Build(const Shape& shape) const;

  void SkipSpaces() { rest_ = absl::StripLeadingAsciiWhitespace(rest_); }
  bool Consume(char c) {
    SkipSpaces();
    return absl::ConsumePrefix(&rest_, absl::string_view(&c, 1));
  }
  absl::Status Expect(char c) {
    if (Consume(c)) return absl::OkStatus();
    return InvalidInput("expected '", absl::string_view(&c, 1), "'", AtIndex(), ", found ",
                        Found());
  }
  std::string Found() const {
    return rest_.empty() ? "the end of the line" : absl::StrCat("'", rest_.substr(0, 20), "'");
  }
  std::string AtIndex() const {
    return index_.empty() ? "" : absl::StrCat(" at {", absl::StrJoin(index_, ","), "}");
  }

  absl::string_view rest_;
  Shape written_;
  std::vector<int64_t> sizes_;  // run-time sizes, i.e. the sizes of the written body
  std::vector<int64_t> index_;  // current position of the parser in the body
  std::vector<uint8_t> bytes_;  // elements read so far, in row-major order of sizes_
};

absl::Status LeafParser::ParseWrittenShape() {
  SkipSpaces();
  size_t end = 0;
  while (end < rest_.size() && absl::ascii_isalnum(rest_[end])) ++end;
  std::optional<PrimitiveType> type = PrimitiveTypeFromName(rest_.substr(0, end));
  if (!type) {
    return InvalidInput("expected a leaf such as 'f32[2] {1, 2}', found ", Found(),
                        rest_.substr(0, 1) == "(" ? "; tuples are written as their leaves" : "");
  }
  if (!IsArrayType(*type) && *type != PrimitiveType::kToken) {
    return InvalidInput("expected an array or a token, found ", PrimitiveTypeName(*type));
  }
  written_ = Shape(*type, {});
  rest_.remove_prefix(end);
  HLOCTS_RETURN_IF_ERROR(ParseDimensions());
  if (written_.IsToken()) return absl::OkStatus();
  HLOCTS_RETURN_IF_ERROR(SkipLayout());
  HLOCTS_RETURN_IF_ERROR(ParseRuntimeSizes());
  return SkipLayout();  // s32[<=4](3){0} is equivalent to s32[<=4]{0}(3)
}

absl::Status LeafParser::ParseDimensions() {
  HLOCTS_RETURN_IF_ERROR(Expect('['));
  std::vector<int64_t> dimensions;
  std::vector<bool> dynamic;
  while (!Consume(']')) {
    if (!dimensions.empty()) HLOCTS_RETURN_IF_ERROR(Expect(','));
    SkipSpaces();
    dynamic.push_back(absl::ConsumePrefix(&rest_, "<="));
    size_t end = 0;
    while (end < rest_.size() && absl::ascii_isdigit(rest_[end])) ++end;
    int64_t size;
    if (!absl::SimpleAtoi(rest_.substr(0, end), &size)) {
      return InvalidInput("expected the size of a dimension, found ", Found());
    }
    rest_.remove_prefix(end);
    dimensions.push_back(size);
    if (dimensions.size() > kRankMax) return InvalidInput("more than ", kRankMax, " dimensions");
  }
  if (written_.IsToken() && !dimensions.empty()) return InvalidInput("a token has no dimensions");
  written_ = Shape(written_.element_type(), dimensions);
  for (size_t d = 0; d < dynamic.size(); ++d) {
    written_.set_dynamic_dimension(static_cast<int64_t>(d), dynamic[d]);
  }
  return absl::OkStatus();
}

// A layout follows the dimensions without a space, whereas values follow after a space.
absl::Status LeafParser::SkipLayout() {
  if (rest_.substr(0, 1) != "{") return absl::OkStatus();
  size_t end = rest_.find('}');
  if (end == absl::string_view::npos)
    return InvalidInput("expected '}' at the end of the layout, found ", Found());
  rest_.remove_prefix(end + 1);
  return absl::OkStatus();
}

absl::Status LeafParser::ParseRuntimeSizes() {
  sizes_ = written_.dimensions();
  if (rest_.substr(0, 1) != "(") return absl::OkStatus();
  if (!written_.is_dynamic()) return absl::OkStatus();  // in c64[](1, 2), (1, 2) is the value
  rest_.remove_prefix(1);
  std::vector<int64_t> sizes;
  while (!Consume(')')) {
    if (!sizes.empty()) HLOCTS_RETURN_IF_ERROR(Expect(','));
    SkipSpaces();
    size_t end = 0;
    while (end < rest_.size() && absl::ascii_isdigit(rest_[end])) ++end;
    int64_t size;
    if (!absl::SimpleAtoi(rest_.substr(0, end), &size)) {
      return InvalidInput("expected a run-time size, found ", Found());
    }
    rest_.remove_prefix(end);
    sizes.push_back(size);
  }
  if (sizes.size() != sizes_.size()) {
    return InvalidInput("expected ", sizes_.size(), " run-time sizes, one per dimension, found ",
                        sizes.size());
  }
  for (size_t d = 0; d < sizes.size(); ++d) {
    bool dynamic = written_.is_dynamic_dimension(static_cast<int64_t>(d));
    if (dynamic ? sizes[d] > sizes_[d] : sizes[d] != sizes_[d]) {
      return InvalidInput("run-time size ", sizes[d], " of dimension ", d, " does not fit ",
                          written_.ToString(false));
    }
  }
  sizes_ = sizes;
  return absl::OkStatus();
}

absl::StatusOr<Shape> LeafParser::ResolveShape(const Shape* expected) const {
  if (!expected) return written_;
  bool fits =
      written_.element_type() == expected->element_type() && written_.rank() == expected->rank();
  for (int64_t d = 0; fits && d < expected->rank(); ++d) {
    int64_t bound = expected->dimension(d);
    if (written_.is_dynamic_dimension(d)) {
      fits = expected->is_dynamic_dimension(d) && written_.dimension(d) == bound;
    } else {
      fits = expected->is_dynamic_dimension(d) ? written_.dimension(d) <= bound
                                               : written_.dimension(d) == bound;
    }
  }
  if (fits) return *expected;
  return InvalidInput("expected ", expected->ToString(false), ", found ", written_.ToString(false));
}

absl::Status LeafParser::ParseOneElement(PrimitiveType type) {
  SkipSpaces();
  size_t end = 0;
  int parentheses = 0;
  for (; end < rest_.size(); ++end) {
    char c = rest_[end];
    if (c == '(') ++parentheses;
    if (c == ')') --parentheses;
    if (parentheses <= 0 && (c == ',' || c == '{' || c == '}')) break;
  }
  absl::string_view element = absl::StripTrailingAsciiWhitespace(rest_.substr(0, end));
  if (element.empty()) return InvalidInput("expected an element", AtIndex(), ", found ", Found());
  size_t at = bytes_.size();
  bytes_.resize(at + StorageBytes(type));
  absl::Status status = ParseElement(type, element, bytes_.data() + at);
  if (!status.ok()) return InvalidInput("element", AtIndex(), ": ", status.message());
  rest_.remove_prefix(end);
  return absl::OkStatus();
}

absl::Status LeafParser::ParseBody(PrimitiveType type, size_t dimension) {
  if (dimension == sizes_.size()) return ParseOneElement(type);
  HLOCTS_RETURN_IF_ERROR(Expect('{'));
  index_.push_back(0);
  for (int64_t i = 0; i < sizes_[dimension]; ++i) {
    index_[dimension] = i;
    if (i > 0) HLOCTS_RETURN_IF_ERROR(Expect(','));
    // For an array without elements, {} is equivalent to {{}, {}}.
    SkipSpaces();
    if (i == 0 && rest_.substr(0, 1) == "}" && bytes_.empty() &&
        std::find(sizes_.begin() + dimension, sizes_.end(), 0) != sizes_.end()) {
      break;
    }
    HLOCTS_RETURN_IF_ERROR(ParseBody(type, dimension + 1));
  }
  HLOCTS_RETURN_IF_ERROR(Expect('}'));
  index_.pop_back();
  return absl::OkStatus();
}

absl::StatusOr<Literal> LeafParser::Build(const Shape& shape) const {
  bool cut = sizes_ != shape.dimensions();
  if (cut && shape.StorageSizeBytes() > kBoundBytesMax) {
    return InvalidInput("the bounds of ", shape.ToString(false), " take more than ",
                        kBoundBytesMax >> 20, " MiB");
  }
  Literal literal(shape);
  uint8_t* out = literal.mutable_raw_data();
  if (!cut) {
    HLOCTS_CHECK(literal.raw_size() == bytes_.size());
    if (!bytes_.empty()) std::memcpy(out, bytes_.data(), bytes_.size());
  } else {
    size_t width = StorageBytes(shape.element_type());
    std::vector<int64_t> strides = RowMajorStrides(shape.dimensions());
    const uint8_t* in = bytes_.data();
    ForEachIndex(sizes_, [&](absl::Span<const int64_t> index) {
      std::memcpy(out + LinearIndex(index, strides) * width, in, width);
      in += width;
    });
  }
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (shape.is_dynamic_dimension(d)) literal.SetRuntimeSize(d, sizes_[d]);
  }
  return literal;
}

absl::StatusOr<Literal> LeafParser::Parse(const Shape* expected) {
  HLOCTS_RETURN_IF_ERROR(ParseWrittenShape());
  HLOCTS_ASSIGN_OR_RETURN(Shape shape, ResolveShape(expected));
  SkipSpaces();
  const bool is_empty = std::find(sizes_.begin(), sizes_.end(), 0) != sizes_.end();
  if (is_empty && rest_.substr(0, 1) != "{") {  // a number may replace the braces
    HLOCTS_RETURN_IF_ERROR(ParseOneElement(shape.element_type()));
    bytes_.clear();
  } else if (shape.IsArray()) {
    HLOCTS_RETURN_IF_ERROR(ParseBody(shape.element_type(), 0));
  }
  SkipSpaces();
  if (!rest_.empty()) return InvalidInput("expected the end of the line, found ", Found());
  return shape.IsArray() ? Build(shape) : Literal(shape);
}

// The largest number of braces that are printed for an array without elements.
constexpr int64_t kBracesMax = int64_t{1} << 16;

bool HasTooManyBraces(const std::vector<int64_t>& sizes) {
  int64_t braces = 1;
  for (int64_t size : sizes) {
    if (size == 0) return false;
    if (size > kBracesMax / braces) {
      return std::find(sizes.begin(), sizes.end(), 0) != sizes.end();
    }
    braces *= size;
  }
  return false;
}

// Appends the elements of `literal` from `dimension` on, in braces: "{ {1, 2}, {3, 4} }".
void AppendBody(const Literal& literal, const std::vector<int64_t>& sizes,
                const std::vector<int64_t>& strides, size_t dimension, int64_t offset,
                std::string* out) {
  PrimitiveType type = literal.element_type();
  if (dimension == sizes.size()) {
    return AppendElement(type, literal.raw_data() + offset * StorageBytes(type), out);
  }
  bool nested = dimension + 1 < sizes.size() && sizes[dimension] > 0;
  out->append(nested ? "{ " : "{");
  for (int64_t i = 0; i < sizes[dimension]; ++i) {
    if (i > 0) out->append(", ");
    AppendBody(literal, sizes, strides, dimension + 1, offset + i * strides[dimension], out);
  }
  out->append(nested ? " }" : "}");
}

}  // namespace

absl::StatusOr<Literal> ParseLeaf(absl::string_view text, const Shape* expected) {
  return LeafParser(text).Parse(expected);
}

std::string FormatLeaf(const Literal& literal) {
  const Shape& shape = literal.shape();
  if (!shape.IsArray()) return shape.ToString(false);
  std::string out = shape.ToString(false);
  std::vector<int64_t> sizes = literal.runtime_sizes();
  if (shape.is_dynamic()) {
    absl::StrAppend(&out, "(", absl::StrJoin(sizes, ","), ")");
  } else if (shape.rank() > 0) {
    out += DefaultLayout(shape.rank()).ToString();
  }
  out += " ";
  if (HasTooManyBraces(sizes)) {
    const uint8_t zero[16] = {};
    AppendElement(shape.element_type(), zero, &out);
    return out;
  }
  AppendBody(literal, sizes, RowMajorStrides(shape.dimensions()), 0, 0, &out);
  return out;
}

}  // namespace hlocts
