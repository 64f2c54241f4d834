// SPDX-License-Identifier: Apache-2.0
// Computes the factorizations of LAPACK's routines with their textbook algorithms (Golub and Van
// Loan, Matrix Computations, 4th ed.), in wide arithmetic. Matrices must be finite.
#pragma once

#include <vector>

#include "reference/lapack/wide_matrix.h"
#include "spec/ops/custom_calls.h"

namespace hlocts::reference {

// Returns the matrix of gtsv. The first of `below` and the last of `above` are not read.
WideMatrix TridiagonalMatrix(const WideMatrix& below, const WideMatrix& diagonal,
                             const WideMatrix& above);
// Returns the Hermitian matrix that the lower or upper triangle of `a` defines.
WideMatrix HermitianFrom(const WideMatrix& a, bool lower);

// Computes the lower L with A = L L^H (section 4.2). Returns 0, or the order of the first leading
// minor that is not positive; `l` is incomplete then.
int64_t FactorCholesky(const WideMatrix& a, WideMatrix& l);

// Computes P A = L U (section 3.4) in place, with L below U in `lu`. The pivot is the first element
// with the largest |re| + |im|. Stores in `pivots` the row, from 1, with which each row was
// exchanged. Returns 0, or the position, from 1, of the first zero on the diagonal of U.
int64_t FactorLu(WideMatrix& lu, std::vector<int64_t>& pivots);

// Solves A X = B in place of `b`, given the result of FactorLu for a square A.
void SolveFactored(const WideMatrix& lu, const std::vector<int64_t>& pivots, WideMatrix& b);
// Returns A^-1, or an empty matrix if A is singular.
WideMatrix Inverse(WideMatrix a);

// Solves T X = B in place of `b`, reading only the triangle T of `t` (section 3.1).
void SolveTriangular(const WideMatrix& t, bool lower, bool unit, WideMatrix& b);

// Computes A = H_1 ... H_k R in place and returns the factors tau of H = I - tau v v^H. The leading
// 1 of v is not stored (section 5.1; sign of beta opposite to that of the real part of alpha). With
// `pivots`, a row, the columns are exchanged for A P = Q R (section 5.4.2), and `pivots` gets their
// positions from 1. Columns with a nonzero entry of `pivots` at the call come first.
std::vector<Wide> FactorQr(WideMatrix& a, WideMatrix* pivots = nullptr);
// Computes H_1 ... H_k C, or its adjoint H_k^H ... H_1^H C.
WideMatrix ApplyReflectors(const WideMatrix& a, const std::vector<Wide>& tau, bool adjoint,
                           WideMatrix c);
// Returns the first `columns` columns of H_1 ... H_k.
WideMatrix ProductOfReflectors(const WideMatrix& a, const std::vector<Wide>& tau, int64_t columns);

// Computes A = Q H Q^H in place, where H is zero below its first subdiagonal, and returns the
// factors tau of the reflectors, which are below H (section 7.4.3). If A is Hermitian, H is
// tridiagonal and real.
std::vector<Wide> FactorHessenberg(WideMatrix& a);
// Returns the Q of FactorHessenberg.
WideMatrix HessenbergVectors(const WideMatrix& packed, const std::vector<Wide>& tau);

// Computes A = Z T Z^H with T upper triangular by shifted QR steps (section 7.5). `t` is A on
// entry. If `real`, A is real, and T has blocks of two rows [a, b; c, a] with b c < 0. Returns 0,
// or the number of rows that did not converge.
int64_t DecomposeSchur(WideMatrix& t, bool real, WideMatrix& z);
// Returns the eigenvalues of T as a row; a block of two rows has a pair of conjugates.
WideMatrix DiagonalEigenvalues(const WideMatrix& t);
// Computes the eigenvalues of A (as a row) and its left and right unit eigenvectors (as columns).
// If `real`, a pair of conjugates is adjacent, the one with positive imaginary part first.
int64_t DecomposeEigen(const WideMatrix& a, bool real, WideMatrix& values, WideMatrix& left,
                       WideMatrix& right);

// Returns op(Q) C or C op(Q) as ormqr does (LapackCall). Q is the product of the reflectors.
WideMatrix ApplyQ(const LapackCall& call, const WideMatrix& a, const WideMatrix& tau,
                  const WideMatrix& c);

// Computes A V = V diag(values) with ascending values (Jacobi's method, section 8.5).
void DecomposeHermitian(WideMatrix a, WideMatrix& vectors, std::vector<long double>& values);

// Computes A = U diag(values) V^H, U and V square, values descending (Jacobi, section 8.6).
void DecomposeSingular(const WideMatrix& a, WideMatrix& u, std::vector<long double>& values,
                       WideMatrix& v);

}  // namespace hlocts::reference
