// SPDX-License-Identifier: Apache-2.0
#include "backends/adapters/pjrt/partitioned_form.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>

#include "absl/strings/str_cat.h"
#include "spec/ir/index_util.h"
#include "spec/ir/module.h"
#include "spec/ops/custom_calls.h"
#include "spec/ops/partitions.h"
#include "spec/proto/hlo.pb.h"

namespace hlocts::backends {
namespace {

using Dimensions = std::vector<int64_t>;

// The mesh axes along which each dimension of an array is split. Meshes number devices row-major.
using Axes = std::vector<Dimensions>;

// Returns all factorizations of `devices` into at most six factors above 1, most factors first.
std::vector<Dimensions> Meshes(int64_t devices) {
  constexpr size_t kAxesMax = 6;
  std::vector<Dimensions> meshes;
  std::function<void(int64_t, Dimensions)> split = [&](int64_t rest, Dimensions sizes) {
    if (rest == 1) return meshes.push_back(std::move(sizes));
    for (int64_t size = 2; size <= rest; ++size) {
      if (rest % size != 0 || sizes.size() == kAxesMax) continue;
      sizes.push_back(size);
      split(rest / size, sizes);
      sizes.pop_back();
    }
  };
  split(devices, {});
  std::stable_sort(meshes.begin(), meshes.end(),
                   [](const auto& a, const auto& b) { return a.size() > b.size(); });
  return meshes;
}

// Returns the tile number of each device if each dimension d is split along axes[d].
Dimensions TilesOf(const Dimensions& mesh, const Axes& axes) {
  Dimensions tiles;
  ForEachIndex(mesh, [&](auto index) {
    int64_t tile = 0;
    for (const Dimensions& of_dimension : axes) {
      for (const int64_t axis : of_dimension) tile = tile * mesh[axis] + index[axis];
    }
    tiles.push_back(tile);
  });
  return tiles;
}

std::optional<Axes> AxesOf(const Tiling& tiling, const Dimensions& mesh) {
  Axes axes(tiling.counts.size());
  const Dimensions numbers = tiling.TileNumbers();
  std::vector<bool> used(mesh.size(), false);
  // Chooses mesh axes for dimension d and all later dimensions. The sizes of the axes that are
  // still to be chosen for d must have the product `left`.
  std::function<bool(size_t, int64_t)> find = [&](size_t d, int64_t left) {
    if (left == 1) {
      if (d + 1 < axes.size()) return find(d + 1, tiling.counts[d + 1]);
      return TilesOf(mesh, axes) == numbers;
    }
    for (size_t axis = 0; axis < mesh.size(); ++axis) {
      if (used[axis] || left % mesh[axis] != 0) continue;
      used[axis] = true;
      axes[d].push_back(static_cast<int64_t>(axis));
      if (find(d, left / mesh[axis])) return true;
      axes[d].pop_back();
      used[axis] = false;
    }
    return false;
  };
  if (axes.empty() || find(0, tiling.counts[0])) return axes;
  return std::nullopt;
}

proto::NamedShardingProto Named(const Dimensions& mesh, const Dimensions& device_ids,
                                const Axes& axes) {
  proto::NamedShardingProto named;
  for (size_t axis = 0; axis < mesh.size(); ++axis) {
    auto* added = named.mutable_mesh()->add_axes();
    added->set_name(absl::StrCat("a", axis));
    added->set_size(mesh[axis]);
  }
  for (const int64_t device : device_ids) named.mutable_mesh()->add_device_ids(device);
  for (const Dimensions& of_dimension : axes) {
    auto* dimension = named.add_dim_shardings();
    dimension->set_is_closed(true);
    for (const int64_t axis : of_dimension) dimension->add_axes()->set_mesh_axis_index(axis);
  }
  return named;
}

// Returns the devices sorted by tile number.
Dimensions DevicesByTile(const Tiling& tiling) {
  const Dimensions numbers = tiling.TileNumbers();
  Dimensions order(numbers.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return numbers[a] < numbers[b]; });
  return order;
}

// Returns a separate mesh for one annotation, with an axis for each split dimension and one for the
// copies of a tile.
proto::NamedShardingProto NamedByDevices(const Tiling& tiling) {
  Dimensions mesh;
  Axes axes;
  int64_t copies = static_cast<int64_t>(tiling.indices.size());
  for (const int64_t count : tiling.counts) {
    axes.emplace_back();
    if (count == 1) continue;
    axes.back().push_back(static_cast<int64_t>(mesh.size()));
    mesh.push_back(count);
    copies /= count;
  }
  if (copies > 1) mesh.push_back(copies);
  return Named(mesh, DevicesByTile(tiling), axes);
}

Sharding ByDevices(const Tiling& tiling) {
  Sharding sharding;
  Dimensions order = DevicesByTile(tiling);
  int64_t tiles = 1;
  for (const int64_t count : tiling.counts) tiles *= count;
  if (tiles == 1) return sharding;  // replicated
  sharding.type = Sharding::Type::kOther;
  sharding.tile_assignment_dimensions = tiling.counts;
  sharding.replicate_on_last_tile_dim = tiles < static_cast<int64_t>(order.size());
  if (sharding.replicate_on_last_tile_dim)
    sharding.tile_assignment_dimensions.push_back(static_cast<int64_t>(order.size()) / tiles);
  sharding.tile_assignment_devices = std::move(order);
  return sharding;
}

// Converts annotations to the form of a partitioner.
class Former {
 public:
  Former(const Module& module, Partitioner partitioner)
      : devices_(module.num_partitions), partitioner_(partitioner) {}

