// SPDX-License-Identifier: Apache-2.0
// The stated triangle of a Cholesky factorization's operand, exact or within bounds (RULES 9).
#ifndef HLOCTS_REFERENCE_JUDGE_STRUCTURED_CHOLESKY_OPERAND_H_
#define HLOCTS_REFERENCE_JUDGE_STRUCTURED_CHOLESKY_OPERAND_H_

#include <cstdint>
#include <vector>

#include "reference/judge/joint/joint_numbers.h"
#include "reference/lapack/wide_matrix.h"
#include "spec/ir/literal.h"
#include "spec/judge/acceptance_set.h"

namespace hlocts::reference {

using Matrix = DenseMatrix<Complex>;

struct CholeskyOperand {
  bool lower = true;
  Literal middle;          // the literal itself where it is exact, else wide
  Literal radius;          // f64, how far elements may be from it; no elements where it is exact
  std::vector<bool> free;  // by matrix: not finite, or its diagonal may not be real

  // The position of row i, column j <= i of the lower triangle of matrix `b`, or its mirror image
  // in the upper one; of the factor too.
  int64_t PlaceOf(int64_t b, int64_t i, int64_t j) const {
    const int64_t n = middle.shape().dimension(-1);
    return b * n * n + (lower ? i * n + j : j * n + i);
  }
  // The Hermitian matrix that the triangle of matrix `b` gives, and the radii of its elements.
  Matrix HermitianOf(int64_t b) const;
  double RadiusOf(int64_t b, int64_t i, int64_t j) const;
};
CholeskyOperand CholeskyOperandOf(const SetArray& array, bool lower);

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_JUDGE_STRUCTURED_CHOLESKY_OPERAND_H_
