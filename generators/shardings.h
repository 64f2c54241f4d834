// SPDX-License-Identifier: Apache-2.0
// Adds random shardings to a single-device module, for engines that partition modules.
#pragma once

#include "generators/choice_source.h"
#include "spec/base/status.h"
#include "spec/ir/module_fwd.h"

namespace hlocts::generators {

// Draws a mesh of one to three axes over `devices`. For parameters and results of the entry and for
// some instructions, draws the axes that split each dimension. One module in four may have uneven
// tiles. Sets num_partitions. Returns kUnimplemented, and changes nothing, if the module depends on
// the device, has a schedule or aliases, or dynamic sizes or tokens in arguments or results.
absl::Status AddShardings(ChoiceSource& choose, int64_t devices, Module& module);

// Prepares the module for `devices` devices. Adds random annotations drawn from `seed` to a module
// that has none. Returns kInvalidArgument if it has annotations for another number of devices.
absl::Status Shard(int64_t devices, uint64_t seed, Module& module);

}  // namespace hlocts::generators
