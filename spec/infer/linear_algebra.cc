// SPDX-License-Identifier: Apache-2.0
// Shape rules of cholesky and triangular-solve on batches of matrices (ruling 0014).
#include "spec/infer/rules.h"

namespace hlocts {
namespace {

absl::Status ExpectSquare(const Shape& a, absl::string_view rank_rule, absl::string_view rule) {
  HLOCTS_EXPECT(a.rank() >= 2, rank_rule, "at least 2 dimensions", ShapeText(a));
  HLOCTS_EXPECT(CompatibleSize(a.dimension(-1), a.dimension(-2)), rule, "square matrices",
                ShapeText(a));
  return absl::OkStatus();
}

// Returns the operand's size along a transformed axis (ruling 0061): the fft_length, except that
// the innermost axis of IRFFT ends at the Nyquist frequency.
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

absl::StatusOr<Shape> InferCholesky(const Instruction& cholesky, Signatures&) {
  const Shape& a = cholesky.operand(0).shape();
  HLOCTS_RETURN_IF_ERROR(ExpectSquare(a, "cholesky.4", "cholesky.1"));
  return a.WithoutLayout();
}

absl::StatusOr<Shape> InferTriangularSolve(const Instruction& solve, Signatures&) {
  const Shape &a = solve.operand(0).shape(), &b = solve.operand(1).shape();
  HLOCTS_RETURN_IF_ERROR(ExpectSquare(a, "triangular_solve.7", "triangular_solve.6"));
  HLOCTS_EXPECT(b.element_type() == a.element_type(), "triangular_solve.10",
                absl::StrCat("b of type ", TypeText(a.element_type())), ShapeText(b));
  HLOCTS_EXPECT(b.rank() == a.rank(), "triangular_solve.19", absl::StrCat("b of rank ", a.rank()),
                ShapeText(b));
  for (int64_t d = 0; d + 2 < a.rank(); ++d) {
    HLOCTS_EXPECT(CompatibleSize(a.dimension(d), b.dimension(d)), "triangular_solve.19",
                  absl::StrCat("the batch dimensions of ", ShapeText(a)), ShapeText(b));
  }
  bool left_side = solve.BoolOr(Attr::kLeftSide, false);
  HLOCTS_EXPECT(CompatibleSize(b.dimension(left_side ? -2 : -1), a.dimension(-1)),
                left_side ? "triangular_solve.8" : "triangular_solve.9",
                absl::StrCat("size ", a.dimension(-1), " in the ",
                             left_side ? "second to last" : "last", " dimension of b"),
                ShapeText(b));
  return b.WithoutLayout();
}

absl::StatusOr<Shape> InferFft(const Instruction& fft, Signatures&) {
  const Shape& operand = fft.operand(0).shape();
  const std::vector<int64_t>& lengths = fft.IntList(Attr::kFftLength);
  absl::string_view type = fft.WordOr(Attr::kFftType, "");
  int64_t axes = static_cast<int64_t>(lengths.size());
  HLOCTS_EXPECT(axes >= 1 && axes <= 3, "fft.2", "1 to 3 lengths in fft_length", ListText(lengths));
  HLOCTS_EXPECT(axes <= operand.rank(), "fft.16", absl::StrCat("a rank of at least ", axes),
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
