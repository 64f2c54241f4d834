// SPDX-License-Identifier: Apache-2.0
#include "reference/ops/sharding_call.h"

#include <cstring>
#include <utility>

#include "reference/world_interface.h"
#include "spec/ir/index_util.h"
#include "spec/text/sharding_calls.h"

namespace hlocts::reference {
namespace {

// copy(position in the tile, position in the array) for each element of the tile that exists.
template <typename Copy>
void ForEachInTile(const Shape& full, const ShardTile& tile, Copy&& copy) {
  const std::vector<int64_t> inside = RowMajorStrides(tile.sizes),
                             outside = RowMajorStrides(full.dimensions());
  const int64_t start = LinearIndex(tile.offsets, outside);
  ForEachIndex(tile.valid, [&](absl::Span<const int64_t> index) {
    copy(LinearIndex(index, inside), start + LinearIndex(index, outside));
  });
}

Literal Together(const Instruction& call, std::vector<Literal> leaves) {
  return call.shape().IsTuple() ? Literal::Tuple(std::move(leaves)) : std::move(leaves[0]);
}

}  // namespace

Literal TileOfDevice(const Literal& full, const TileGrid& grid, int64_t device) {
  const ShardTile tile = ShardOf(grid, full.shape(), device);
  Literal result(Shape(full.element_type(), tile.sizes));
  const int width = StorageBytes(full.element_type());
  uint8_t* out = result.mutable_raw_data();
  ForEachInTile(full.shape(), tile, [&](int64_t to, int64_t from) {
    std::memcpy(out + to * width, full.raw_data() + from * width, width);
  });
  return result;
}

Literal FullFromTiles(const Shape& full, const TileGrid& grid,
                      absl::Span<const Literal* const> tiles) {
  Literal result(Shape(full.element_type(), full.dimensions()));
  const int width = StorageBytes(full.element_type());
  uint8_t* out = result.mutable_raw_data();
  for (size_t device = tiles.size(); device-- > 0;) {
    const uint8_t* in = tiles[device]->raw_data();
    ForEachInTile(
        full, ShardOf(grid, full, static_cast<int64_t>(device)),
        [&](int64_t from, int64_t to) { std::memcpy(out + to * width, in + from * width, width); });
  }
  return result;
}

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

absl::StatusOr<Literal> EvaluateShardingCall(EvalContext& context, const Instruction& call,
                                             absl::Span<Literal> operands) {
  World* world = context.options().world;
  const ShardingCall kind = *ShardingCallOf(call);
  std::vector<Literal> leaves(operands.begin(), operands.end());
  for (const Literal& operand : operands) {
    if (operand.shape().IsTuple() && kind != ShardingCall::kAnnotation) {
      return Unsupported(call.name(), ": an operand that is a tuple");
    }
  }
  if (kind == ShardingCall::kAnnotation) {
    if (operands.size() == 1 && !call.shape().CompatibleWith(operands[0].shape())) leaves.clear();
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
      ": a sharding that is unreduced: no document says what its readers see (ruling "
      "0124)");
}

}  // namespace hlocts::reference
