// SPDX-License-Identifier: Apache-2.0
#include "spec/text/sharding_calls.h"

#include <algorithm>

#include "spec/ir/module.h"
#include "spec/ops/custom_calls.h"
#include "spec/text/named_sharding.h"

namespace hlocts {
namespace {

const std::string* FrontendAttribute(const StringMap* attributes, absl::string_view name) {
  if (attributes == nullptr) return nullptr;
  for (const auto& [key, value] : attributes->entries) {
    if (key == name) return &value;
  }
  return nullptr;
}

// A manual region of Shardy: its leaves' shardings, and the mesh axes over which it is manual.
struct ShardyRegion {
  std::vector<NamedSharding> leaves;
  std::vector<std::string> manual_axes;
};

absl::StatusOr<std::optional<ShardyRegion>> ShardyRegionOf(const Instruction& call) {
  const StringMap* own = call.Get<StringMap>(Attr::kFrontendAttributes);
  const bool entering = ShardingCallOf(call) == ShardingCall::kFullToShard;
  const std::string* shardings =
      FrontendAttribute(own, entering ? "xla.sdy.in_shardings" : "xla.sdy.out_shardings");
  if (shardings == nullptr) return std::nullopt;
  ShardyRegion region;
  MeshTable meshes;
  const Module* module = call.parent() == nullptr ? nullptr : call.parent()->parent();
  const std::string* table =
      module == nullptr ? nullptr
                        : FrontendAttribute(&module->frontend_attributes, "xla.sdy.meshes");
  if (table != nullptr) {
    HLOCTS_ASSIGN_OR_RETURN(meshes, ParseMeshTable(*table));
  }
  HLOCTS_ASSIGN_OR_RETURN(region.leaves, ParseShardyShardings(*shardings, meshes));
  if (const std::string* axes = FrontendAttribute(own, "xla.sdy.manual_axes")) {
    HLOCTS_ASSIGN_OR_RETURN(region.manual_axes, ParseManualAxes(*axes));
  }
  return region;
}

std::vector<int64_t> NumbersOf(const std::vector<std::string>& names, const Mesh& mesh) {
  std::vector<int64_t> numbers;
  for (size_t axis = 0; axis < mesh.axes.size(); ++axis) {
    if (std::find(names.begin(), names.end(), mesh.axes[axis].name) != names.end()) {
      numbers.push_back(static_cast<int64_t>(axis));
    }
  }
  return numbers;
}

const Sharding* AnnotationOf(const Instruction& call, size_t leaf) {
  const bool entering = ShardingCallOf(call) == ShardingCall::kFullToShard;
  if (entering && leaf >= call.operands().size()) return nullptr;
  const Instruction& full = entering ? call.operand(static_cast<int64_t>(leaf)) : call;
  const Sharding* sharding = full.Get<Sharding>(Attr::kSharding);
  return sharding == nullptr ? nullptr
                             : &LeafSharding(*sharding, entering ? 0 : static_cast<int64_t>(leaf));
}

struct CallShapes {
  std::vector<Shape> full, shard;  // leaves
};
CallShapes ShapesOf(const Instruction& call) {
  std::vector<Shape> given;
  for (const Instruction* operand : call.operands()) {
    for (Shape& leaf : LeafShapes(operand->shape())) given.push_back(std::move(leaf));
  }
  std::vector<Shape> made = LeafShapes(call.shape());
  const bool entering = ShardingCallOf(call) == ShardingCall::kFullToShard;
  return entering ? CallShapes{std::move(given), std::move(made)}
                  : CallShapes{std::move(made), std::move(given)};
}

// Checks that `shard` is a tile of `full`. A dimension of equal size in both is not split.
absl::Status Fit(const Instruction& call, const Shape& full, const Shape& shard, bool named,
                 TileGrid& grid) {
  bool fits = full.rank() == shard.rank() &&
              grid.counts.size() == static_cast<size_t>(full.rank()) &&
              full.element_type() == shard.element_type();
  for (int64_t d = 0; fits && d < full.rank(); ++d) {
    if (!named && full.dimension(d) == shard.dimension(d)) {
      grid.counts[d] = 1;
      for (std::vector<int64_t>& index : grid.indices) index[d] = 0;
    }
    const int64_t count = grid.counts[d];
    fits = shard.dimension(d) == (full.dimension(d) + count - 1) / count;
  }
  if (fits) return absl::OkStatus();
  return InvalidInput(call.name(), ": ", shard.ToString(false), " is not a tile of ",
                      full.ToString(false), " under its sharding");
}

}  // namespace

absl::StatusOr<std::vector<TileGrid>> GridsOfCall(const Instruction& call, int64_t partitions) {
  HLOCTS_ASSIGN_OR_RETURN(const std::optional<ShardyRegion> shardy, ShardyRegionOf(call));
  const CallShapes shapes = ShapesOf(call);
  if (shapes.full.size() != shapes.shard.size() ||
      (shardy.has_value() && shardy->leaves.size() != shapes.full.size())) {
    return InvalidInput(call.name(), ": expected a sharding and a result for each operand");
  }
  std::vector<TileGrid> grids;
  for (size_t k = 0; k < shapes.full.size(); ++k) {
    if (shardy.has_value()) {
      const NamedSharding& leaf = shardy->leaves[k];
      HLOCTS_ASSIGN_OR_RETURN(grids.emplace_back(),
                              TileGridOf(leaf, NumbersOf(shardy->manual_axes, leaf.mesh)));
    } else {
      const Sharding* sharding = AnnotationOf(call, k);
      if (sharding == nullptr) {
        return Unsupported(call.name(), ": no sharding defines the part of each device");
      }
      HLOCTS_ASSIGN_OR_RETURN(
          grids.emplace_back(),
          TileGridOf(
              *sharding, shapes.full[k].rank(),
              sharding->type == Sharding::Type::kOther ? DeviceCountOf(*sharding) : partitions));
    }
    if (static_cast<int64_t>(grids[k].indices.size()) != partitions) {
      return InvalidInput(call.name(), ": expected a manual region over ", partitions,
                          " devices (num_partitions), found ", grids[k].indices.size());
    }
    HLOCTS_RETURN_IF_ERROR(
        Fit(call, shapes.full[k], shapes.shard[k], shardy.has_value(), grids[k]));
  }
  return grids;
}

int64_t PartitionsOfManualRegions(const Module& module) {
  int64_t most = 1;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      const std::optional<ShardingCall> call = ShardingCallOf(*instruction);
      if (!call.has_value() || *call == ShardingCall::kAnnotation) continue;
      if (const Sharding* sharding = AnnotationOf(*instruction, 0)) {
        most = std::max(most, DeviceCountOf(*sharding));
      }
      auto shardy = ShardyRegionOf(*instruction);
      if (!shardy.ok() || !shardy->has_value()) continue;
      for (const NamedSharding& leaf : (*shardy)->leaves) {
        auto grid = TileGridOf(leaf, {});
        if (grid.ok()) most = std::max<int64_t>(most, grid->indices.size());
      }
    }
  }
  return most;
}

}  // namespace hlocts
