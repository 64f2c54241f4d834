// SPDX-License-Identifier: Apache-2.0
// Computes the sets of sharding calls, which move elements, by tracing element numbers.

#include "reference/judge/interpreter/handlers.h"
#include "reference/ops/sharding_call.h"
#include "spec/ir/tiles.h"
#include "spec/ops/custom_calls.h"
#include "spec/text/sharding_calls.h"

namespace hlocts::reference {
namespace {

SetValue JointSizes(const Instruction& call, std::vector<SetValue> leaves) {
  return call.shape().IsTuple() ? SetValue::Tuple(std::move(leaves)) : std::move(leaves[0]);
}

SetValue Annotated(const Instruction& call, const std::vector<SetValue>& operands) {
  if (operands.size() == 1 && operands[0].tuple == call.shape().IsTuple()) return operands[0];
  return SetValue::Tuple(operands.size() == 1 ? std::vector<SetValue>() : operands);
}

// Returns leaf `k` of a device's result. Element numbers start at 1; 0 is the zero of padding.
SetValue LeafOf(const Instruction& call, const std::vector<std::vector<SetValue>>& operands,
                const Shape& shape, const TileGrid& grid, size_t k, int64_t partition,
                uint32_t origin) {
  const bool whole = ShardingCallOf(call) == ShardingCall::kShardToFull;
  const SetArray zero((Literal(Shape::Scalar(shape.element_type()))));
  std::vector<const SetArray*> sources = {&zero};
  std::vector<Literal> numbers;
  std::vector<const Literal*> tiles;
  int64_t next = 1;
  for (const std::vector<SetValue>& of_device : operands) {
    numbers.push_back(ElementNumbers(of_device[k].array, next));
    sources.push_back(&of_device[k].array);
    next += of_device[k].array.element_count();
  }
  for (const Literal& of_device : numbers) tiles.push_back(&of_device);
  const Shape numbered = shape.WithElementType(PrimitiveType::kS64);
  return SetValue(PickElements(whole ? FullFromTiles(numbered, grid, tiles)
                                     : TileOfDevice(numbers[partition], grid, partition),
                               shape, sources, origin));
}

}  // namespace

absl::StatusOr<std::vector<SetValue>> ShardingCallSets(
    SetInterpreter& interpreter, const Instruction& call,
    const std::vector<std::vector<SetValue>>& operands, const std::vector<int64_t>& devices) {
  std::vector<SetValue> results;
  if (ShardingCallOf(call) == ShardingCall::kAnnotation) {
    HLOCTS_RETURN_IF_ERROR(CheckAnnotation(call));
    for (const auto& of_device : operands) results.push_back(Annotated(call, of_device));
    return results;
  }
  const int64_t partitions = interpreter.options().partitions;
  if (static_cast<int64_t>(devices.size()) != interpreter.device_count()) {
    return Unsupported(call.name(), ": only some devices reach this end of a manual region");
  }
  HLOCTS_ASSIGN_OR_RETURN(const std::vector<TileGrid> grids, GridsOfCall(call, partitions));
  const std::vector<Shape> shapes = LeafShapes(call.shape());
  for (size_t d = 0; d < devices.size(); ++d) {
    const auto replica = operands.begin() + static_cast<int64_t>(d) / partitions * partitions;
    const std::vector<std::vector<SetValue>> together(replica, replica + partitions);
    std::vector<SetValue> leaves;
    for (size_t k = 0; k < grids.size(); ++k) {
      if (!operands[d][k].IsArray() || operands[d][k].array.runtime_sizes.size() > 0) {
        return Unsupported(call.name(), ": expected operands that are arrays of static sizes");
      }
      const uint32_t origin =
          interpreter.OriginOf(call, interpreter.RuleOf(call.opcode(), shapes[k].element_type()));
      leaves.push_back(LeafOf(call, together, shapes[k], grids[k], k,
                              static_cast<int64_t>(d) % partitions, origin));
    }
    results.push_back(JointSizes(call, std::move(leaves)));
  }
  return results;
}

}  // namespace hlocts::reference
