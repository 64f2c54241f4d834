// SPDX-License-Identifier: Apache-2.0
#include "backends/adapters/pjrt/tiling.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "spec/ir/element_width.h"
#include "spec/ir/float_format.h"
#include "spec/ir/index_util.h"
#include "spec/ir/module.h"
#include "spec/pjrt/buffer_types.h"

namespace hlocts::backends {
namespace {

// Returns the type of a subgroup in which devices hold different values ("manual", "unreduced"); ""
// if there is none.
std::string TypeOfRest(const Sharding& sharding) {
  const auto& groups = sharding.last_tile_dims;
  const auto has = [&](Sharding::Type type) {
    return sharding.type == type || std::find(groups.begin(), groups.end(), type) != groups.end();
  };
  if (has(Sharding::Type::kUnreduced)) return "unreduced";
  return has(Sharding::Type::kManual) ? "manual" : "";
}

absl::Status AppendLeaves(const Sharding* sharding, const Shape& shape, int64_t devices,
                          std::vector<Tiling>& tilings) {
  HLOCTS_ASSIGN_OR_RETURN(std::vector<TileGrid> grids, LeafGrids(sharding, shape, devices));
  for (size_t i = 0; i < grids.size(); ++i) {
    const std::string rest =
        sharding == nullptr ? "" : TypeOfRest(LeafSharding(*sharding, static_cast<int64_t>(i)));
    if (!rest.empty()) {
      return absl::UnimplementedError(
          absl::StrCat("an argument or result that is ", rest, " has a value for each device"));
    }
    tilings.push_back({std::move(grids[i]), ""});
  }
  return absl::OkStatus();
}

// Returns true if the elements have equal bits or both are NaN.
bool SameElement(PrimitiveType type, const uint8_t* a, const uint8_t* b) {
  const size_t bytes = static_cast<size_t>(StorageBytes(type));
  if (std::memcmp(a, b, bytes) == 0) return true;
  const PrimitiveType part = ComponentType(type);
  if (!IsFloat(part)) return false;
  const size_t of_part = static_cast<size_t>(StorageBytes(part));
  const auto is_nan = [&](const uint8_t* data) {
    return IsNanBits(FormatOf(part), StoredBits(data, of_part));
  };
  for (size_t i = 0; i < bytes; i += of_part) {
    if (std::memcmp(a + i, b + i, of_part) != 0 && !(is_nan(a + i) && is_nan(b + i))) return false;
  }
  return true;
}

// Fills the tile with NaNs, huge numbers and negative numbers in turn, so that a read of the
// padding changes the result.
void FillWithPoison(Literal& tile) {
  constexpr uint8_t kBytes[] = {0xff, 0x4d, 0x7f, 0x80};
  const size_t bytes = static_cast<size_t>(StorageBytes(tile.element_type()));
  uint8_t* data = tile.mutable_raw_data();
  for (size_t i = 0; i < tile.raw_size(); ++i) data[i] = kBytes[i / bytes % std::size(kBytes)];
  if (tile.element_type() == PrimitiveType::kPred) {
    for (size_t i = 0; i < tile.raw_size(); ++i) data[i] &= 1;
  }
  pjrt::ExtendSubBytes(tile);
}

}  // namespace

std::vector<int64_t> Tiling::TileNumbers() const {
  const std::vector<int64_t> strides = RowMajorStrides(counts);
  std::vector<int64_t> numbers;
  for (const std::vector<int64_t>& index : indices) numbers.push_back(LinearIndex(index, strides));
  return numbers;
}

absl::StatusOr<Tiling> TilingOf(const Sharding& sharding, int64_t rank, int64_t devices) {
  HLOCTS_ASSIGN_OR_RETURN(TileGrid grid, TileGridOf(sharding, rank, devices));
  return Tiling{std::move(grid), TypeOfRest(sharding)};
}

absl::StatusOr<std::vector<Tiling>> ArgumentTilings(const Module& module) {
  std::vector<Tiling> tilings;
  for (const Instruction* parameter : module.entry()->parameters()) {
    HLOCTS_RETURN_IF_ERROR(
        Annotate(AppendLeaves(parameter->Get<Sharding>(Attr::kSharding), parameter->shape(),
                              module.num_partitions, tilings),
                 parameter->name()));
  }
  return tilings;
}

absl::StatusOr<std::vector<Tiling>> ResultTilings(const Module& module) {
  std::vector<Tiling> tilings;
  const Instruction& root = *module.entry()->root();
  HLOCTS_RETURN_IF_ERROR(Annotate(AppendLeaves(root.Get<Sharding>(Attr::kSharding), root.shape(),
                                               module.num_partitions, tilings),
                                  root.name()));
  return tilings;
}

absl::StatusOr<std::vector<Tiling>> LeafTilings(const Sharding& sharding, const Shape& shape,
                                                int64_t devices) {
  std::vector<Tiling> tilings;
  HLOCTS_RETURN_IF_ERROR(AppendLeaves(&sharding, shape, devices, tilings));
  return tilings;
}

Literal TileOf(const Literal& array, const Tiling& tiling, int64_t device) {
  if (IsWhole(tiling)) return array;
  Literal tile = Literal::Uninitialized(TileShape(tiling, array.shape()));
  if (tile.raw_size() == 0) return tile;
  FillWithPoison(tile);
  const int64_t bytes = StorageBytes(array.element_type());
  uint8_t* to = tile.mutable_raw_data();
  ForEachInTile(array.shape(), ShardOf(tiling, array.shape(), device),
                [&](int64_t in_tile, int64_t in_array) {
                  std::memcpy(to + in_tile * bytes, array.raw_data() + in_array * bytes,
                              static_cast<size_t>(bytes));
                });
  return tile;
}

Assembled Assemble(const std::vector<const Literal*>& tiles, const Tiling& tiling,
                   const Shape& array) {
  Assembled made{Literal(array), Literal(array)};
  if (made.array.raw_size() == 0) return made;
  const auto bytes = static_cast<size_t>(StorageBytes(array.element_type()));
  uint8_t *to = made.array.mutable_raw_data(), *other = made.other.mutable_raw_data();
  const std::vector<int64_t> numbers = tiling.TileNumbers();
  std::vector<bool> seen(numbers.size(), false);
  for (size_t device = 0; device < tiles.size(); ++device) {
    const auto number = static_cast<size_t>(numbers[device]);
    const bool is_first = !seen[number];
    seen[number] = true;
    const ShardTile tile = ShardOf(tiling, array, static_cast<int64_t>(device));
    ForEachInTile(array, tile, [&](int64_t in_tile, int64_t in_array) {
      const uint8_t* from = tiles[device]->raw_data() + static_cast<size_t>(in_tile) * bytes;
      const size_t at = static_cast<size_t>(in_array) * bytes;
      if (is_first) std::memcpy(to + at, from, bytes);
      const bool same = is_first || SameElement(array.element_type(), to + at, from);
      if (is_first || !same) std::memcpy(other + at, from, bytes);
      made.equal = made.equal && same;
    });
  }
  return made;
}

}  // namespace hlocts::backends
