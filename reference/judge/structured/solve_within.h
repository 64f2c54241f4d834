// SPDX-License-Identifier: Apache-2.0
// triangular-solve of operands that are not exact: what a consumer may assume of the elements.
#ifndef HLOCTS_REFERENCE_JUDGE_STRUCTURED_SOLVE_WITHIN_H_
#define HLOCTS_REFERENCE_JUDGE_STRUCTURED_SOLVE_WITHIN_H_

#include <cstdint>
#include <string>

#include "spec/judge/acceptance_set.h"
#include "spec/judge/float_sets.h"

namespace hlocts::reference {

// One system T x = b with T lower or upper triangular, read from the operands according to the
// attributes.
struct SolveGeometry {
  int64_t n = 0, columns = 0, batches = 0;
  bool left = true, lower = true, unit = false;
  std::string transpose;
};
// Returns true if T is lower, when transposition and side have been turned.
bool EffectiveLower(const SolveGeometry& g);
// Diagonal elements below it leave a system open (ruling 0033): they may be read as zeros, or, if
// complex, lose more of a square than the rule pays for (RULES 9).
double LeastDivisor(const SetContext& context, PrimitiveType type);
// The residual that underflow adds, except the loss of a complex quotient, which a division by the
// smallest divisor covers.
double FlushesOfRow(const SetContext& context, PrimitiveType type, int64_t n);
// The position of row i of column c of the unknowns of batch b; of the right side too.
int64_t UnknownAt(const SolveGeometry& g, int64_t b, int64_t i, int64_t c);

// Sets of the elements into `result`, where there is a bound for all operands in their sets (RULES
// 9, 42). Operands without run-time sizes.
void BoundWithin(const SetArray& a, const SetArray& b, const SolveGeometry& g,
                 const SetContext& context, SetArray& result);

// The same for the second of two solves with one Cholesky factor, which together solve A X = B with
// the matrix that was factored: `first` and `right` are geometry and right side of the first.
void BoundFactored(const SetArray& factor, const SetArray& right, const SolveGeometry& first,
                   const SolveGeometry& g, const SetContext& context, SetArray& result);

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_JUDGE_STRUCTURED_SOLVE_WITHIN_H_
