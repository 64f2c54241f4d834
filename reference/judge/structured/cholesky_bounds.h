// SPDX-License-Identifier: Apache-2.0
// Bounds Cholesky factorizations: when they may break down, and the errors of elements (lemma 9).
#pragma once

#include <cstdint>

#include "reference/judge/structured/cholesky_operand.h"
#include "reference/judge/structured/lapack_bounds.h"
#include "spec/judge/acceptance_set.h"
#include "spec/judge/float_sets.h"

namespace hlocts::reference {

// The bounds that judge the factorizations of one instruction.
struct CholeskyBound {
  double relative = 0;    // residual due to the engine's rounding, relative to |L||L^H|
  double own = 0;         // the same, including the judge's own rounding
  double flush = 0;       // residual due to flushes, per operation
  double underflow = 0;   // error due to underflow before a pivot, per operation
  double least = 0;       // pivots below it may be read as zero
  bool blocks = false;    // true if diagonal blocks may be inverted
  bool vanishes = false;  // true if a pivot that was a divisor may be stored as a zero
  const Bounds* bounds = &kBounds;
};

CholeskyBound CholeskyBoundOf(const SetContext& context, const Shape& shape);

// Sets `free` if some matrix within the radii of matrix `b` has no factor. Otherwise sets `breaks`
// if an engine may fail to find the factor.
void FindBreakdown(const Matrix& a, const CholeskyOperand& operand, int64_t b,
                   const CholeskyBound& bound, bool& free, bool& breaks);

// Sets the elements of the factor in `result`, for instructions that read them (by the bound of
// lemma 42). Returns the bounds from which the sets are made; they are not known if the elements
// are unspecified.
FactorBounds BoundElements(const Matrix& a, const CholeskyOperand& operand, int64_t b,
                           const CholeskyBound& bound, const SetContext& context, SetArray& result);

// Returns the bounds of matrix `b` of a factorization; nullptr if unknown. `array` contains the
// stated triangle at its original positions: the lower one if `lower` is true.
const FactorBounds* FactorBoundsOf(const SetArray& array, bool lower, int64_t b);

}  // namespace hlocts::reference
