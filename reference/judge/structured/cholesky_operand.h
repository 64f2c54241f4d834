// SPDX-License-Identifier: Apache-2.0
// Describes the stated triangle of a Cholesky operand, exact or with bounds (lemma 9).
#pragma once

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
  Literal middle;  // the operand's literal if it is exact, else f64 or c128
  Literal radius;  // f64, the largest distance of each element from `middle`; empty if exact
  std::vector<bool> free;  // by matrix: it may be not finite, or its diagonal not real

  // Returns the position of row i, column j <= i of the lower triangle of matrix `b`, or of the
  // mirrored element of the upper triangle. Valid for the operand and the factor.
  int64_t PlaceOf(int64_t b, int64_t i, int64_t j) const {
    const int64_t n = middle.shape().dimension(-1);
    return b * n * n + (lower ? i * n + j : j * n + i);
  }
  // Returns the Hermitian matrix that the triangle of matrix `b` defines; RadiusOf has its radii.
  Matrix HermitianOf(int64_t b) const;
  double RadiusOf(int64_t b, int64_t i, int64_t j) const;
};
CholeskyOperand CholeskyOperandOf(const SetArray& array, bool lower);

}  // namespace hlocts::reference
