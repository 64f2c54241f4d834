// SPDX-License-Identifier: Apache-2.0
// The effect of rounding on single results of a Fourier transform of 2^t points (RULES 21): the
// butterflies that a result is made of, and how large they are on this operand.
#ifndef HLOCTS_REFERENCE_JUDGE_STRUCTURED_FFT_BUTTERFLIES_H_
#define HLOCTS_REFERENCE_JUDGE_STRUCTURED_FFT_BUTTERFLIES_H_

#include <complex>
#include <vector>

#include "absl/types/span.h"

namespace hlocts::reference {

// The butterflies of transforms of n = 2^t numbers, t >= 1.
class Butterflies {
 public:
  Butterflies(size_t n, bool forward);
  // For each result of the transform of x, not scaled: the sum of the lengths of the butterflies
  // behind it, each the 2-norm of its two results.
  std::vector<double> LengthsOf(absl::Span<const std::complex<double>> x) const;

 private:
  std::vector<std::complex<double>> twiddles_;
};

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_JUDGE_STRUCTURED_FFT_BUTTERFLIES_H_
