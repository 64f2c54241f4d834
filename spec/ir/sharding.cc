// SPDX-License-Identifier: Apache-2.0
#include "spec/ir/sharding.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "spec/ir/index_util.h"
#include "spec/ir/instruction.h"
#include "spec/ir/module.h"
#include "spec/ir/replica_groups.h"

namespace hlocts {
namespace {

using Type = Sharding::Type;

std::vector<int64_t> DevicesOf(const Sharding& sharding) {
  return sharding.iota_reshape_dims.empty()
             ? sharding.tile_assignment_devices
             : ExpandIota(sharding.iota_reshape_dims, sharding.iota_transpose_permutation)
                   .value_or(std::vector<int64_t>());
}

TileGrid WholeOnEachDevice(int64_t rank, int64_t devices) {
  return {std::vector<int64_t>(rank, 1),
          std::vector<std::vector<int64_t>>(devices, std::vector<int64_t>(rank, 0))};
}

std::vector<int64_t> MeshSizes(const Mesh& mesh) {
  std::vector<int64_t> sizes;
  for (const MeshAxis& axis : mesh.axes) sizes.push_back(axis.size);
  return sizes;
}

int64_t CountOf(absl::Span<const AxisPart> parts) {
  int64_t count = 1;
  for (const AxisPart& part : parts) count *= part.size;
  return count;
}

// Returns the index of the tile at mesh position `place`. `parts` define the tiles, major first.
int64_t IndexOf(absl::Span<const AxisPart> parts, const Mesh& mesh,
                absl::Span<const int64_t> place) {
  int64_t index = 0;
  for (const AxisPart& part : parts) {
    const int64_t rest = mesh.axes[part.axis].size / (part.pre * part.size);
    index = index * part.size + place[part.axis] / rest % part.size;
  }
  return index;
}

absl::StatusOr<int64_t> DevicesOf(const Mesh& mesh) {
  int64_t devices = 1;
  for (const MeshAxis& axis : mesh.axes) {
    if (axis.size < 1) return InvalidInput("sharding: axis \"", axis.name, "\" has no devices");
    if (axis.size > kMeshDevicesMax || (devices *= axis.size) > kMeshDevicesMax) {
      return InvalidInput("sharding: expected at most ", kMeshDevicesMax, " devices in a mesh");
    }
  }
  return devices;
}

absl::Status CheckParts(const NamedSharding& named) {
  HLOCTS_ASSIGN_OR_RETURN(const int64_t devices, DevicesOf(named.mesh));
  std::vector<AxisPart> all = named.manual;
  all.insert(all.end(), named.unreduced.begin(), named.unreduced.end());
  for (const auto& dimension : named.dimensions) {
    all.insert(all.end(), dimension.begin(), dimension.end());
  }
  for (size_t i = 0; i < all.size(); ++i) {
    const AxisPart& part = all[i];
    if (part.axis < 0 || part.axis >= static_cast<int64_t>(named.mesh.axes.size())) {
      return InvalidInput("sharding: expected an axis of the mesh, found number ", part.axis);
    }
    const MeshAxis& axis = named.mesh.axes[part.axis];
    if (part.pre < 1 || part.size < 1 || part.pre > axis.size || part.size > axis.size ||
        axis.size % (part.pre * part.size) != 0) {
      return InvalidInput("sharding: expected a part of axis \"", axis.name, "\" of size ",
                          axis.size, ", found (", part.pre, ")", part.size);
    }
    for (size_t j = 0; j < i; ++j) {
      const bool apart = all[j].axis != part.axis || all[j].pre * all[j].size <= part.pre ||
                         part.pre * part.size <= all[j].pre;
      if (!apart) return InvalidInput("sharding: axis \"", axis.name, "\" is used twice");
    }
  }
  if (!named.mesh.axes.empty() && !named.mesh.devices.empty() &&
      (static_cast<int64_t>(named.mesh.devices.size()) != devices ||
       !IsPermutation(named.mesh.devices))) {
    return InvalidInput("sharding: expected a mesh that has each of ", devices, " devices once");
  }
  return absl::OkStatus();
}

int64_t DeviceAt(const Mesh& mesh, int64_t place) {
  return mesh.devices.empty() ? place : mesh.devices[place];
}

}  // namespace

absl::Status CheckTiles(const Sharding& sharding, int64_t rank, int64_t devices) {
  if (sharding.type == Type::kTuple) {
    return InvalidInput("sharding: expected the sharding of one array, found that of a tuple");
  }
  if (sharding.type != Type::kOther) return absl::OkStatus();
  const std::vector<int64_t>& tiles = sharding.tile_assignment_dimensions;
  if (tiles.empty() && !sharding.raw_text.empty()) {
    return Unsupported("sharding: this form is not supported: ", sharding.raw_text);
  }
  const std::vector<int64_t> all = DevicesOf(sharding);
  const size_t groups = sharding.replicate_on_last_tile_dim ? 1 : sharding.last_tile_dims.size();
  const bool complete =
      static_cast<int64_t>(all.size()) == devices && DeviceProduct(tiles) == devices;
  if (tiles.size() != static_cast<size_t>(rank) + groups || !complete || !IsPermutation(all)) {
    return InvalidInput("sharding: expected a tile assignment of ", rank, " dimensions and ",
                        groups, " subgroups that has each of ", devices, " devices once, found ",
                        tiles.size(), " dimensions and ", all.size(), " devices");
  }
  return absl::OkStatus();
}

absl::StatusOr<TileGrid> TileGridOf(const Sharding& sharding, int64_t rank, int64_t devices) {
  HLOCTS_RETURN_IF_ERROR(CheckTiles(sharding, rank, devices));
  TileGrid grid = WholeOnEachDevice(rank, devices);
  if (sharding.type != Type::kOther) return grid;
  const std::vector<int64_t>& tiles = sharding.tile_assignment_dimensions;
  const std::vector<int64_t> all = DevicesOf(sharding);
  std::copy(tiles.begin(), tiles.begin() + rank, grid.counts.begin());
  for (size_t i = 0; i < all.size(); ++i) {
    const std::vector<int64_t> index = MultiIndex(static_cast<int64_t>(i), tiles);
    std::copy(index.begin(), index.begin() + rank, grid.indices[all[i]].begin());
  }
  return grid;
}

ShardTile ShardOf(const TileGrid& grid, const Shape& array, int64_t device) {
  ShardTile tile;
  for (int64_t d = 0; d < array.rank(); ++d) {
    const int64_t size = array.dimension(d), count = grid.counts[d];
    const int64_t each = (size + count - 1) / count;
    tile.offsets.push_back(std::min(size, grid.indices[device][d] * each));
    tile.sizes.push_back(each);
    tile.valid.push_back(std::min(each, size - tile.offsets.back()));
  }
  return tile;
}

int64_t DeviceCountOf(const Sharding& sharding) {
  if (sharding.type == Type::kOther) {
    return std::max<int64_t>(1, DeviceProduct(sharding.tile_assignment_dimensions));
  }
  int64_t most = 1;
  for (const Sharding& leaf : sharding.tuple_shardings) most = std::max(most, DeviceCountOf(leaf));
  return most;
}

const Sharding& LeafSharding(const Sharding& sharding, int64_t leaf) {
  if (sharding.type != Type::kTuple) return sharding;
  static const Sharding* replicated = new Sharding();
  const auto& all = sharding.tuple_shardings;
  return leaf < static_cast<int64_t>(all.size()) ? all[leaf] : *replicated;
}

bool IsUneven(const Sharding& sharding, const Shape& array) {
  const std::vector<int64_t>& tiles = sharding.tile_assignment_dimensions;
  if (sharding.type != Type::kOther || !array.IsArray()) return false;
  for (int64_t d = 0; d < std::min<int64_t>(array.rank(), tiles.size()); ++d) {
    if (tiles[d] > 0 && array.dimension(d) % tiles[d] != 0) return true;
  }
  return false;
}

bool IsUnreduced(const Sharding& sharding) {
  const auto& groups = sharding.last_tile_dims;
  return sharding.type == Type::kUnreduced ||
         std::find(groups.begin(), groups.end(), Type::kUnreduced) != groups.end() ||
         std::any_of(sharding.tuple_shardings.begin(), sharding.tuple_shardings.end(), IsUnreduced);
}

absl::Status LowerNamedSharding(const NamedSharding& named, Sharding* sharding) {
  HLOCTS_RETURN_IF_ERROR(CheckParts(named));
  const Mesh& mesh = named.mesh;
  const std::vector<int64_t> sizes = MeshSizes(mesh);
  sharding->type = Type::kOther;
  if (mesh.axes.empty()) {
    sharding->type = mesh.devices.empty() ? Type::kReplicated : Type::kMaximal;
    sharding->tile_assignment_devices = mesh.devices;
    return absl::OkStatus();
  }
  // A sharding without dimensions has one kind for the whole array.
  const int64_t everything = DeviceProduct(sizes);
  if (named.dimensions.empty()) {
    sharding->type = CountOf(named.manual) == everything      ? Type::kManual
                     : CountOf(named.unreduced) == everything ? Type::kUnreduced
                                                              : Type::kReplicated;
    if (sharding->type != Type::kReplicated || named.manual.size() + named.unreduced.size() == 0) {
      return absl::OkStatus();
    }
    sharding->type = Type::kOther;
  }
  std::vector<std::vector<AxisPart>> all = named.dimensions;
  std::vector<int64_t>& tiles = sharding->tile_assignment_dimensions;
  const auto add_group = [&](const std::vector<AxisPart>& parts, Type type) {
    if (CountOf(parts) == 1) return;
    all.push_back(parts);
    sharding->last_tile_dims.push_back(type);
  };
  add_group(named.manual, Type::kManual);
  add_group(named.unreduced, Type::kUnreduced);
  for (const auto& parts : all) tiles.push_back(CountOf(parts));
  const int64_t cut = DeviceProduct(tiles), replicas = everything / cut;
  const std::vector<int64_t> strides = RowMajorStrides(tiles);
  std::vector<int64_t>& devices = sharding->tile_assignment_devices;
  devices.assign(cut * replicas, 0);
  std::vector<int64_t> found(cut, 0);
  int64_t place_number = 0;
  ForEachIndex(sizes, [&](absl::Span<const int64_t> place) {
    int64_t tile = 0;
    for (size_t d = 0; d < all.size(); ++d) tile += IndexOf(all[d], mesh, place) * strides[d];
    devices[tile * replicas + found[tile]++] = DeviceAt(mesh, place_number++);
  });
  if (replicas > 1) {
    tiles.push_back(replicas);
    if (sharding->last_tile_dims.empty()) {
      sharding->replicate_on_last_tile_dim = true;
    } else {
      sharding->last_tile_dims.push_back(Type::kReplicated);
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<TileGrid> TileGridOf(const NamedSharding& named, absl::Span<const int64_t> only) {
  HLOCTS_RETURN_IF_ERROR(CheckParts(named));
  const std::vector<int64_t> sizes = MeshSizes(named.mesh);
  const int64_t rank = static_cast<int64_t>(named.dimensions.size());
  if (sizes.empty()) return WholeOnEachDevice(rank, 1);  // like a single device
  TileGrid grid = WholeOnEachDevice(rank, DeviceProduct(sizes));
  for (int64_t d = 0; d < rank; ++d) {
    std::vector<AxisPart> parts;
    for (const AxisPart& part : named.dimensions[d]) {
      if (std::find(only.begin(), only.end(), part.axis) != only.end()) parts.push_back(part);
    }
    grid.counts[d] = CountOf(parts);
    int64_t place_number = 0;
    ForEachIndex(sizes, [&](absl::Span<const int64_t> place) {
      grid.indices[DeviceAt(named.mesh, place_number++)][d] = IndexOf(parts, named.mesh, place);
    });
  }
  return grid;
}

namespace {

template <typename Asked>
const Instruction* FirstThat(const Module& module, Asked&& asked) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (asked(*instruction)) return instruction.get();
    }
  }
  return nullptr;
}

}  // namespace

const Instruction* FirstUnreduced(const Module& module) {
  return FirstThat(module, [](const Instruction& instruction) {
    const Sharding* sharding = instruction.Get<Sharding>(Attr::kSharding);
    if (sharding != nullptr && IsUnreduced(*sharding)) return true;
    const StringMap* attributes = instruction.Get<StringMap>(Attr::kFrontendAttributes);
    if (attributes == nullptr) return false;
    return std::any_of(attributes->entries.begin(), attributes->entries.end(), [](const auto& one) {
      return absl::StartsWith(one.first, "xla.sdy.") && absl::StrContains(one.second, "unreduced=");
    });
  });
}

const Instruction* FirstUneven(const Module& module) {
  return FirstThat(module, [](const Instruction& instruction) {
    const Sharding* sharding = instruction.Get<Sharding>(Attr::kSharding);
    if (sharding == nullptr) return false;
    const std::vector<Shape> leaves = LeafShapes(instruction.shape());
    for (size_t i = 0; i < leaves.size(); ++i) {
      if (IsUneven(LeafSharding(*sharding, static_cast<int64_t>(i)), leaves[i])) return true;
    }
    return false;
  });
}

}  // namespace hlocts
