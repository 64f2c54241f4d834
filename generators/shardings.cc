// SPDX-License-Identifier: Apache-2.0
#include "generators/shardings.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "spec/ir/module.h"
#include "spec/ops/partitions.h"

namespace hlocts::generators {
namespace {

using Dimensions = std::vector<int64_t>;

Dimensions DrawMesh(ChoiceSource& choose, int64_t devices) {
  constexpr int kAxesMax = 3;
  Dimensions mesh;
  for (int axis = 0; devices > 1; ++axis) {
    Dimensions sizes = {devices};
    for (int64_t size = 2; axis + 1 < kAxesMax && size < devices; ++size) {
      if (devices % size == 0) sizes.push_back(size);
    }
    mesh.push_back(choose.Pick(sizes));
    devices /= mesh.back();
  }
  return mesh;
}

// Draws the axes that split each dimension of an array.
class Annotator {
 public:
  Annotator(ChoiceSource& choose, int64_t devices)
      : choose_(choose), mesh_(DrawMesh(choose, devices)), uneven_(choose.OneIn(4)) {}

  Sharding Draw(const Shape& array) {
    std::vector<Dimensions> axes(array.dimensions().size());
    Dimensions counts(array.dimensions().size(), 1);
    Dimensions order(mesh_.size());
    std::iota(order.begin(), order.end(), 0);
    for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[choose_.Below(i)]);
    for (const int64_t axis : order) {
      const Dimensions takers = Takers(array, counts, mesh_[axis]);
      if (takers.empty() || choose_.OneIn(4)) continue;
      const int64_t d = choose_.Pick(takers);
      axes[d].push_back(axis);
      counts[d] *= mesh_[axis];
    }
    return ShardingOf(axes, std::move(counts));
  }

 private:
  // Returns the dimensions that an additional axis of `size` devices can split.
  Dimensions Takers(const Shape& array, const Dimensions& counts, int64_t size) const {
    Dimensions takers;
    for (int64_t d = 0; d < array.rank(); ++d) {
      const int64_t elements = array.dimension(d);
      const bool even = elements % (counts[d] * size) == 0;
      if (elements > 1 && (even || uneven_)) takers.push_back(d);
    }
    return takers;
  }

  Sharding ShardingOf(const std::vector<Dimensions>& axes, Dimensions counts) const {
    Sharding sharding;
    Dimensions order;
    for (const Dimensions& of_dimension : axes)
      order.insert(order.end(), of_dimension.begin(), of_dimension.end());
    if (order.empty()) return sharding;  // replicated
    const size_t split = order.size();
    int64_t copies = 1;
    for (int64_t axis = 0; axis < static_cast<int64_t>(mesh_.size()); ++axis) {
      if (std::find(order.begin(), order.begin() + split, axis) != order.begin() + split) continue;
      order.push_back(axis);
      copies *= mesh_[axis];
    }
    sharding.type = Sharding::Type::kOther;
    sharding.tile_assignment_dimensions = std::move(counts);
    sharding.replicate_on_last_tile_dim = copies > 1;
    if (copies > 1) sharding.tile_assignment_dimensions.push_back(copies);
    sharding.iota_reshape_dims = mesh_;
    sharding.iota_transpose_permutation = order;
    if (std::is_sorted(order.begin(), order.end())) {
      sharding.iota_reshape_dims = {
          std::accumulate(mesh_.begin(), mesh_.end(), int64_t{1}, std::multiplies<>())};
      sharding.iota_transpose_permutation.clear();
    }
    return sharding;
  }

  ChoiceSource& choose_;
  Dimensions mesh_;
  bool uneven_;
};

bool AllArrays(const std::vector<Shape>& leaves) {
  return std::all_of(leaves.begin(), leaves.end(),
                     [](const Shape& leaf) { return leaf.IsArray() && !leaf.is_dynamic(); });
}

void AddTo(Instruction& instruction, Annotator& annotator) {
  const std::vector<Shape> leaves = LeafShapes(instruction.shape());
  if (!instruction.shape().IsTuple())
    return instruction.Set(Attr::kSharding, annotator.Draw(leaves[0]));
  Sharding tuple;
  tuple.type = Sharding::Type::kTuple;
  for (const Shape& leaf : leaves) tuple.tuple_shardings.push_back(annotator.Draw(leaf));
  if (!leaves.empty()) instruction.Set(Attr::kSharding, std::move(tuple));
}

}  // namespace

absl::Status AddShardings(ChoiceSource& choose, int64_t devices, Module& module) {
  const char* why = nullptr;
  if (module.replica_count != 1 || module.num_partitions != 1 || IsPerDevice(module))
    why = "it is a program for each device";
  if (!module.input_output_alias.empty() || !module.buffer_donor.empty()) why = "it has aliases";
  if (module.is_scheduled) why = "it has a schedule";
  for (const Instruction* parameter : module.entry()->parameters()) {
    if (!AllArrays(LeafShapes(parameter->shape()))) why = "an argument is not a static array";
  }
  Instruction* root = module.entry()->root();
  if (!AllArrays(LeafShapes(root->shape()))) why = "a result is not a static array";
  if (why != nullptr) return absl::UnimplementedError(absl::StrCat("not partitioned: ", why));
  Annotator annotator(choose, devices);
  for (const auto& instruction : module.entry()->instructions()) {
    const bool outside = instruction->IsParameter() || instruction.get() == root;
    if (instruction->IsConstant() && !outside) continue;
    if (!AllArrays(LeafShapes(instruction->shape()))) continue;
    if (outside ? choose.OneIn(4) : !choose.OneIn(4)) continue;
    AddTo(*instruction, annotator);
  }
  if (!root->Has(Attr::kSharding)) AddTo(*root, annotator);
  module.num_partitions = devices;
  return absl::OkStatus();
}

absl::Status Shard(int64_t devices, uint64_t seed, Module& module) {
  if (!HasShardings(module)) {
    SeedSource choose(seed, static_cast<uint64_t>(devices));
    return AddShardings(choose, devices, module);
  }
  absl::Status status;
  VisitShardings(module, [&](const Instruction& instruction, const Sharding& sharding) {
    int64_t of = 1;
    for (const int64_t count : sharding.tile_assignment_dimensions) of *= count;
    if (sharding.tile_assignment_dimensions.empty() || of == devices || !status.ok()) return;
    status = InvalidInput(instruction.name(), ": expected a sharding for ", devices,
                          " devices, found one for ", of);
  });
  if (status.ok()) module.num_partitions = devices;
  return status;
}

}  // namespace hlocts::generators
