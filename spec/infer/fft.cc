// SPDX-License-Identifier: Apache-2.0
#include "spec/infer/rules.h"

namespace hlocts {
namespace {

// Returns the operand's size along a transformed axis (ruling 0061): the fft_length, except that
// the innermost axis of IRFFT contains only the part up to the Nyquist frequency.
int64_t OperandSize(const std::vector<int64_t>& lengths, size_t axis, bool is_irfft) {
  int64_t length = lengths[axis];
  if (!is_irfft || axis + 1 < lengths.size()) return length;
  return length == 0 ? 0 : length / 2 + 1;
}

absl::StatusOr<PrimitiveType> ResultType(const Shape& operand, absl::string_view type) {
  PrimitiveType from = operand.element_type();
  if (type == "RFFT") {
    PrimitiveType to = ComplexTypeOf(from);
    HLOCTS_EXPECT(to != PrimitiveType::kInvalid, "fft.10", "an operand of type f32 or f64",
                  ShapeText(operand));
    return to;
  }
  HLOCTS_EXPECT(IsComplex(from),
                type == "IRFFT" ? "fft.13"
                : type == "FFT" ? "fft.7"
                                : "fft.8",
                "a complex operand", ShapeText(operand));
  return type == "IRFFT" ? ComponentType(from) : from;
}

}  // namespace

absl::StatusOr<Shape> InferFft(const Instruction& fft, Signatures&) {
  const Shape& operand = fft.operand(0).shape();
  const std::vector<int64_t>& lengths = fft.IntList(Attr::kFftLength);
  absl::string_view type = fft.WordOr(Attr::kFftType, "");
  int64_t axes = static_cast<int64_t>(lengths.size());
  HLOCTS_EXPECT(axes >= 1 && axes <= 3, "fft.2", "1 to 3 lengths", ListText(lengths));
  HLOCTS_EXPECT(axes <= operand.rank(), "fft.16", absl::StrCat("at least ", axes, " dimensions"),
                ShapeText(operand));
  HLOCTS_ASSIGN_OR_RETURN(PrimitiveType result_type, ResultType(operand, type));
  for (int64_t i = 0; i < axes; ++i) {
    HLOCTS_EXPECT(lengths[i] >= 0, "fft.5", "lengths of at least 0", ListText(lengths));
    int64_t expected = OperandSize(lengths, i, type == "IRFFT");
    int64_t axis = operand.rank() - axes + i;
    HLOCTS_EXPECT(CompatibleSize(operand.dimension(axis), expected),
                  type == "IRFFT" && i + 1 == axes ? "fft.15" : "fft.5",
                  absl::StrCat("size ", expected, " in dimension ", axis), ShapeText(operand));
  }
  Shape result = operand.WithElementType(result_type).WithoutLayout();
  int64_t last = lengths.back();
  if (type == "RFFT") result.set_dimension(-1, last == 0 ? 0 : last / 2 + 1);  // fft.11
  if (type == "IRFFT") result.set_dimension(-1, last);                         // fft.14
  return result;
}

}  // namespace hlocts
