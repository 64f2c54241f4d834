// SPDX-License-Identifier: Apache-2.0
#include "reference/ops/sharding_call.h"

#include <utility>

#include "reference/world_interface.h"
#include "spec/ir/sharding.h"
#include "spec/ir/tiles.h"
#include "spec/ops/custom_calls.h"
#include "spec/text/sharding_calls.h"

namespace hlocts::reference {
namespace {

Literal Together(const Instruction& call, std::vector<Literal> leaves) {
  return call.shape().IsTuple() ? Literal::Tuple(std::move(leaves)) : std::move(leaves[0]);
}

}  // namespace

absl::StatusOr<Literal> EvaluateShardToFull(const Instruction& call,
                                            absl::Span<const std::vector<Literal>> operands) {
  HLOCTS_ASSIGN_OR_RETURN(const std::vector<TileGrid> grids,
                          GridsOfCall(call, static_cast<int64_t>(operands.size())));
  const std::vector<Shape> shapes = LeafShapes(call.shape());
  std::vector<Literal> leaves;
  for (size_t k = 0; k < grids.size(); ++k) {
    std::vector<const Literal*> tiles;
    for (const std::vector<Literal>& of_device : operands) tiles.push_back(&of_device[k]);
    leaves.push_back(FullFromTiles(shapes[k], grids[k], tiles));
  }
  return Together(call, std::move(leaves));
}

absl::Status CheckAnnotation(const Instruction& call) {
  std::vector<Shape> operands;
  for (const Instruction* operand : call.operands()) operands.push_back(operand->shape());
  const Shape given = operands.size() == 1 ? operands[0] : Shape::Tuple(std::move(operands));
  const bool none = call.shape().IsTuple() && call.shape().tuple_shapes().empty();
  if (none || call.shape().CompatibleWith(given)) return absl::OkStatus();
  return InvalidInput(call.name(), ": an annotation must return its operand: expected ",
                      given.ToString(), ", found ", call.shape().ToString());
}

absl::StatusOr<Literal> EvaluateShardingCall(EvalContext& context, const Instruction& call,
                                             absl::Span<Literal> operands) {
  DeviceEnvironment* world = context.options().world;
  const ShardingCall kind = *ShardingCallOf(call);
  std::vector<Literal> leaves(operands.begin(), operands.end());
  for (const Literal& operand : operands) {
    if (operand.shape().IsTuple() && kind != ShardingCall::kAnnotation) {
      return Unsupported(call.name(), ": operands that are tuples are not supported");
    }
  }
  if (kind == ShardingCall::kAnnotation) {
    HLOCTS_RETURN_IF_ERROR(CheckAnnotation(call));
    if (call.shape().IsTuple() && call.shape().tuple_shapes().empty()) leaves.clear();
    return leaves.size() == 1 ? std::move(leaves[0]) : Literal::Tuple(std::move(leaves));
  }
  HLOCTS_RETURN_IF_ERROR(context.ReserveMemory(call.shape()));
  if (kind == ShardingCall::kShardToFull) {
    if (world != nullptr) return world->Evaluate(context, call, operands);
    return EvaluateShardToFull(call, {std::move(leaves)});
  }
  const int64_t device = world == nullptr ? 0 : world->partition_id();
  HLOCTS_ASSIGN_OR_RETURN(const std::vector<TileGrid> grids,
                          GridsOfCall(call, world == nullptr ? 1 : world->partition_count()));
  for (size_t k = 0; k < leaves.size(); ++k) leaves[k] = TileOfDevice(leaves[k], grids[k], device);
  return Together(call, std::move(leaves));
}

absl::Status CheckShardings(const Module& module) {
  const Instruction* unreduced = FirstUnreduced(module);
  if (unreduced == nullptr) return absl::OkStatus();
  return Unsupported(
      unreduced->name(),
      ": an unreduced sharding: no document defines the values of its users (ruling 0124)");
}

}  // namespace hlocts::reference
