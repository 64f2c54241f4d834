// SPDX-License-Identifier: Apache-2.0
// Parses custom calls to routines of LAPACK, `lapack_<letter><routine>_ffi` (ruling 0093). Operands
// and results are the logical arrays, whatever their layouts; leading dimensions are batches.
//
// JAX on CPU lowers cholesky, solve, qr, eigh and svd to custom calls with LAPACK's names; ruling
// 0093 adopts LAPACK's definitions. This directory computes them with 64-bit significands by
// textbook algorithms; reference/judge/structured/lapack_* defines the permitted results. A new
// routine needs a value of LapackRoutine and an entry of kNames.
#ifndef HLOCTS_REFERENCE_LAPACK_LAPACK_CALL_H_
#define HLOCTS_REFERENCE_LAPACK_LAPACK_CALL_H_

#include <optional>

#include "spec/ir/module_fwd.h"

namespace hlocts::reference {

// The routines by what they compute. Each comment has LAPACK's name and the results in order.
enum class LapackRoutine {
  kCholesky,         // potrf: factor (the other triangle is unchanged), info
  kLu,               // getrf: L below U, pivot rows from 1, info
  kTriangularSolve,  // trsm: X of op(A) X = B or X op(A) = B
  kQr,               // geqrf: R above the reflectors, their factors tau
  kQrProduct,        // orgqr, ungqr: the first columns of the reflectors' product
  kHermitianEigen,   // syevd, heevd: eigenvectors as columns, ascending eigenvalues, info
  kSingularValues,   // gesdd: A overwritten, descending singular values, U, V^H, info
};

struct LapackCall {
  LapackRoutine routine = LapackRoutine::kCholesky;
  bool lower = true;     // the lower triangle is read
  bool left = true;      // trsm: op(A) is left of X
  bool unit = false;     // trsm: the diagonal is taken as ones
  char transpose = 'N';  // trsm: N, T or C
  char job = 'V';        // syevd: N or V; gesdd: A (square factors), S (thin ones) or N (none)
};

// Returns nullopt if the target is not one of these routines, if its letter does not match the
// operands' type, or if a required attribute is missing or has an unknown value.
std::optional<LapackCall> LapackCallOf(const Instruction& custom_call);

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_LAPACK_LAPACK_CALL_H_
