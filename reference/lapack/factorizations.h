// SPDX-License-Identifier: Apache-2.0
// The factorizations that LAPACK's routines name, by their textbook algorithms (Golub and Van Loan,
// Matrix Computations, 4th ed.), in wide arithmetic. Finite matrices only.
#ifndef HLOCTS_REFERENCE_LAPACK_FACTORIZATIONS_H_
#define HLOCTS_REFERENCE_LAPACK_FACTORIZATIONS_H_

#include <vector>

#include "reference/lapack/wide_matrix.h"

namespace hlocts::reference {

// The Hermitian matrix that the lower or upper triangle of `a` gives.
WideMatrix HermitianFrom(const WideMatrix& a, bool lower);

// Lower L with A = L L^H (section 4.2). The result is 0, or the order of the first leading minor
// that is not positive; `l` is then unfinished.
int64_t FactorCholesky(const WideMatrix& a, WideMatrix& l);

// P A = L U with the largest of |re| + |im| as the pivot, the first of equals (section 3.4): L
// below U in `lu`. `pivots`: the row, from 1, that each row was exchanged with. The result is 0 or
// the place, from 1, of the first zero on the diagonal of U.
int64_t FactorLu(WideMatrix& lu, std::vector<int64_t>& pivots);

// Solves T X = B in place of `b`, T triangular; other elements of `t` are not read (section 3.1).
void SolveTriangular(const WideMatrix& t, bool lower, bool unit, WideMatrix& b);

// A = H_1 ... H_k R with reflectors H = I - tau v v^H whose v has a leading one that is not stored
// (section 5.1; the sign of beta is opposite to that of the real part of alpha). In place of `a`.
std::vector<Wide> FactorQr(WideMatrix& a);
// The first `columns` columns of H_1 ... H_k.
WideMatrix ProductOfReflectors(const WideMatrix& a, const std::vector<Wide>& tau, int64_t columns);

// A V = V diag(values), values ascending (Jacobi's method, section 8.5).
void DecomposeHermitian(WideMatrix a, WideMatrix& vectors, std::vector<long double>& values);

// A = U diag(values) V^H with square U and V, values descending (one-sided Jacobi, section 8.6).
void DecomposeSingular(const WideMatrix& a, WideMatrix& u, std::vector<long double>& values,
                       WideMatrix& v);

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_LAPACK_FACTORIZATIONS_H_
