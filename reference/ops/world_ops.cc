// SPDX-License-Identifier: Apache-2.0
// Evaluates collectives, channels and ids on one device, alone or as a part of a World.
#include <utility>

#include "reference/ops/collective.h"
#include "reference/ops/structured.h"
#include "reference/world_interface.h"
#include "spec/ir/opcode.h"

namespace hlocts::reference {
namespace {

Literal ScalarU32(int64_t value) {
  return Literal::Scalar<uint32_t>(PrimitiveType::kU32, static_cast<uint32_t>(value));
}

}  // namespace

// Without a world every group has one member (as in all_reduce.8), and there is no host.
absl::StatusOr<Literal> EvaluateWithEnvironment(EvalContext& context,
                                                const Instruction& instruction,
                                                absl::Span<Literal> operands) {
  if (DeviceEnvironment* world = context.options().world)
    return world->Evaluate(context, instruction, operands);
  if (!IsCollective(instruction.opcode())) {
    return Unsupported(instruction.name(), ": ", OpcodeName(instruction.opcode()),
                       " needs a host or another device, found none");
  }
  const DeviceGrid grid;
  HLOCTS_ASSIGN_OR_RETURN(const std::vector<int64_t> devices, GroupOf(instruction, grid, 0));
  if (devices.empty()) return Literal(instruction.shape());
  const std::vector<std::vector<Literal>> all = {{operands.begin(), operands.end()}};
  return EvaluateCollectiveAtRendezvous(context, instruction, {grid, devices, all, 0});
}

// Returns the result from the value of a *-start instruction.
absl::StatusOr<Literal> EvaluateCollectiveDone(EvalContext& context, const Instruction& instruction,
                                               absl::Span<Literal> operands) {
  if (instruction.opcode() == Opcode::kAllReduceDone) return std::move(operands[0]);
  return operands[0].elements()[1];
}

// replica_id.1-5: returns the number of this replica, in [0, N).
absl::StatusOr<Literal> EvaluateReplicaId(EvalContext& context, const Instruction& instruction,
                                          absl::Span<Literal> operands) {
  const DeviceEnvironment* world = context.options().world;
  return ScalarU32(world == nullptr ? 0 : world->replica_id());
}

absl::StatusOr<Literal> EvaluatePartitionId(EvalContext& context, const Instruction& instruction,
                                            absl::Span<Literal> operands) {
  const DeviceEnvironment* world = context.options().world;
  return ScalarU32(world == nullptr ? 0 : world->partition_id());
}

}  // namespace hlocts::reference
