// SPDX-License-Identifier: Apache-2.0
// Computes discrete Fourier transforms of one row, of any length, in O(n log n).
//
// Lengths with small prime factors use mixed-radix passes (Stockham's, which need no reordering);
// other lengths use Bluestein's convolution. c64 is transformed in double and c128 in long double,
// and each result is rounded once at the end. Roots of unity are computed only in the first octant,
// so that values such as 1 and i are exact.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace hlocts::reference {

// A complex number whose products skip Annex G's recovery of infinities.
template <typename Real>
struct FftNumber {
  Real re = 0, im = 0;
};

// A plan of transforms of one length. Real is double or long double.
template <typename Real>
class FftPlan {
 public:
  using Number = FftNumber<Real>;
  // Returns the plan for length n >= 1. Plans are shared between calls.
  static std::shared_ptr<const FftPlan> Of(int64_t n);

  int64_t size() const { return n_; }
  // Returns the number of scratch elements that Forward needs.
  int64_t scratch_size() const { return bluestein_ != nullptr ? 2 * bluestein_->n_ : n_; }
  // Computes data[k] = sum over j of data[j] * exp(-2 pi i j k / n) (fft.7, ruling 0061).
  void Forward(Number* data, Number* scratch) const;
  // Computes the same sum with +2 pi i. Both are unnormalised.
  void Backward(Number* data, Number* scratch) const;

 private:
  explicit FftPlan(int64_t n);
  void Pass(int64_t radix, int64_t stride, const Number* from, Number* to) const;
  void PassOfTwo(int64_t stride, const Number* from, Number* to) const;
  void PassOfFour(int64_t stride, const Number* from, Number* to) const;
  void Convolve(Number* data, Number* scratch) const;

  int64_t n_;
  std::vector<int64_t> radices_;
  std::vector<Number> roots_;  // exp(-2 pi i k / n)
  // Bluestein's algorithm: a transform of this plan's size convolves the chirp with the data.
  std::shared_ptr<const FftPlan> bluestein_;
  std::vector<Number> chirp_;           // exp(-pi i k^2 / n)
  std::vector<Number> chirp_spectrum_;  // transform of the chirp's conjugate, wrapped around
};

extern template class FftPlan<double>;
extern template class FftPlan<long double>;

}  // namespace hlocts::reference
