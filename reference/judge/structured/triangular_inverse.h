// SPDX-License-Identifier: Apache-2.0
// How far a triangular solve may stray whose engine inverts diagonal blocks and multiplies by them
// (kBlockInverse).
//
// Lemma. Let T be triangular, X = T^-1, and x what an engine returns for T x = b that cut T into
// any diagonal blocks, inverted each by substitution (by columns: |T X' - I| <= g |T||X'|, or by
// rows: |X' T - I| <= g |X'||T|) and took x_k = X'_k s_k of what earlier blocks leave of b, every
// sum of n terms in any order, g = (n+1) u to first order. With v = |b| + |T||x| and K = |X||T|
//   |b - T x| <= g v + 2 g |T| (I - 2 g K)^-1 |X| v.
// Proof. A block of X is the inverse of that block of T, and |s_k| <= (1 + g) v_k, so blocks are
// covered by the whole. By columns T X' = I + F, and x = X' s + d with |d| <= g |X'||s|: the
// residual is F s + T d, at most 2 g |T||X'||s|, where |X'| <= |X| + g K |X'| gives |X'| <=
// (I - g K)^-1 |X|. By rows X' = (I + G) X with |G| <= g |X'||T| and X s = (I + G)^-1 (x - d), so
// the residual is T G (I + G)^-1 (x - d) + T d; with k = g K, |G|(I - |G|)^-1 <= k (I - 2k)^-1, and
// the three terms |T| [g (I - 2k)^-1 + g (I - 2k)^-1 k (I - k)^-1 + g (I - k)^-1] |X| v have the
// coefficients 2^j + (2^j - 1) + 1 at k^j, which is 2 g |T| (I - 2k)^-1 |X| v. K is triangular with
// ones on its diagonal, so (I - 2k)^-1 exists and is not negative where 2 g < 1.
// (Higham, Accuracy and Stability, 8.1, 14.2, has the inversions.) X computed in f64 obeys the same
// inequality: |X| <= (I - k)^-1 |X'|, so 3 g instead of 2 g covers it; `bound` >= 2 g, of which
// twice is taken.
#ifndef HLOCTS_REFERENCE_JUDGE_STRUCTURED_TRIANGULAR_INVERSE_H_
#define HLOCTS_REFERENCE_JUDGE_STRUCTURED_TRIANGULAR_INVERSE_H_

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
  // `t`: the triangle by rows, zeros elsewhere and none on the diagonal; `bound`: relative, of the
  // rule.
  TriangularInverse(int64_t n, const std::vector<Complex>& t, bool lower, double bound);

  // False if `bound` is useless: rounding alone may be as large as the matrix.
  bool bounded() const { return bounded_; }
  // Returns true if an element of the inverse, or a partial result on the way to it, may reach
  // `most`.
  bool MayReach(double most) const;
  // bound |T| Y v with Y = (I - 2 bound K)^-1 |X|: what inversion adds to a residual.
  std::vector<double> Residual(const std::vector<double>& v) const;
  // The solution's share of a residual r: |X| r.
  std::vector<double> Forward(const std::vector<double>& r) const { return inverse_.Times(r); }
  // |T| v.
  std::vector<double> Rows(const std::vector<double>& v) const { return matrix_.Times(v); }
  // Y v: how large a product of the inverse with the right side may be.
  std::vector<double> Product(const std::vector<double>& v) const { return grown_.Times(v); }

 private:
  double bound_;
  bool bounded_;
  Magnitudes matrix_, inverse_, grown_;  // |T|, |X|, Y
};

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_JUDGE_STRUCTURED_TRIANGULAR_INVERSE_H_
