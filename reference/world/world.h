// SPDX-License-Identifier: Apache-2.0
// Evaluates a module on replicas x partitions, with collectives, channels, infeed and outfeed.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "reference/evaluator.h"

namespace hlocts::reference {

struct ReplicatedRunOptions {
  int64_t replicas = 1;
  int64_t partitions = 1;
  // The literals that the host feeds to each device, in order. A single list serves every device.
  std::vector<std::vector<Literal>> infeed;
};

struct ReplicatedRunResult {
  std::vector<Literal> outputs;                // by device
  std::vector<std::vector<Literal>> outfeeds;  // by device, in order
};

// Runs the entry computation on every device; device = replica * partitions + partition.
// arguments[device] has one literal per parameter of the entry computation. If `arguments` has one
// element only, every device receives it. The result does not depend on timing. Returns the errors
// of Evaluate, from the device with the lowest number that failed independently, and
//   DeadlineExceeded  a deadlock, with the waiting instructions (rulings 0077 and 0065), or infeed
//                     that is used up (ruling 0066)
//   InvalidArgument   replica groups that do not fit the number of devices
absl::StatusOr<ReplicatedRunResult> EvaluateReplicated(
    const Module& module, absl::Span<const std::vector<Literal>> arguments,
    const ReplicatedRunOptions& world, const EvalOptions& options = {});

}  // namespace hlocts::reference
