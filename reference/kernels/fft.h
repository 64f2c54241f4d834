// SPDX-License-Identifier: Apache-2.0
// Discrete Fourier transforms of one line, of any length, in O(n log n).
//
// Lengths whose prime factors are small are done by mixed-radix passes (Stockham's, so that the
// result comes out in order), others by Bluestein's convolution. c64 is transformed in double, c128
// in long double, and rounded once at the end. The roots of unity are computed from the first
// octant only, so that 1, i and their like are exact.
#ifndef HLOCTS_REFERENCE_KERNELS_FFT_H_
#define HLOCTS_REFERENCE_KERNELS_FFT_H_

#include <cstdint>
#include <memory>
#include <vector>

namespace hlocts::reference {

// std::complex multiplies with Annex G's recovery of infinities, which a transform has no use for.
template <typename Real>
struct FftNumber {
  Real re = 0, im = 0;
};

// Real is double or long double.
template <typename Real>
class FftPlan {
 public:
  using Number = FftNumber<Real>;
  // n >= 1. Plans are shared between calls.
  static std::shared_ptr<const FftPlan> Of(int64_t n);

  int64_t size() const { return n_; }
  // Elements of scratch space that Forward needs.
  int64_t scratch_size() const { return bluestein_ != nullptr ? 2 * bluestein_->n_ : n_; }
  // data[k] = sum over j of data[j] * exp(-2 pi i j k / n), unnormalised (fft.7, ruling 0061).
  void Forward(Number* data, Number* scratch) const;
  // The same with +2 pi i, also unnormalised.
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
  // Bluestein: a transform of this plan's size convolves the chirp with the data.
  std::shared_ptr<const FftPlan> bluestein_;
  std::vector<Number> chirp_;           // exp(-pi i k^2 / n)
  std::vector<Number> chirp_spectrum_;  // of its conjugate, wrapped round
};

extern template class FftPlan<double>;
extern template class FftPlan<long double>;

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_KERNELS_FFT_H_
