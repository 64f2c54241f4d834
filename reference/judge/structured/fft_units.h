// SPDX-License-Identifier: Apache-2.0
// The rounding units that a fast Fourier transform of a length costs (RULES 21).
#ifndef HLOCTS_REFERENCE_JUDGE_STRUCTURED_FFT_UNITS_H_
#define HLOCTS_REFERENCE_JUDGE_STRUCTURED_FFT_UNITS_H_

#include <cstdint>
#include <vector>

#include "spec/judge/bounds.h"

namespace hlocts::reference {

struct TransformCost {
  double units = 0;    // of the 2-norm of the result
  double flushes = 0;  // numbers of the least size that flushes or underflow may lose in all
  double reach = 1;    // bound of intermediate values over the sum of magnitudes
};
// Along axes of these lengths; `level`: units of a step of two.
TransformCost CostOf(const std::vector<int64_t>& lengths, double level, const Bounds& bounds);

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_JUDGE_STRUCTURED_FFT_UNITS_H_
