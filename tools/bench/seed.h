// SPDX-License-Identifier: Apache-2.0
// The seed of all measured modules and arguments, so that the figures of two builds measure the
// same work.
#pragma once

#include <cstdint>

namespace hlocts::tools {

inline constexpr uint64_t kBenchSeed = 1;

}  // namespace hlocts::tools
