// SPDX-License-Identifier: Apache-2.0
// Adds random sharding annotations to a module of one device, for engines that partition modules.
#pragma once

#include <string>

#include "generators/choice_source.h"
#include "spec/base/status.h"
#include "spec/ir/module_fwd.h"

namespace hlocts::generators {

// Draws a mesh of one to three axes over `devices`, and the axes that split each dimension of the
// entry's parameters, its results and some of its instructions; one module in four may have uneven
// tiles. Sets num_partitions. Returns kUnimplemented, without a change, for modules that depend on
// the device or have a schedule, aliases, or dynamic sizes or tokens among arguments or results.
absl::Status AddShardings(ChoiceSource& choose, int64_t devices, Module& module);

// Prepares the module for that many devices. Annotations in the module must be for that number
// (else kInvalidArgument); a module without any gets random ones from `seed`.
absl::Status Shard(int64_t devices, uint64_t seed, Module& module);

}  // namespace hlocts::generators
