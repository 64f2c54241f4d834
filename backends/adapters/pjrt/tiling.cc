// SPDX-License-Identifier: Apache-2.0
#include "backends/adapters/pjrt/tiling.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/ir/float_format.h"
#include "spec/ir/index_util.h"
#include "spec/ir/module.h"
#include "spec/pjrt/buffer_types.h"
#include "spec/text/cursor.h"

namespace hlocts::backends {
namespace {

using Dimensions = std::vector<int64_t>;

int64_t Product(const Dimensions& dimensions) {
  return std::accumulate(dimensions.begin(), dimensions.end(), int64_t{1}, std::multiplies<>());
}

// The numbers from 0 on in an array of `dimensions`, read with its dimensions in that order.
Dimensions Transposed(const Dimensions& dimensions, Dimensions order) {
  for (size_t d = order.size(); d < dimensions.size(); ++d)
    order.push_back(static_cast<int64_t>(d));
  const Dimensions strides = RowMajorStrides(dimensions);
  Dimensions sizes, of_order, numbers;
  for (const int64_t d : order) {
    sizes.push_back(dimensions[d]);
    of_order.push_back(strides[d]);
  }
  ForEachIndex(sizes, [&](auto index) { numbers.push_back(LinearIndex(index, of_order)); });
  return numbers;
}

Tiling Whole(int64_t rank, int64_t devices) {
  return {Dimensions(rank, 1), Dimensions(devices, 0), ""};
}

// `order`: the devices in the order of tiles; `rest`: how many hold each tile.
Tiling TilingOfOrder(Dimensions counts, const Dimensions& order) {
  const int64_t rest = static_cast<int64_t>(order.size()) / Product(counts);
  Tiling tiling{std::move(counts), Dimensions(order.size(), 0), ""};
  for (size_t i = 0; i < order.size(); ++i)
    tiling.tile_of[order[i]] = static_cast<int64_t>(i) / rest;
  return tiling;
}

// {mesh['x'=2,'y'=4], [{'x'}, {}], replicated={'y'}, ...}
class MeshReader {
 public:
  explicit MeshReader(const std::string& text) : in_(text) {}

  absl::StatusOr<Tiling> Read(int64_t rank, int64_t devices) {
    if (!ReadAll() || !in_.AtEnd())
      return absl::UnimplementedError("a named sharding in a form that is not read");
    if (Product(sizes_) != devices || static_cast<int64_t>(of_dimension_.size()) != rank) {
      return InvalidInput("sharding of ", Product(sizes_), " devices and rank ",
                          of_dimension_.size(), ", expected ", devices, " and ", rank);
    }
    Dimensions counts, order;
    for (const Dimensions& axes : of_dimension_) {
      counts.push_back(1);
      for (const int64_t axis : axes) counts.back() *= sizes_[axis];
      order.insert(order.end(), axes.begin(), axes.end());
    }
    for (int64_t axis = 0; axis < static_cast<int64_t>(sizes_.size()); ++axis) {
      if (std::find(order.begin(), order.end(), axis) == order.end()) order.push_back(axis);
    }
    if (order.size() != sizes_.size()) return InvalidInput("sharding with one axis twice");
    Tiling tiling = TilingOfOrder(std::move(counts), Transposed(sizes_, order));
    tiling.type_of_rest = rest_;
    return tiling;
  }

 private:
  bool ReadAll() {
    return in_.Expect('{') && in_.ExpectWord("mesh") &&
           ReadList(in_, '[', ']',
                    [&] {
                      names_.emplace_back();
                      return ReadName(&names_.back()) && in_.Expect('=') &&
                             in_.NonNegative(&sizes_.emplace_back());
                    }) &&
           in_.Expect(',') &&
           ReadList(in_, '[', ']', [&] { return ReadAxes(&of_dimension_.emplace_back()); }) &&
           ReadRest();
  }
  bool ReadRest() {
    while (in_.Try(',')) {
      absl::string_view word;
      Dimensions axes;
      if (!in_.Identifier(&word) || !in_.Expect('=') || !ReadAxes(&axes)) return false;
      if (word != "replicated" && !axes.empty()) rest_ = std::string(word);
    }
    return in_.Expect('}');
  }
  bool ReadName(absl::string_view* name) {
    return in_.Expect('\'') && in_.Identifier(name) && in_.Expect('\'');
  }
  bool ReadAxes(Dimensions* axes) {
    return ReadList(in_, '{', '}', [&] {
      if (in_.Try('?')) return true;
      absl::string_view name;
      if (!ReadName(&name)) return false;
      auto found = std::find(names_.begin(), names_.end(), name);
      axes->push_back(found - names_.begin());
      return found != names_.end();
    });
  }

