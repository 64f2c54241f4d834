// SPDX-License-Identifier: Apache-2.0
// Bounds the elements of a triangular-solve with inexact operands, for instructions that read them.
#pragma once

#include <cstdint>
#include <string>

#include "spec/judge/acceptance_set.h"
#include "spec/judge/float_sets.h"

namespace hlocts::reference {

// The geometry of a batch of systems T x = b. T is lower or upper triangular and is read from the
// operands as the attributes require.
struct SolveGeometry {
  int64_t n = 0, columns = 0, batches = 0;
  bool left = true, lower = true, unit = false;
  std::string transpose;
};
// Returns true if T is lower after applying transposition and side.
bool EffectiveLower(const SolveGeometry& g);
// Returns the least diagonal element for which a system has requirements (ruling 0033). A smaller
// element may be read as zero or, if complex, lose more in its square than the rule covers (lemma
// 9).
double LeastDivisor(const SetContext& context, PrimitiveType type);
// Returns the residual that underflow adds. It does not include the loss in a complex quotient,
// which the limit LeastDivisor covers.
double FlushesOfRow(const SetContext& context, PrimitiveType type, int64_t n);
// Returns the position of row i of column c in batch b, for the unknowns and the right side.
int64_t UnknownAt(const SolveGeometry& g, int64_t b, int64_t i, int64_t c);

// Sets the elements of `result` if there is a bound that is valid for all operands in the sets of
// `a` and `b` (lemmas 9, 42). The operands must have no run-time sizes.
void BoundWithin(const SetArray& a, const SetArray& b, const SolveGeometry& g,
                 const SetContext& context, SetArray& result);

// Like BoundWithin, for the second of two solves with one Cholesky factor of A, which together
// solve A X = B. `first` and `right` are the geometry and the right side of the first solve.
void BoundFactored(const SetArray& factor, const SetArray& right, const SolveGeometry& first,
                   const SolveGeometry& g, const SetContext& context, SetArray& result);

}  // namespace hlocts::reference
