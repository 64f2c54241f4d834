// SPDX-License-Identifier: Apache-2.0
// Evaluates the sharding custom calls (ShardingCall in spec/ops/partitions.h): they cut arrays into
// tiles, assemble arrays from tiles, or only annotate.
#pragma once

#include <vector>

#include "reference/eval_context.h"

namespace hlocts::reference {

// Returns the result of a call that ends a manual region, from the operands of all partitions.
absl::StatusOr<Literal> EvaluateShardToFull(const Instruction& call,
                                            absl::Span<const std::vector<Literal>> operands);
// Returns InvalidArgument if an annotation's shape differs from its operands' (ruling 0123).
absl::Status CheckAnnotation(const Instruction& call);
absl::StatusOr<Literal> EvaluateShardingCall(EvalContext& context, const Instruction& call,
                                             absl::Span<Literal> operands);

// Returns Unimplemented for an annotation without documented meaning (ruling 0124).
absl::Status CheckShardings(const Module& module);

}  // namespace hlocts::reference
