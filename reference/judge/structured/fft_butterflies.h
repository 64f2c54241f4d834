// SPDX-License-Identifier: Apache-2.0
// Bounds the effect of rounding on single results of a Fourier transform of 2^t points (lemma 21),
// from the sizes of the butterflies that each result is computed from.
#pragma once

#include <complex>
#include <vector>

#include "absl/types/span.h"

namespace hlocts::reference {

// The butterflies of transforms of n = 2^t numbers, t >= 1.
class Butterflies {
 public:
  Butterflies(size_t n, bool forward);
  // Returns for each result of the unscaled transform of x the sum of the lengths of its
  // butterflies. The length of a butterfly is the 2-norm of its two results.
  std::vector<double> LengthsOf(absl::Span<const std::complex<double>> x) const;

 private:
  std::vector<std::complex<double>> twiddles_;
};

}  // namespace hlocts::reference
