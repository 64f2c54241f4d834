// SPDX-License-Identifier: Apache-2.0
// Integer division by a positive divisor, rounded down or up.
#pragma once

#include <cstdint>

namespace hlocts::kernels {

inline int64_t FloorDiv(int64_t a, int64_t b) { return a / b - (a % b < 0); }
inline int64_t CeilDiv(int64_t a, int64_t b) { return -FloorDiv(-a, b); }

}  // namespace hlocts::kernels
