// SPDX-License-Identifier: Apache-2.0
#include "backends/adapters/pjrt/tiling.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "spec/ir/float_format.h"
#include "spec/ir/index_util.h"
#include "spec/ir/module.h"
#include "spec/pjrt/buffer_types.h"

namespace hlocts::backends {
namespace {

using Dimensions = std::vector<int64_t>;

Tiling Whole(int64_t rank, int64_t devices) {
  return {{Dimensions(rank, 1), std::vector<Dimensions>(devices, Dimensions(rank, 0))}, ""};
}

bool HasSubgroup(const Sharding& sharding, Sharding::Type type) {
  const auto& groups = sharding.last_tile_dims;
  return sharding.type == type || std::find(groups.begin(), groups.end(), type) != groups.end();
}

absl::Status AppendLeaves(const Sharding* sharding, const Shape& shape, int64_t devices,
                          std::vector<Tiling>& tilings) {
  if (shape.IsTuple()) {
    const std::vector<Shape>& elements = shape.tuple_shapes();
    const bool tuple = sharding != nullptr && sharding->type == Sharding::Type::kTuple;
    // The annotation of a tuple lists its leaves depth first.
    const std::vector<Shape> leaves = LeafShapes(shape);
    if (tuple && sharding->tuple_shardings.size() != leaves.size()) {
      return InvalidInput("sharding of a tuple of ", leaves.size(), " leaves: found ",
                          sharding->tuple_shardings.size());
    }
    for (size_t i = 0; i < (tuple ? leaves.size() : elements.size()); ++i) {
      HLOCTS_RETURN_IF_ERROR(AppendLeaves(tuple ? &sharding->tuple_shardings[i] : sharding,
                                          tuple ? leaves[i] : elements[i], devices, tilings));
    }
    return absl::OkStatus();
  }
  const int64_t rank = shape.IsArray() ? shape.rank() : 0;
  if (sharding == nullptr) {
    tilings.push_back(Whole(rank, devices));
    return absl::OkStatus();
  }
  HLOCTS_ASSIGN_OR_RETURN(Tiling tiling, TilingOf(*sharding, rank, devices));
  if (!tiling.type_of_rest.empty()) {
    return absl::UnimplementedError(absl::StrCat("an argument or result that is ",
                                                 tiling.type_of_rest, " has a value per device"));
  }
  tilings.push_back(std::move(tiling));
  return absl::OkStatus();
}

// Calls `visit(in_array, in_tile)` with the byte offsets of each element of the tile that is in the
// array.
template <typename Visit>
void VisitCommon(const ShardTile& tile, const Shape& array, Visit&& visit) {
  const int64_t bytes = StorageBytes(array.element_type());
  const Dimensions of_tile = RowMajorStrides(tile.sizes, bytes);
  const Dimensions of_array = RowMajorStrides(array.dimensions(), bytes);
  const int64_t begin = LinearIndex(tile.offsets, of_array);
  ForEachIndex(tile.valid, [&](auto index) {
    visit(begin + LinearIndex(index, of_array), LinearIndex(index, of_tile));
  });
}

// Returns true for equal bits or two NaNs.
bool SameElement(PrimitiveType type, const uint8_t* a, const uint8_t* b) {
  const size_t bytes = static_cast<size_t>(StorageBytes(type));
  if (std::memcmp(a, b, bytes) == 0) return true;
  const PrimitiveType part = ComponentType(type);
  if (!IsFloat(part)) return false;
  const size_t of_part = static_cast<size_t>(StorageBytes(part));
  const auto is_nan = [&](const uint8_t* data) {
    uint64_t bits = 0;
    std::memcpy(&bits, data, of_part);
    return IsNanBits(FormatOf(part), bits);
  };
  for (size_t i = 0; i < bytes; i += of_part) {
    if (std::memcmp(a + i, b + i, of_part) != 0 && !(is_nan(a + i) && is_nan(b + i))) return false;
  }
  return true;
}

// Fills the tile with NaNs, huge and negative numbers in turn, so that a read of the padding is
// visible.
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

Shape Tiling::TileShape(const Shape& array) const {
  Dimensions dimensions = array.dimensions();
  for (size_t d = 0; d < dimensions.size(); ++d)
    dimensions[d] = (dimensions[d] + counts[d] - 1) / counts[d];
  return Shape(array.element_type(), std::move(dimensions)).WithDefaultLayout();
}

std::vector<int64_t> Tiling::TileNumbers() const {
  const Dimensions strides = RowMajorStrides(counts);
  Dimensions numbers;
  for (const Dimensions& index : indices) numbers.push_back(LinearIndex(index, strides));
  return numbers;
}

absl::StatusOr<Tiling> TilingOf(const Sharding& sharding, int64_t rank, int64_t devices) {
  HLOCTS_ASSIGN_OR_RETURN(TileGrid grid, TileGridOf(sharding, rank, devices));
  Tiling tiling{std::move(grid), ""};
  if (HasSubgroup(sharding, Sharding::Type::kManual)) tiling.type_of_rest = "manual";
  if (HasSubgroup(sharding, Sharding::Type::kUnreduced)) tiling.type_of_rest = "unreduced";
  return tiling;
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
  const Shape shape = tiling.TileShape(array.shape());
  if (std::all_of(tiling.counts.begin(), tiling.counts.end(), [](int64_t n) { return n == 1; }))
    return array;
  Literal tile = Literal::Uninitialized(shape);
  if (tile.raw_size() == 0) return tile;
  FillWithPoison(tile);
  const size_t bytes = static_cast<size_t>(StorageBytes(array.element_type()));
  uint8_t* to = tile.mutable_raw_data();
  VisitCommon(ShardOf(tiling, array.shape(), device), array.shape(),
              [&](int64_t in_array, int64_t in_tile) {
                std::memcpy(to + in_tile, array.raw_data() + in_array, bytes);
              });
  return tile;
}

Assembled Assemble(const std::vector<const Literal*>& tiles, const Tiling& tiling,
                   const Shape& array) {
  Assembled made{Literal(array), Literal(array)};
  if (made.array.raw_size() == 0) return made;
  const size_t bytes = static_cast<size_t>(StorageBytes(array.element_type()));
  uint8_t *to = made.array.mutable_raw_data(), *other = made.other.mutable_raw_data();
  const std::vector<int64_t> numbers = tiling.TileNumbers();
  std::vector<bool> seen(numbers.size(), false);
  for (size_t device = 0; device < tiles.size(); ++device) {
    const auto number = static_cast<size_t>(numbers[device]);
    const bool is_first = !seen[number];
    seen[number] = true;
    const ShardTile tile = ShardOf(tiling, array, static_cast<int64_t>(device));
    VisitCommon(tile, array, [&](int64_t in_array, int64_t in_tile) {
      const uint8_t* from = tiles[device]->raw_data() + in_tile;
      if (is_first) std::memcpy(to + in_array, from, bytes);
      const bool same = is_first || SameElement(array.element_type(), to + in_array, from);
      if (is_first || !same) std::memcpy(other + in_array, from, bytes);
      made.equal = made.equal && same;
    });
  }
  return made;
}

}  // namespace hlocts::backends
