// SPDX-License-Identifier: Apache-2.0
// Declares the rounding units of fast Fourier transforms, by length (lemma 21).
#pragma once

#include <cstdint>
#include <vector>

#include "spec/judge/bounds.h"

namespace hlocts::reference {

struct TransformCost {
  double units = 0;    // of the 2-norm of the result
  double flushes = 0;  // loss by flushes and underflow, in units of the least (normal) number
  double reach = 1;    // bound of intermediate values, relative to the sum of magnitudes
};
// Returns the cost along axes of these lengths. `level` is the units of a step of length two.
TransformCost CostOf(const std::vector<int64_t>& lengths, double level, const Bounds& bounds);

}  // namespace hlocts::reference
