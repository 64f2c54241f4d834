// SPDX-License-Identifier: Apache-2.0
// Limits and seeds of a run by an engine, the evaluator or the walk over sets. The options of each
// derive from it, so that it can be passed on as a whole.
#ifndef HLOCTS_SPEC_BASE_RUN_SETTINGS_H_
#define HLOCTS_SPEC_BASE_RUN_SETTINGS_H_

#include <cstdint>

namespace hlocts {

struct RunSettings {
  // Loop trips of all while instructions in total, nested loops included (ruling 0016).
  int64_t steps_max = 10'000'000;
  // Bytes of literals alive at one time, excluding the arguments.
  int64_t memory_bytes_max = int64_t{8} << 30;
  uint64_t rng_seed = 0;
};

}  // namespace hlocts

#endif  // HLOCTS_SPEC_BASE_RUN_SETTINGS_H_
