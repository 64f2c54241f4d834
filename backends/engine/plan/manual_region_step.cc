// SPDX-License-Identifier: Apache-2.0
// The steps that enter and leave a manual region (ruling 0123). On entry, a device copies its tiles
// of whole arrays. On exit, the partitions of a replica assemble the whole arrays from their tiles.
#include "backends/engine/plan/dynamic_sizes.h"
#include "backends/engine/plan/shared_steps.h"
#include "spec/ir/index_util.h"
#include "spec/text/sharding_calls.h"

namespace hlocts::plan {
namespace {

struct RegionEnd {
  std::vector<TileGrid> grids;           // indexed by leaf
  std::vector<ArrayType> wholes, tiles;  // indexed by leaf

  // Returns the tile of leaf k in a partition. Sets `start` to the byte offset of its first element
  // in the whole array.
  ShardTile TileOf(size_t k, int64_t partition, int64_t* start) const {
    ShardTile tile = ShardOf(grids[k], ShapeOf(wholes[k]), partition);
    *start = LinearIndex(tile.offsets, RowMajorStrides(wholes[k].dimensions)) * wholes[k].width();
    return tile;
  }
};

SharedStep TakeTiles(RegionEnd end) {
  return [end = std::move(end)](const Member& member, In in, Out out) {
    ZeroArrays(end.tiles, out);
    for (size_t k = 0; k < end.grids.size(); ++k) {
      int64_t start = 0;
      const ShardTile tile = end.TileOf(k, member.partition, &start);
      CopyCorner(tile.valid, end.wholes[k].dimensions, tile.sizes, end.wholes[k].width(),
                 in[k] + start, out[k]);
    }
    return absl::OkStatus();
  };
}

// Assembles arrays. If several partitions have the same tile, that of the first partition is used.
SharedStep JoinTiles(RegionEnd end, const std::string& name) {
  const std::string site = absl::StrCat("the end of a region at ", name);
  return [=, end = std::move(end)](const Member& member, In in, Out out) {
    const int64_t partitions = member.world->partitions();
    std::vector<int64_t> group;
    for (int64_t p = 0; p < partitions; ++p) group.push_back(member.replica * partitions + p);
    return member.world->JoinRendezvous(
        member.device, site, group, name, in, [&](Operands all, size_t) {
          for (size_t k = 0; k < end.grids.size(); ++k) {
            for (int64_t p = partitions; p-- > 0;) {
              int64_t start = 0;
              const ShardTile tile = end.TileOf(k, p, &start);
              CopyCorner(tile.valid, tile.sizes, end.wholes[k].dimensions, end.wholes[k].width(),
                         all[p][k], out[k] + start);
            }
          }
          return absl::OkStatus();
        });
  };
}

}  // namespace

absl::StatusOr<SharedStep> ManualRegionStep(const Graph& graph, const Node& node, bool enters) {
  const Instruction& call = *node.source;
  // The call belongs to no module if it was rewritten for run-time sizes (CutFor).
  if (call.parent() == nullptr)
    return Unsupported(call.name(), ": a manual region with run-time sizes is not supported");
  RegionEnd end;
  HLOCTS_ASSIGN_OR_RETURN(end.grids, GridsOfCall(call, call.parent()->parent()->num_partitions));
  end.wholes = enters ? OperandTypes(graph, node) : ResultTypes(graph, node);
  end.tiles = enters ? ResultTypes(graph, node) : OperandTypes(graph, node);
  return enters ? TakeTiles(std::move(end)) : JoinTiles(std::move(end), call.name());
}

}  // namespace hlocts::plan
