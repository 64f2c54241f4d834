// SPDX-License-Identifier: Apache-2.0
#include "fuzz/shrink/shrink_shardings.h"

#include <algorithm>

#include "spec/ir/module.h"
#include "spec/ops/partitions.h"

namespace hlocts::fuzz {
namespace {

// Calls `visit` for the sharding of every array, including those in tuples.
template <typename Visit>
void ChangeLeaves(Sharding& sharding, Visit&& visit) {
  if (sharding.type != Sharding::Type::kTuple) return visit(sharding);
  for (Sharding& element : sharding.tuple_shardings) ChangeLeaves(element, visit);
}
template <typename Visit>
void ChangeAll(Module& module, Visit&& visit) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      const auto* found = instruction->Get<Sharding>(Attr::kSharding);
      if (found == nullptr) continue;
      Sharding sharding = *found;
      ChangeLeaves(sharding, visit);
      instruction->Set(Attr::kSharding, std::move(sharding));
    }
  }
}

size_t Rank(const Sharding& sharding) {
  const size_t subgroups = sharding.replicate_on_last_tile_dim ? 1 : sharding.last_tile_dims.size();
  return sharding.tile_assignment_dimensions.size() - subgroups;
}

bool IsTiled(const Sharding& sharding) {
  return sharding.type == Sharding::Type::kOther && sharding.raw_text.empty() &&
         sharding.last_tile_dims.empty() && !sharding.tile_assignment_dimensions.empty();
}

// Returns a sharding into `counts` tiles: devices in order, copies of a tile on adjacent devices.
Sharding InOrder(std::vector<int64_t> counts, int64_t devices) {
  Sharding sharding;
  int64_t tiles = 1;
  for (const int64_t count : counts) tiles *= count;
  if (tiles == 1) return sharding;  // replicated
  sharding.type = Sharding::Type::kOther;
  sharding.replicate_on_last_tile_dim = tiles < devices;
  if (tiles < devices) counts.push_back(devices / tiles);
  sharding.tile_assignment_dimensions = std::move(counts);
  sharding.iota_reshape_dims = {devices};
  return sharding;
}

using ShardingEdit = std::function<void(Sharding& sharding)>;

std::vector<ShardingEdit> EditsOf(const Sharding& sharding, int64_t devices) {
  if (sharding.type == Sharding::Type::kReplicated) return {};
  std::vector<ShardingEdit> edits = {[](Sharding& one) { one = Sharding(); }};
  if (!IsTiled(sharding)) return edits;
  const auto& dimensions = sharding.tile_assignment_dimensions;
  const std::vector<int64_t> counts(dimensions.begin(), dimensions.begin() + Rank(sharding));
  for (size_t d = 0; d < counts.size(); ++d) {
    if (counts[d] == 1) continue;
    std::vector<int64_t> fewer = counts;
    fewer[d] = 1;
    edits.push_back([=](Sharding& one) { one = InOrder(fewer, devices); });
  }
  if (sharding.iota_reshape_dims.size() != 1)
    edits.push_back([=](Sharding& one) { one = InOrder(counts, devices); });
  return edits;
}

bool EditOne(Sample& sample, size_t number, const StillFails& still_fails) {
  std::vector<ShardingEdit> edits;
  size_t i = 0;
  VisitShardings(*sample.module, [&](const Instruction&, const Sharding& sharding) {
    if (i++ == number) edits = EditsOf(sharding, sample.module->num_partitions);
  });
  for (const ShardingEdit& edit : edits) {
    Sample candidate = sample.Clone();
    size_t j = 0;
    ChangeAll(*candidate.module, [&](Sharding& sharding) {
      if (j++ == number) edit(sharding);
    });
    if (KeepIfFails(sample, std::move(candidate), still_fails)) return true;
  }
  return false;
}

// Reduces the numbers of tiles until their product divides `devices`.
void FitInto(int64_t devices, Sharding& sharding) {
  if (!IsTiled(sharding)) return;
  std::vector<int64_t> counts(sharding.tile_assignment_dimensions.begin(),
                              sharding.tile_assignment_dimensions.begin() + Rank(sharding));
  int64_t left = devices;
  for (int64_t& count : counts) {
    count = std::min(count, left);
    while (left % count != 0) --count;
    left /= count;
  }
  sharding = InOrder(std::move(counts), devices);
}

}  // namespace

bool DropShardings(Sample& sample, const StillFails& still_fails) {
  if (!IsSharded(*sample.module)) return false;
  Sample plain = sample.Clone();
  plain.module = WithoutShardings(*sample.module);
  if (KeepIfFails(sample, std::move(plain), still_fails)) return true;
  bool progress = false;
  for (size_t c = 0; c < sample.module->computations().size(); ++c) {
    const size_t count = sample.module->computations()[c]->instructions().size();
    for (size_t i = 0; i < count; ++i) {
      const auto& all = sample.module->computations()[c]->instructions();
      if (!all[i]->Has(Attr::kSharding)) continue;
      Sample candidate = sample.Clone();
      candidate.module->computations()[c]->instructions()[i]->Remove(Attr::kSharding);
      if (!HasShardings(*candidate.module)) continue;
      progress = KeepIfFails(sample, std::move(candidate), still_fails) || progress;
    }
  }
  size_t annotations = 0;
  VisitShardings(*sample.module, [&](const Instruction&, const Sharding&) { ++annotations; });
  for (size_t number = 0; number < annotations; ++number) {
    while (EditOne(sample, number, still_fails)) progress = true;
  }
  return progress;
}

void KeepSharding(const Instruction& root, int64_t element, Instruction* kept) {
  const auto* sharding = root.Get<Sharding>(Attr::kSharding);
  if (sharding == nullptr || kept->Has(Attr::kSharding) || !kept->shape().IsArray()) return;
  const auto& elements = sharding->tuple_shardings;
  if (sharding->type != Sharding::Type::kTuple) {
    if (root.shape().CompatibleWith(kept->shape())) kept->Set(Attr::kSharding, *sharding);
  } else if (element < static_cast<int64_t>(elements.size())) {
    kept->Set(Attr::kSharding, elements[element]);
  }
}

bool FewerDevices(Sample& sample, const StillFails& still_fails) {
  if (!IsSharded(*sample.module)) return false;
  const int64_t before = sample.module->num_partitions;
  for (int64_t devices = 2; devices < before; ++devices) {
    if (before % devices != 0) continue;
    Sample candidate = sample.Clone();
    candidate.module->num_partitions = devices;
    ChangeAll(*candidate.module, [&](Sharding& sharding) { FitInto(devices, sharding); });
    if (KeepIfFails(sample, std::move(candidate), still_fails)) return true;
  }
  return false;
}

}  // namespace hlocts::fuzz
