// SPDX-License-Identifier: Apache-2.0
// Shrinks the shardings of a module for engines that partition it.
#pragma once

#include "fuzz/shrink/shrinker.h"

namespace hlocts::fuzz {

// Removes all shardings or, if the failure needs some, removes or simplifies single annotations.
bool DropShardings(Sample& sample, const StillFails& still_fails);
bool FewerDevices(Sample& sample, const StillFails& still_fails);
// Copies the sharding of the old root, or of its element `element`, to the new root `kept`.
void KeepSharding(const Instruction& root, int64_t element, Instruction* kept);

}  // namespace hlocts::fuzz
