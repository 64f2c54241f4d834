// SPDX-License-Identifier: Apache-2.0
// Limits and seeds of a run by an engine or the evaluator, on values or on sets of values. The
// options of each kind of run derive from RunSettings, so one assignment copies these settings.
#pragma once

#include <cstdint>

namespace hlocts {

struct RunSettings {
  // The maximum number of trips of all while instructions together, nested ones too (ruling 0016).
  int64_t steps_max = 10'000'000;
  // The maximum number of bytes of literals alive at one time, excluding the arguments.
  int64_t memory_bytes_max = int64_t{8} << 30;
  uint64_t rng_seed = 0;
};

}  // namespace hlocts
