// SPDX-License-Identifier: Apache-2.0
// Random annotations on a module of one device, for engines that partition.
#ifndef HLOCTS_GENERATORS_SHARDINGS_H_
#define HLOCTS_GENERATORS_SHARDINGS_H_

#include <string>

#include "generators/choice_source.h"
#include "spec/base/status.h"
#include "spec/ir/module_fwd.h"

namespace hlocts::generators {

// A mesh of one to three axes over `devices`, and on parameters, results and some instructions of
// the entry which axes split which dimension; what no axis splits is replicated. In one module of
// four tiles may be uneven. num_partitions becomes `devices`. kUnimplemented, and the module as it
// was: a program of each device, or one with aliases, dynamic sizes or tokens at its boundary.
absl::Status AddShardings(ChoiceSource& choose, int64_t devices, Module& module);

// The module on that many devices: num_partitions of one with annotations, which must be of as many
// (kInvalidArgument otherwise), else random annotations out of `seed`.
absl::Status Shard(int64_t devices, uint64_t seed, Module& module);

}  // namespace hlocts::generators

#endif  // HLOCTS_GENERATORS_SHARDINGS_H_
