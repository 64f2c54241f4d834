// SPDX-License-Identifier: Apache-2.0
#include "reference/testing/module_runner.h"

#include "absl/strings/str_cat.h"
#include "reference/kernels/codec.h"

namespace hlocts::reference {

std::string Text(const absl::StatusOr<Literal>& value) {
  if (!value.ok()) return value.status().ToString();
  std::string text;
  for (const Literal& leaf : FlattenLeaves(*value)) {
    Literal plain = leaf;
    if (leaf.shape().IsArray() && !leaf.has_runtime_sizes()) {
      plain = leaf.WithShape(Shape(leaf.element_type(), leaf.shape().dimensions()));
    }
    absl::StrAppend(&text, PrintLiteralWithShape(plain), "\n");
  }
  return text;
}

std::string Leaves(std::initializer_list<absl::string_view> literals) {
  std::string text;
  for (absl::string_view literal : literals) text += Text(MustLiteral(literal));
  return text;
}

Literal Apply(absl::string_view result_shape, absl::string_view opcode,
              std::vector<Literal> arguments, absl::string_view attributes) {
  std::string text = "HloModule m\nENTRY e {\n", operands;
  for (size_t i = 0; i < arguments.size(); ++i) {
    absl::StrAppend(&text, "  p", i, " = ", arguments[i].shape().ToString(false), " parameter(", i,
                    ")\n");
    absl::StrAppend(&operands, i ? ", p" : "p", i);
  }
  absl::StrAppend(&text, "  ROOT r = ", result_shape, " ", opcode, "(", operands, ")",
                  attributes.empty() ? "" : ", ", attributes, "\n}\n");
  absl::StatusOr<Literal> result = RunText(text, std::move(arguments));
  if (!result.ok())
    std::fprintf(stderr, "%s%s\n", text.c_str(), result.status().ToString().c_str());
  HLOCTS_CHECK(result.ok());
  return *std::move(result);
}

Literal FromDoubles(PrimitiveType type, const std::vector<double>& values) {
  Literal doubles(Shape(PrimitiveType::kF64, {static_cast<int64_t>(values.size())}));
  std::copy(values.begin(), values.end(), doubles.mutable_data<double>().begin());
  if (type == PrimitiveType::kF64) return doubles;
  return Apply(Shape(type, doubles.shape().dimensions()).ToString(false), "convert", {doubles});
}

std::vector<double> ToDoubles(const Literal& literal) {
  std::vector<double> values(literal.element_count());
  if (IsFloat(literal.element_type())) {
    DecodeFloats(literal.element_type(), literal.raw_data(), values.data(),
                 literal.element_count());
    return values;
  }
  std::vector<int64_t> integers(values.size());
  DecodeIntegers(literal.element_type(), literal.raw_data(), integers.data(),
                 literal.element_count());
  values.assign(integers.begin(), integers.end());
  return values;
}

Literal AllCodes(PrimitiveType type) {
  int64_t count = int64_t{1} << BitWidth(type);
  Literal codes(Shape(type, {count}));
  std::vector<int64_t> bits(count);
  for (int64_t i = 0; i < count; ++i) bits[i] = i;
  // Integers of fewer than 8 bits are stored extended; floats are not.
  EncodeIntegers(IsInteger(type) ? type : PrimitiveType::kU8, bits.data(), codes.mutable_raw_data(),
                 count);
  return codes;
}

}  // namespace hlocts::reference
