// SPDX-License-Identifier: Apache-2.0
// The custom-call targets for routines of LAPACK, as JAX makes them for its dense linear algebra on
// CPU: `lapack_<letter><routine>_ffi` (ruling 0093). Operands and results are the logical arrays,
// whatever their layouts; leading dimensions are batches.
//
// JAX on CPU lowers cholesky, solve, qr, eigh and svd to custom calls with LAPACK's names; ruling
// 0093 adopts LAPACK's definitions. This directory computes them with 64-bit significands by
// textbook algorithms; reference/judge/structured/lapack_* has the permitted results. New routine:
// a value of LapackRoutine and a row of kNames.
#ifndef HLOCTS_REFERENCE_LAPACK_LAPACK_CALL_H_
#define HLOCTS_REFERENCE_LAPACK_LAPACK_CALL_H_

#include <optional>

#include "spec/ir/module_fwd.h"

namespace hlocts::reference {

// The routines by what they compute; the comment has LAPACK's name and the results in order.
enum class LapackRoutine {
  kCholesky,         // potrf: factor (other triangle as it was), info
  kLu,               // getrf: L below U, pivot rows from 1, info
  kTriangularSolve,  // trsm: X of op(A) X = B or X op(A) = B
  kQr,               // geqrf: R above the reflectors, their factors tau
  kQrProduct,        // orgqr, ungqr: the first columns of the reflectors' product
  kHermitianEigen,   // syevd, heevd: eigenvectors as columns, eigenvalues ascending, info
  kSingularValues,   // gesdd: (what is left of A), singular values descending, U, V^H, info
};

struct LapackCall {
  LapackRoutine routine = LapackRoutine::kCholesky;
  bool lower = true;     // which triangle is read
  bool left = true;      // trsm: op(A) is left of X
  bool unit = false;     // trsm: the diagonal is taken as ones
  char transpose = 'N';  // trsm: N, T or C
  char job = 'V';        // syevd: N or V; gesdd: A (square factors), S (thin ones) or N (none)
};

// nullopt: the target is none of these, its letter is not that of the operands' type, or an
// attribute that it needs is missing or has a value unknown here.
std::optional<LapackCall> LapackCallOf(const Instruction& custom_call);

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_LAPACK_LAPACK_CALL_H_
