// SPDX-License-Identifier: Apache-2.0
// Bounds the distance of a factor's or a solution's elements from the elements computed in wide
// arithmetic, for instructions that read them. The bounds cover every operand in its enclosure and
// every result that the predicates of lapack_predicates.h accept (lemma 42).
#pragma once

#include <cstdint>
#include <vector>

#include "reference/lapack/wide_matrix.h"
#include "spec/judge/acceptance_set.h"
#include "spec/judge/float_sets.h"

namespace hlocts::reference {

// A matrix and the largest error of each element. If `known` is false, nothing is known.
struct EnclosedMatrix {
  WideMatrix middle;
  std::vector<long double> radius;
  bool known = false;

  // Return the 1-norm of the radii of this matrix, or of the Hermitian matrix of its triangle.
  long double RadiusOneNorm() const;
  long double HermitianRadiusOneNorm(bool lower) const;
};

// Returns L of A = L L^H. Only its lower triangle has radii. `off` bounds the 1-norm of the error
// of A. The result is unknown if the factorization may break down.
EnclosedMatrix CholeskyBounds(const WideMatrix& a, long double off);

// Like CholeskyBounds, for an error of A within `e`, which is positive in every element.
EnclosedMatrix CholeskyBoundsWithin(const WideMatrix& a, const WideMatrix& e);

// For square A, returns L and U of P A = L U in one matrix, and the row numbers that P selects in
// `pivots`. |P A - L U| is at most `relative` max(|A|, ||L||U||). Unknown if a pivot is uncertain.
EnclosedMatrix LuBounds(const EnclosedMatrix& a, long double relative, long double underflow,
                        std::vector<int64_t>& pivots);

// Returns X of T X = B, solved by substitution or with inverted blocks. T is triangular; its other
// triangle is not read. u is the unit of rounding.
EnclosedMatrix SolveBounds(const EnclosedMatrix& t, bool lower, bool unit, const EnclosedMatrix& b,
                           long double u, long double underflow);

// The bounds of a Cholesky factor L' that an engine found for a matrix A: `a` is the midpoint of A,
// L' is within `l`, and |A - L' L'^H| <= `e`.
struct FactorBounds {
  WideMatrix a;
  EnclosedMatrix l;
  WideMatrix e;
};
// Returns the bounds with `e` computed from `l`, the relative error `own`, the radii of A and the
// underflow `flush`. `blocks`: diagonal blocks may be inverted. Unknown if `l` is unknown.
FactorBounds RefinedFactor(const WideMatrix& a, const EnclosedMatrix& l, const WideMatrix& radii,
                           long double own, long double flush, bool blocks);

// Returns X of A X = B by two solves with L' and L'^H (lemma 9), with u as in SolveBounds.
EnclosedMatrix FactoredSolveBounds(const FactorBounds& factor, const EnclosedMatrix& b,
                                   long double u, long double underflow);

// Sets element `element` to the numbers within `radius` of `middle`, if `radius` is finite.
void SetElementAround(const Wide& middle, long double radius, const SetContext& context,
                      int64_t element, SetArray& array);

}  // namespace hlocts::reference
