// SPDX-License-Identifier: Apache-2.0
// Converts sharded modules to the form that XLA's partitioners accept.
#pragma once

#include <memory>

#include "backends/adapters/pjrt/compile_options.h"
#include "backends/adapters/pjrt/tiling.h"
#include "spec/base/status.h"

namespace hlocts::backends {

// Returns true if the plugin must partition the module: it is sharded, or it has manual regions and
// runs on several partitions. Outside of manual regions every device has every array in full
// (ruling 0123).
bool NeedsPartitioner(const Module& module, int64_t partitions);

// Returns the module with every annotation in one form: `devices=[...]` for GSPMD, named axes of
// one mesh (the proto's named_sharding) for Shardy, which aborts on the other form. An annotation
// that no mesh of row-major devices can express gets a separate mesh. Returns kInvalidArgument for
// an annotation that does not fit its array or num_partitions, and kUnimplemented for an annotation
// without documented meaning (unreduced) and for manual regions with Shardy.
absl::StatusOr<std::unique_ptr<Module>> PartitionedForm(const Module& module,
                                                        Partitioner partitioner);

}  // namespace hlocts::backends
