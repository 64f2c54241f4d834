// SPDX-License-Identifier: Apache-2.0
// The distance of the elements of a factor or a solution from those computed in wide arithmetic,
// for their users. All bounds hold for every operand in its enclosure and every result that the
// predicates of lapack_predicates.h accept (RULES 42).
#ifndef HLOCTS_REFERENCE_JUDGE_STRUCTURED_LAPACK_BOUNDS_H_
#define HLOCTS_REFERENCE_JUDGE_STRUCTURED_LAPACK_BOUNDS_H_

#include <cstdint>
#include <vector>

#include "reference/lapack/wide_matrix.h"
#include "spec/judge/acceptance_set.h"
#include "spec/judge/float_sets.h"

namespace hlocts::reference {

// A matrix and the most by which each element may be off. `known` false: nothing is known.
struct EnclosedMatrix {
  WideMatrix middle;
  std::vector<long double> radius;
  bool known = false;

  // 1-norm of the radii; of those of the Hermitian matrix that the stated triangle gives.
  long double Off() const;
  long double HermitianOff(bool lower) const;
};

// L of A = L L^H (stated triangle of `result`, the rest unknown radius 0), A off by a matrix of
// 1-norm `off` at most. Not known where the factorization may break down.
EnclosedMatrix CholeskyBounds(const WideMatrix& a, long double off);

// The same for an error within `e`, which is positive in every element.
EnclosedMatrix CholeskyBoundsWithin(const WideMatrix& a, const WideMatrix& e);

// L and U of P A = L U in one matrix and the rows of P, for square A; `relative` is what
// |P A - L U| may be in terms of max(|A|, ||L||U||). Not known where a pivot is uncertain.
EnclosedMatrix LuBounds(const EnclosedMatrix& a, long double relative, long double underflow,
                        std::vector<int64_t>& pivots);

// X of T X = B, T triangular (other elements are not read), solved by substitution or with inverted
// blocks; u: unit of rounding.
EnclosedMatrix SolveBounds(const EnclosedMatrix& t, bool lower, bool unit, const EnclosedMatrix& b,
                           long double u, long double underflow);

// The bounds of a Cholesky factor L' that an engine found: `a` is the middle of the matrix A that
// it factored; L' is within `l`, and |A - L' L'^H| <= `e`.
struct FactorBounds {
  WideMatrix a;
  EnclosedMatrix l;
  WideMatrix e;
};
// The same with `e` computed from l: `own` relative, radii of A, underflow; `blocks`: diagonal
// blocks may be inverted. Not known if l is not.
FactorBounds RefinedFactor(const WideMatrix& a, const EnclosedMatrix& l, const WideMatrix& radii,
                           long double own, long double flush, bool blocks);

// X of A X = B by two solves with L' and L'^H (RULES 9); u, underflow: as above.
EnclosedMatrix FactoredSolveBounds(const FactorBounds& factor, const EnclosedMatrix& b,
                                   long double u, long double underflow);

// Sets element `element` to what lies within `radius` of `middle`; nothing where that has no end.
void SetElementAround(const Wide& middle, long double radius, const SetContext& context,
                      int64_t element, SetArray& array);

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_JUDGE_STRUCTURED_LAPACK_BOUNDS_H_
