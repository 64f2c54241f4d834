// SPDX-License-Identifier: Apache-2.0
// Sums over devices. Each device sums a part of the terms in any order, and the parts are combined
// in any tree (ruling 0121). All results pass through tiles whose padding contains poison (ruling
// 0122).
#include <algorithm>

#include "backends/selftest/elements.h"
#include "backends/selftest/legal_noise/noise_hook.h"
#include "backends/selftest/partition.h"
#include "reference/recognized.h"
#include "spec/ir/index_util.h"
#include "spec/ir/tiles.h"
#include "spec/ops/groups.h"

namespace hlocts::backends {
namespace {

// Returns true if a part of a contraction may be rounded to the type of the result. That is true
// for narrow types, unless an engine promises sums in f32.
bool MayRoundParts(const NoiseJob& job) {
  if (!ops::IsContraction(job.opcode())) return true;
  const PrimitiveType type = job.type();
  if (!IsFloat(type) || BitWidth(type) >= 32) return true;
  return BitWidth(type) == 16 && BitWidth(job.operands[0].element_type()) == 16 &&
         job.rule.Allows(kOwnSum) && !job.facts.dot_f32_sums;
}

// Returns true if the parts may be permuted because they are combined in arrival order.
bool AnyOrder(const NoiseJob& job) {
  const Computation* body = job.instruction.CalledComputation(Attr::kToApply);
  return body == nullptr || reference::Recognize(*body) != reference::RecognizedReducer::kNone;
}

absl::StatusOr<Literal> PartOf(NoiseJob& job, std::vector<Literal> operands) {
  Instruction instruction(job.instruction.name(), job.opcode(), job.instruction.shape());
  instruction.mutable_attributes() = job.instruction.attributes();
  std::vector<Literal> taken = operands;  // an evaluator may move them out
  HLOCTS_ASSIGN_OR_RETURN(Literal result, reference::EvaluatorOf(job.opcode())(
                                              job.context, instruction, absl::MakeSpan(taken)));
  NoiseJob part{job.context, instruction, operands,  result,     job.state,
                job.profile, job.rule,    job.facts, job.typical};
  NoisyReduction(part);
  job.state.exact.erase(&instruction);
  job.state.products.erase(&instruction);
  return result;
}

// If one part has the neutral element at a position, copies the other part's element. Elements of a
// scatter that no update reaches thus keep their bits, also those of a NaN (ruling 0125).
void KeepUntouched(const NoiseJob& job, const Literal& a, const Literal& b, Literal& sum) {
  if (job.opcode() != Opcode::kScatter) return;
  const Literal nothing = NeutralInit(sum);
  for (int64_t i = 0; i < sum.element_count(); ++i) {
    if (SameElement(b, i, nothing, i)) CopyElement(a, i, sum, i);
    if (SameElement(a, i, nothing, i)) CopyElement(b, i, sum, i);
  }
}

absl::StatusOr<Literal> SumOfParts(NoiseJob& job, std::vector<Literal> parts) {
  const bool any = AnyOrder(job);
  while (parts.size() > 1) {
    const size_t i = job.random().Below(parts.size() - 1);
    const size_t j = any ? i + 1 + job.random().Below(parts.size() - 1 - i) : i + 1;
    HLOCTS_ASSIGN_OR_RETURN(Literal sum,
                            CombineParts(job.context, job.instruction, parts[i], parts[j]));
    KeepUntouched(job, parts[i], parts[j], sum);
    parts[i] = std::move(sum);
    parts.erase(parts.begin() + static_cast<int64_t>(j));
  }
  return std::move(parts[0]);
}

TileGrid DrawGrid(NoiseJob& job, int64_t partitions) {
  const int64_t rank = job.result.shape().rank();
  if (const Sharding* sharding = job.instruction.Get<Sharding>(Attr::kSharding)) {
    auto annotated = TileGridOf(*sharding, rank, DeviceCountOf(*sharding));
    if (annotated.ok()) return *std::move(annotated);
  }
  TileGrid grid{std::vector<int64_t>(rank, 1), {}};
  const size_t cut = job.random().Below(rank);
  grid.counts[cut] = 2 + static_cast<int64_t>(job.random().Below(partitions - 1));
  for (int64_t device = 0; device < grid.counts[cut]; ++device) {
    grid.indices.emplace_back(rank, 0).at(cut) = device;
  }
  return grid;
}

void Poison(const ShardTile& tile, Literal& held) {
  int64_t at = 0;
  const int64_t numbers = NumberCount(held) / std::max<int64_t>(1, held.element_count());
  ForEachIndex(tile.sizes, [&](absl::Span<const int64_t> index) {
    bool padding = false;
    for (size_t d = 0; d < index.size(); ++d) padding = padding || index[d] >= tile.valid[d];
    for (int64_t n = 0; padding && n < numbers; ++n) WriteNumber(held, at * numbers + n, 77);
    ++at;
  });
}

void LayOutInTiles(NoiseJob& job, int64_t partitions) {
  if (job.result.shape().rank() == 0 || job.state.Once(2)) return;
  const TileGrid grid = DrawGrid(job, partitions);
  std::vector<Literal> tiles;
  std::vector<const Literal*> held;
  for (size_t device = 0; device < grid.indices.size(); ++device) {
    const int64_t number = static_cast<int64_t>(device);
    tiles.push_back(TileOfDevice(job.result, grid, number));
    Poison(ShardOf(grid, job.result.shape(), number), tiles.back());
  }
  for (const Literal& tile : tiles) held.push_back(&tile);
  job.result = FullFromTiles(job.result.shape(), grid, held).WithShape(job.result.shape());
}

bool SumOverDevices(NoiseJob& job, int64_t partitions) {
  if (job.result.element_count() == 0 || !MayRoundParts(job)) return false;
  const std::vector<Contracted> choices = ContractedDimensions(job.instruction, job.operands);
  if (choices.empty() || job.state.Once(4)) return false;
  const Contracted& cut = choices[job.random().Below(choices.size())];
  int64_t tiles = AnnotatedTiles(job.instruction, cut);
  if (tiles == 1) tiles = 2 + static_cast<int64_t>(job.random().Below(partitions - 1));
  std::vector<Literal> parts;
  for (int64_t tile = 0; tile < tiles; ++tile) {
    auto operands = OperandsOfPart(job.instruction, job.operands, cut, tile, tiles);
    if (!operands.has_value()) continue;
    absl::StatusOr<Literal> part = PartOf(job, *std::move(operands));
    if (!part.ok()) return false;
    parts.push_back(*std::move(part));
  }
  absl::StatusOr<Literal> sum = SumOfParts(job, std::move(parts));
  if (sum.ok()) job.result = *std::move(sum);
  return sum.ok();
}

}  // namespace

bool NoisyPartition(NoiseJob& job, int64_t partitions) {
  if (partitions < 2) return false;
  LayOutInTiles(job, partitions);
  return SumOverDevices(job, partitions);
}

}  // namespace hlocts::backends
