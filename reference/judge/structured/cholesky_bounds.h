// SPDX-License-Identifier: Apache-2.0
// When an engine may find no Cholesky factor, and how far its elements may be off (RULES 9).
#ifndef HLOCTS_REFERENCE_JUDGE_STRUCTURED_CHOLESKY_BOUNDS_H_
#define HLOCTS_REFERENCE_JUDGE_STRUCTURED_CHOLESKY_BOUNDS_H_

#include <cstdint>

#include "reference/judge/structured/cholesky_operand.h"
#include "reference/judge/structured/lapack_bounds.h"
#include "spec/judge/acceptance_set.h"
#include "spec/judge/float_sets.h"

namespace hlocts::reference {

// The bounds that judge the factorizations of one instruction.
struct CholeskyBound {
  double relative = 0;    // of |L||L^H|, what the engine's own rounding may do
  double own = 0;         // the same with what the judge's arithmetic does
  double flush = 0;       // of each operation
  double underflow = 0;   // of each operation before a pivot
  double least = 0;       // pivots below it may be read as zero
  bool blocks = false;    // true if diagonal blocks may be inverted
  bool vanishes = false;  // true if a pivot that was divided by may be stored as a zero
  const Bounds* bounds = &kBounds;
};

CholeskyBound CholeskyBoundOf(const SetContext& context, const Shape& shape);

// Sets `free` if some matrix within the radii of matrix `b` has no factor; else `breaks` if an
// engine may fail to find the factor.
void FindBreakdown(const Matrix& a, const CholeskyOperand& operand, int64_t b,
                   const CholeskyBound& bound, bool& free, bool& breaks);

// Sets of the factor's elements, for its users, into `result` (by the bound of 42); and the values
// that they are made from, not known if they are open.
FactorBounds BoundElements(const Matrix& a, const CholeskyOperand& operand, int64_t b,
                           const CholeskyBound& bound, const SetContext& context, SetArray& result);

// The bounds of matrix `b` of a factorization whose stated triangle the array holds in place,
// `lower` the lower one; nullptr: none are known.
const FactorBounds* FactorBoundsOf(const SetArray& array, bool lower, int64_t b);

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_JUDGE_STRUCTURED_CHOLESKY_BOUNDS_H_
