// SPDX-License-Identifier: Apache-2.0
// Computes the factorizations of LAPACK's routines with their textbook algorithms (Golub and Van
// Loan, Matrix Computations, 4th ed.), in wide arithmetic. Matrices must be finite.
#ifndef HLOCTS_REFERENCE_LAPACK_FACTORIZATIONS_H_
#define HLOCTS_REFERENCE_LAPACK_FACTORIZATIONS_H_

#include <vector>

#include "reference/lapack/wide_matrix.h"

namespace hlocts::reference {

// Returns the Hermitian matrix whose lower or upper triangle is that of `a`.
WideMatrix HermitianFrom(const WideMatrix& a, bool lower);

// Computes the lower L with A = L L^H (section 4.2). Returns 0, or the order of the first leading
// minor that is not positive; `l` is incomplete then.
int64_t FactorCholesky(const WideMatrix& a, WideMatrix& l);

// Computes P A = L U (section 3.4) in place, with L below U in `lu`. The pivot has the largest |re|
// + |im|; the first one wins ties. `pivots` gets the row, counted from 1, that each row was
// exchanged with. Returns 0, or the position, from 1, of the first zero on the diagonal of U.
int64_t FactorLu(WideMatrix& lu, std::vector<int64_t>& pivots);

// Solves T X = B in place of `b`, reading only the triangle T of `t` (section 3.1).
void SolveTriangular(const WideMatrix& t, bool lower, bool unit, WideMatrix& b);

// Computes A = H_1 ... H_k R in place and returns the factors tau of H = I - tau v v^H. The leading
// one of v is not stored (section 5.1; sign of beta opposite to that of the real part of alpha).
std::vector<Wide> FactorQr(WideMatrix& a);
// Returns the first `columns` columns of H_1 ... H_k.
WideMatrix ProductOfReflectors(const WideMatrix& a, const std::vector<Wide>& tau, int64_t columns);

// Computes A V = V diag(values) with ascending values (Jacobi's method, section 8.5).
void DecomposeHermitian(WideMatrix a, WideMatrix& vectors, std::vector<long double>& values);

// Computes A = U diag(values) V^H, U and V square, values descending (Jacobi, section 8.6).
void DecomposeSingular(const WideMatrix& a, WideMatrix& u, std::vector<long double>& values,
                       WideMatrix& v);

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_LAPACK_FACTORIZATIONS_H_