  // Chooses the mesh that can express most annotations and, among equals, has most axes.
  void ChooseMesh(const std::vector<Tiling>& tilings) {
    int64_t most = -1;
    for (const Dimensions& mesh : Meshes(devices_)) {
      const auto had = std::count_if(tilings.begin(), tilings.end(), [&](const Tiling& tiling) {
        return AxesOf(tiling, mesh).has_value();
      });
      if (had <= most) continue;
      most = had;
      mesh_ = mesh;
    }
  }

  absl::StatusOr<Tiling> Read(const Sharding& sharding, int64_t rank) const {
    HLOCTS_ASSIGN_OR_RETURN(Tiling tiling, TilingOf(sharding, rank, devices_));
    if (tiling.type_of_rest == "unreduced") {
      return absl::UnimplementedError("an unreduced sharding: no document defines its values");
    }
    return tiling;
  }

  absl::StatusOr<Sharding> Form(const Sharding& given, int64_t rank) const {
    HLOCTS_ASSIGN_OR_RETURN(const Tiling tiling, Read(given, rank));
    const bool placed = given.type == Sharding::Type::kMaximal;
    const bool is_manual = !tiling.type_of_rest.empty();
    if (is_manual && given.raw_text.empty()) return given;
    if (is_manual) return absl::UnimplementedError("expected no manual axes in a named sharding");
    if (partitioner_ == Partitioner::kGspmd) {
      if (placed || given.raw_text.empty()) return given;
      Sharding sharding = ByDevices(tiling);
      CopyGroup(given, sharding);
      return sharding;
    }
    proto::OpSharding named;
    if (placed) {  // one device is a mesh without axes
      *named.mutable_named_sharding() = Named({}, given.tile_assignment_devices, {});
    } else {
      const std::optional<Axes> axes = AxesOf(tiling, mesh_);
      *named.mutable_named_sharding() = axes ? Named(mesh_, {}, *axes) : NamedByDevices(tiling);
    }
    Sharding sharding;
    sharding.type = Sharding::Type::kOther;
    sharding.unknown_fields = named.SerializeAsString();
    CopyGroup(given, sharding);
    return sharding;
  }

 private:
  static void CopyGroup(const Sharding& from, Sharding& to) {
    to.is_shard_group = from.is_shard_group;
    to.shard_as = from.shard_as;
    to.shard_group_id = from.shard_group_id;
  }

