// SPDX-License-Identifier: Apache-2.0
// Declares the world outside one device as its evaluator sees it: other replicas and partitions,
// infeed and outfeed, channels. reference/world implements it for replicas x partitions. Without a
// world, a module runs on a single device.
#pragma once

#include <cstdint>

#include "absl/types/span.h"
#include "reference/eval_context.h"
#include "spec/base/status.h"
#include "spec/ir/literal.h"
#include "spec/ir/module_fwd.h"

namespace hlocts::reference {

class DeviceEnvironment {
 public:
  virtual ~DeviceEnvironment() = default;
  virtual int64_t replica_id() const = 0;
  virtual int64_t partition_id() const = 0;
  virtual int64_t partition_count() const = 0;
  // Evaluates a collective, the end of a manual region, or an infeed, outfeed, send or recv
  // instruction of this device. Blocks until the participating devices arrive; a deadlock is an
  // error status that names the waiting instructions.
  virtual absl::StatusOr<Literal> Evaluate(EvalContext& context, const Instruction& instruction,
                                           absl::Span<Literal> operands) = 0;
};

}  // namespace hlocts::reference