  Cursor in_;
  std::vector<absl::string_view> names_;
  Dimensions sizes_;
  std::vector<Dimensions> of_dimension_;
  std::string rest_;
};

absl::StatusOr<Tiling> TilingOfDevices(const Sharding& sharding, int64_t rank, int64_t devices) {
  const Dimensions& assigned = sharding.tile_assignment_dimensions;
  const int64_t subgroups = sharding.replicate_on_last_tile_dim
                                ? 1
                                : static_cast<int64_t>(sharding.last_tile_dims.size());
  if (Product(assigned) != devices || static_cast<int64_t>(assigned.size()) - subgroups != rank) {
    return InvalidInput("sharding of devices=[", absl::StrJoin(assigned, ","), "]: expected ",
                        devices, " devices and rank ", rank);
  }
  const Dimensions order =
      sharding.iota_reshape_dims.empty()
          ? sharding.tile_assignment_devices
          : Transposed(sharding.iota_reshape_dims, sharding.iota_transpose_permutation);
  Dimensions seen = order;
  std::sort(seen.begin(), seen.end());
  for (int64_t d = 0; d < devices; ++d) {
    if (static_cast<int64_t>(seen.size()) != devices || seen[d] != d)
      return InvalidInput("sharding: expected each of ", devices, " devices once");
  }
  Tiling tiling = TilingOfOrder({assigned.begin(), assigned.begin() + rank}, order);
  for (const Sharding::Type type : sharding.last_tile_dims) {
    if (type == Sharding::Type::kManual) tiling.type_of_rest = "manual";
    if (type == Sharding::Type::kUnreduced) tiling.type_of_rest = "unreduced";
  }
  return tiling;
}

absl::Status AppendLeaves(const Sharding* sharding, const Shape& shape, int64_t devices,
                          std::vector<Tiling>& tilings) {
  if (shape.IsTuple()) {
    const std::vector<Shape>& elements = shape.tuple_shapes();
    const bool tuple = sharding != nullptr && sharding->type == Sharding::Type::kTuple;
    // The annotation of a tuple lists the leaves, depth first.
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

// Where the tile begins in the array, and how much of it lies inside.
struct Place {
  Dimensions start, inside;
};
Place PlaceOf(const Tiling& tiling, int64_t device, const Shape& tile, const Shape& array) {
  Place place{MultiIndex(tiling.tile_of[device], tiling.counts), {}};
  for (int64_t d = 0; d < array.rank(); ++d) {
    place.start[d] *= tile.dimension(d);
    place.inside.push_back(
        std::clamp<int64_t>(array.dimension(d) - place.start[d], 0, tile.dimension(d)));
  }
  return place;
}

// Calls `visit(in_array, in_tile)` with the bytes of each element that both have.
template <typename Visit>
void VisitCommon(const Place& place, const Shape& tile, const Shape& array, Visit&& visit) {
  const int64_t bytes = StorageBytes(array.element_type());
  const Dimensions of_tile = RowMajorStrides(tile.dimensions(), bytes);
  const Dimensions of_array = RowMajorStrides(array.dimensions(), bytes);
  const int64_t begin = LinearIndex(place.start, of_array);
  ForEachIndex(place.inside, [&](auto index) {
    visit(begin + LinearIndex(index, of_array), LinearIndex(index, of_tile));
  });
}

// The same bits, or two NaNs.
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

// NaNs, huge numbers, negative ones, in turn: whatever reads the padding shows it.
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

absl::StatusOr<Tiling> TilingOf(const Sharding& sharding, int64_t rank, int64_t devices) {
  if (!sharding.raw_text.empty()) return MeshReader(sharding.raw_text).Read(rank, devices);
  Tiling whole = Whole(rank, devices);
  switch (sharding.type) {
    case Sharding::Type::kReplicated:
    case Sharding::Type::kMaximal:  // every device computes it
    case Sharding::Type::kUnknown:
      return whole;
    case Sharding::Type::kManual:
      whole.type_of_rest = "manual";
      return whole;
    case Sharding::Type::kUnreduced:
      whole.type_of_rest = "unreduced";
      return whole;
    case Sharding::Type::kOther:
      return TilingOfDevices(sharding, rank, devices);
    case Sharding::Type::kTuple:
      break;
  }
  return InvalidInput("sharding of a tuple on an array");
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

Literal TileOf(const Literal& array, const Tiling& tiling, int64_t device) {
  const Shape shape = tiling.TileShape(array.shape());
  if (shape.dimensions() == array.shape().dimensions()) return array;
  Literal tile = Literal::Uninitialized(shape);
  if (tile.raw_size() == 0) return tile;
  FillWithPoison(tile);
  const size_t bytes = static_cast<size_t>(StorageBytes(array.element_type()));
  uint8_t* to = tile.mutable_raw_data();
  VisitCommon(PlaceOf(tiling, device, shape, array.shape()), shape, array.shape(),
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
  const Shape tile = tiling.TileShape(array);
  std::vector<bool> seen(static_cast<size_t>(Product(tiling.counts)), false);
  for (size_t device = 0; device < tiles.size(); ++device) {
    const auto number = static_cast<size_t>(tiling.tile_of[device]);
    const bool is_first = !seen[number];
    seen[number] = true;
    const Place place = PlaceOf(tiling, static_cast<int64_t>(device), tile, array);
    VisitCommon(place, tile, array, [&](int64_t in_array, int64_t in_tile) {
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