  int64_t devices_;
  Partitioner partitioner_;
  Dimensions mesh_;
};

int64_t RankOf(const Shape& shape) { return shape.IsArray() ? shape.rank() : 0; }

// Calls `visit` with each annotation of a single array and the rank of that array.
template <typename Visit>
absl::Status ForEachLeaf(Instruction& instruction, Sharding& sharding, Visit&& visit) {
  const std::vector<Shape> leaves = LeafShapes(instruction.shape());
  if (sharding.type != Sharding::Type::kTuple) {
    // A single annotation on a tuple applies to each leaf.
    return visit(sharding, leaves.empty() ? 0 : RankOf(leaves[0]));
  }
  if (leaves.size() != sharding.tuple_shardings.size()) {
    return InvalidInput(instruction.name(), ": expected a sharding of ", leaves.size(),
                        " leaves, found ", sharding.tuple_shardings.size());
  }
  for (size_t i = 0; i < leaves.size(); ++i)
    HLOCTS_RETURN_IF_ERROR(visit(sharding.tuple_shardings[i], RankOf(leaves[i])));
  return absl::OkStatus();
}

template <typename Visit>
absl::Status ForEachSharding(Module& module, Visit&& visit) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      const auto* found = instruction->Get<Sharding>(Attr::kSharding);
      if (found == nullptr) continue;
      Sharding sharding = *found;
      HLOCTS_RETURN_IF_ERROR(
          Annotate(ForEachLeaf(*instruction, sharding, visit), instruction->name()));
      instruction->Set(Attr::kSharding, std::move(sharding));
    }
  }
  return absl::OkStatus();
}

// Annotates an array without annotation as replicated; otherwise a partitioner could shard it.
void AnnotateWhole(Instruction& instruction) {
  if (instruction.Has(Attr::kSharding)) return;
  Sharding whole;
  const std::vector<Shape> leaves = LeafShapes(instruction.shape());
  if (instruction.shape().IsTuple()) {
    whole.type = Sharding::Type::kTuple;
    whole.tuple_shardings.resize(leaves.size());
  }
  if (!leaves.empty()) instruction.Set(Attr::kSharding, std::move(whole));
}

bool HasManualRegion(const Module& module) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (ShardingCallOf(*instruction) == ShardingCall::kFullToShard) return true;
    }
  }
  return false;
}

}  // namespace

bool NeedsPartitioner(const Module& module, int64_t partitions) {
  return IsSharded(module) || (partitions > 1 && HasManualRegion(module));
}

absl::StatusOr<std::unique_ptr<Module>> PartitionedForm(const Module& module,
                                                        Partitioner partitioner) {
  if (partitioner == Partitioner::kShardy && HasManualRegion(module))
    return absl::UnimplementedError("manual regions are supported by GSPMD only");
  std::unique_ptr<Module> formed = module.Clone();
  // GSPMD would split unannotated parameters as a manual region does, but they are passed in full.
  if (partitioner == Partitioner::kShardy || HasManualRegion(module)) {
    for (Instruction* parameter : formed->entry()->parameters()) AnnotateWhole(*parameter);
    AnnotateWhole(*formed->entry()->root());
  }
  Former former(module, partitioner);
  std::vector<Tiling> tilings;
  HLOCTS_RETURN_IF_ERROR(ForEachSharding(*formed, [&](Sharding& sharding, int64_t rank) {
    auto tiling = former.Read(sharding, rank);
    if (tiling.ok()) tilings.push_back(*std::move(tiling));
    return tiling.status();
  }));
  former.ChooseMesh(tilings);
  HLOCTS_RETURN_IF_ERROR(ForEachSharding(*formed, [&](Sharding& sharding, int64_t rank) {
    auto form = former.Form(sharding, rank);
    if (form.ok()) sharding = *std::move(form);
    return form.status();
  }));
  return formed;
}

}  // namespace hlocts::backends
