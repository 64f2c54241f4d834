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
  HLOCTS_EXPECT(b.rank() == a.rank(), "triangular_solve.19",
                absl::StrCat("b of ", a.rank(), " dimensions"), ShapeText(b));
  for (int64_t d = 0; d + 2 < a.rank(); ++d) {
    HLOCTS_EXPECT(CompatibleSize(a.dimension(d), b.dimension(d)), "triangular_solve.19",
                  absl::StrCat("batch dimensions of ", ShapeText(a)), ShapeText(b));
  }
  bool left_side = solve.BoolOr(Attr::kLeftSide, false);
  HLOCTS_EXPECT(CompatibleSize(b.dimension(left_side ? -2 : -1), a.dimension(-1)),
                left_side ? "triangular_solve.8" : "triangular_solve.9",
                absl::StrCat("size ", a.dimension(-1), " in the ",
                             left_side ? "second to last" : "last", " dimension of b"),
                ShapeText(b));
  return b.WithoutLayout();
}

}  // namespace hlocts
