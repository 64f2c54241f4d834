// SPDX-License-Identifier: Apache-2.0
// Bounds the error of a triangular solve if the engine inverts diagonal blocks and multiplies by
// them (kBlockInverse).
//
// Lemma. Let T be triangular, X = T^-1, and x an engine's result for T x = b. The engine divides T
// into any diagonal blocks and inverts each by substitution (by columns: |T X' - I| <= g |T||X'|,
// or by rows: |X' T - I| <= g |X'||T|). It computes x_k = X'_k s_k, where s_k is b minus the part
// of earlier blocks, with sums of n terms in any order. To first order g = (n+1) u, where u is the
// unit of rounding. With v = |b| + |T||x| and K = |X||T|
//   |b - T x| <= g v + 2 g |T| (I - 2 g K)^-1 |X| v.
// Proof. A block of X is the inverse of that block of T, and |s_k| <= (1 + g) v_k, so it suffices
// to consider whole matrices. By columns T X' = I + F, and x = X' s + d with |d| <= g |X'||s|. The
// residual is F s + T d, at most 2 g |T||X'||s|, where |X'| <= |X| + g K |X'| yields |X'| <= (I - g
// K)^-1 |X|. By rows X' = (I + G) X with |G| <= g |X'||T|, and X s = (I + G)^-1 (x - d), so the
// residual is T G (I + G)^-1 (x - d) + T d. With k = g K, |G|(I - |G|)^-1 <= k (I - 2k)^-1, and the
// three terms |T| [g (I - 2k)^-1 + g (I - 2k)^-1 k (I - k)^-1 + g (I - k)^-1] |X| v have the
// coefficients 2^j + (2^j - 1) + 1 at k^j, which is 2 g |T| (I - 2k)^-1 |X| v. K is triangular with
// ones on its diagonal, so (I - 2k)^-1 exists and is not negative if 2 g < 1. (Higham, Accuracy and
// Stability, 8.1, 14.2, has the inversions.) X computed in f64 satisfies this too: |X| <= (I -
// k)^-1 |X'|, so 3 g instead of 2 g covers it. The code uses twice `bound` >= 2 g.
#pragma once

#include <cstdint>
#include <vector>

#include "reference/judge/joint/joint_numbers.h"

namespace hlocts::reference {

// A square matrix by rows.
struct Magnitudes {
  int64_t n = 0;
  std::vector<double> at;

  std::vector<double> Times(const std::vector<double>& x) const;
  Magnitudes Times(const Magnitudes& other) const;
};

class TriangularInverse {
 public:
  // `t` contains the triangle by rows, zeros in the other triangle, and no zero on the diagonal.
  // `bound` is the relative error that the rule permits.
  TriangularInverse(int64_t n, const std::vector<Complex>& t, bool lower, double bound);

  // Returns false if `bound` is useless because rounding errors may be as large as the matrix.
  bool bounded() const { return bounded_; }
  // Returns true if an element or an intermediate result of the inversion may reach `most`.
  bool MayReach(double most) const;
  // Returns bound |T| Y v with Y = (I - 2 bound K)^-1 |X|: the residual that inversion adds.
  std::vector<double> Residual(const std::vector<double>& v) const;
  // Returns |X| r, a bound of the solution's error due to a residual r.
  std::vector<double> Forward(const std::vector<double>& r) const { return inverse_.Times(r); }
  // Returns |T| v.
  std::vector<double> Rows(const std::vector<double>& v) const { return matrix_.Times(v); }
  // Returns Y v, a bound of the product of the inverse with the right side.
  std::vector<double> Product(const std::vector<double>& v) const { return grown_.Times(v); }

 private:
  double bound_;
  bool bounded_;
  Magnitudes matrix_, inverse_, grown_;  // |T|, |X|, Y
};

}  // namespace hlocts::reference
