// SPDX-License-Identifier: Apache-2.0
// Shrinking how a module that engines partition is spread over devices.
#ifndef HLOCTS_FUZZ_SHRINK_SHRINK_SHARDINGS_H_
#define HLOCTS_FUZZ_SHRINK_SHRINK_SHARDINGS_H_

#include "fuzz/shrink/shrinker.h"

namespace hlocts::fuzz {

// No partitions at all; else fewer annotations, and fewer tiles in those that stay.
bool DropShardings(Sample& sample, const StillFails& still_fails);
bool FewerDevices(Sample& sample, const StillFails& still_fails);
// Makes `kept` the root instead of `root`, or of its element, with the sharding of that.
void KeepSharding(const Instruction& root, int64_t element, Instruction* kept);

}  // namespace hlocts::fuzz

#endif  // HLOCTS_FUZZ_SHRINK_SHRINK_SHARDINGS_H_
