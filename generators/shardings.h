// SPDX-License-Identifier: Apache-2.0
// Adds random sharding annotations to a module of one device, for engines that partition modules.
#pragma once

#include <string>

#include "generators/choice_source.h"
#include "spec/base/status.h"
#include "spec/ir/module_fwd.h"

namespace hlocts::generators {

// Draws a mesh of one to three axes over `devices`. For the entry's parameters and results and some
// of its instructions, draws the axes that split each dimension. One module in four may have uneven
// tiles. Sets num_partitions. Returns kUnimplemented, without a change, if the module depends on
// the device, has a schedule or aliases, or has dynamic sizes or tokens among arguments or results.
absl::Status AddShardings(ChoiceSource& choose, int64_t devices, Module& module);

// Prepares the module for `devices` devices. Its annotations must be for that number, else returns
// kInvalidArgument. A module without annotations gets random ones from `seed`.
absl::Status Shard(int64_t devices, uint64_t seed, Module& module);

}  // namespace hlocts::generators
