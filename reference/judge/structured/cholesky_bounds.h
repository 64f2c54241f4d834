// SPDX-License-Identifier: Apache-2.0
// Bounds Cholesky factorizations: when they may break down, and the errors of elements (lemma 9).
#pragma once

#include <cstdint>
#include <vector>

#include "reference/judge/joint/joint_numbers.h"
#include "reference/judge/structured/lapack_bounds.h"
#include "reference/lapack/wide_matrix.h"
#include "spec/ir/literal.h"
#include "spec/judge/acceptance_set.h"
#include "spec/judge/float_sets.h"

namespace hlocts::reference {

// The triangle that a Cholesky factorization reads, exact or with bounds (lemma 9).

using Matrix = DenseMatrix<Complex>;

struct CholeskyOperand {
  bool lower = true;
  Literal middle;  // the operand's literal if it is exact, else f64 or c128
  Literal radius;  // f64, the largest distance of each element from `middle`; empty if exact
  std::vector<bool> free;  // by matrix: maybe not finite, or diagonal not real

  // Returns the position, in the operand and in the factor, of element (i, j), j <= i, of the lower
  // triangle of matrix `b`, or of its mirror image in the upper triangle.
  int64_t PlaceOf(int64_t b, int64_t i, int64_t j) const {
    const int64_t n = middle.shape().dimension(-1);
    return b * n * n + (lower ? i * n + j : j * n + i);
  }
  // Returns the Hermitian matrix that the triangle of matrix `b` defines; RadiusOf has its radii.
  Matrix HermitianOf(int64_t b) const;
  double RadiusOf(int64_t b, int64_t i, int64_t j) const;
};
CholeskyOperand CholeskyOperandOf(const SetArray& array, bool lower);

// The bounds by which the factorizations of one instruction are judged.
struct CholeskyBound {
  double relative = 0;    // residual due to the engine's rounding, relative to |L||L^H|
  double own = 0;         // `relative` plus the judge's own rounding
  double flush = 0;       // residual due to flushes, per operation
  double underflow = 0;   // error due to underflow before a pivot, per operation
  double least = 0;       // pivots below this may be read as zero
  bool blocks = false;    // true if diagonal blocks may be inverted
  bool vanishes = false;  // true if a pivot that was a divisor may be stored as a zero
  const Bounds* bounds = &kBounds;
};

CholeskyBound CholeskyBoundOf(const SetContext& context, const Shape& shape);

// Sets `free` if some matrix within the radii of matrix `b` has no factor. Otherwise, sets `breaks`
// if an engine may fail to find a factor.
void FindBreakdown(const Matrix& a, const CholeskyOperand& operand, int64_t b,
                   const CholeskyBound& bound, bool& free, bool& breaks);

// Sets the elements of the factor in `result`, for instructions that read them, by the bound of
// lemma 42. Returns the bounds from which the sets are made; unknown if the elements are
// unspecified.
FactorBounds BoundElements(const Matrix& a, const CholeskyOperand& operand, int64_t b,
                           const CholeskyBound& bound, const SetContext& context, SetArray& result);

// Returns the bounds of matrix `b` of a factorization; nullptr if unknown. `array` must contain one
// triangle of the factor at its original positions: the lower one if `lower`, else the upper one.
const FactorBounds* FactorBoundsOf(const SetArray& array, bool lower, int64_t b);

}  // namespace hlocts::reference
