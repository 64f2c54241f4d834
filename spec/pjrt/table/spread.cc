// SPDX-License-Identifier: Apache-2.0
#include "spec/pjrt/table/spread.h"

#include <utility>

#include "spec/ir/module.h"
#include "spec/ir/tiles.h"
#include "spec/ops/kinds.h"
#include "spec/ops/partitions.h"

namespace hlocts::pjrt {
namespace {

absl::Status AddGrids(const Instruction& annotated, int64_t partitions,
                      std::vector<TileGrid>& grids) {
  auto added = LeafGrids(annotated.Get<Sharding>(Attr::kSharding), annotated.shape(), partitions);
  HLOCTS_RETURN_IF_ERROR(Annotate(added.status(), annotated.name()));
  const std::vector<Shape> leaves = LeafShapes(annotated.shape());
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (leaves[i].is_dynamic() && !IsWhole((*added)[i]))
      return Unsupported(annotated.name(), ": an array of dynamic size cannot be partitioned");
    grids.push_back(std::move((*added)[i]));
  }
  return absl::OkStatus();
}

std::vector<Shape> TilesOf(const std::vector<Shape>& leaves, const std::vector<TileGrid>& grids) {
  std::vector<Shape> tiles = leaves;
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (!IsWhole(grids[i])) tiles[i] = TileShape(grids[i], leaves[i]);
  }
  return tiles;
}

bool HasFeeds(const Module& module) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (ops::TransferOf(instruction->opcode()).has_value()) return true;
    }
  }
  return false;
}

}  // namespace

std::vector<Shape> Spread::ArgumentTiles() const { return TilesOf(arguments, argument_grids); }
std::vector<Shape> Spread::OutputTiles() const { return TilesOf(outputs, output_grids); }

absl::StatusOr<Spread> SpreadOf(const Module& module, int64_t partitions) {
  Spread spread{.partitions = partitions,
                .is_per_device = IsPerDevice(module) || HasFeeds(module),
                .arguments = ArgumentLeafShapes(module),
                .outputs = OutputLeafShapes(module)};
  for (const Instruction* parameter : module.entry()->parameters())
    HLOCTS_RETURN_IF_ERROR(AddGrids(*parameter, partitions, spread.argument_grids));
  HLOCTS_RETURN_IF_ERROR(AddGrids(*module.entry()->root(), partitions, spread.output_grids));
  return spread;
}

ExecuteRequest Joined(const Spread& spread, const ExecuteRequest& tiles) {
  ExecuteRequest whole;
  whole.infeed = tiles.infeed;
  const auto partitions = static_cast<size_t>(spread.partitions);
  for (size_t first = 0; first < tiles.arguments.size(); first += partitions) {
    std::vector<Literal> leaves;
    for (size_t i = 0; i < spread.arguments.size(); ++i) {
      if (IsWhole(spread.argument_grids[i])) {
        leaves.push_back(tiles.arguments[first][i]);
        continue;
      }
      std::vector<const Literal*> held;
      for (size_t p = 0; p < partitions; ++p) held.push_back(&tiles.arguments[first + p][i]);
      leaves.push_back(FullFromTiles(spread.arguments[i], spread.argument_grids[i], held));
    }
    whole.arguments.resize(whole.arguments.size() + (spread.is_per_device ? partitions : 1),
                           leaves);
  }
  return whole;
}

ExecuteResult Split(const Spread& spread, ExecuteResult whole) {
  ExecuteResult tiles;
  tiles.outfeed = std::move(whole.outfeed);
  const int64_t runs = spread.is_per_device ? 1 : spread.partitions;  // devices that share one run
  for (size_t d = 0; d < whole.outputs.size() * static_cast<size_t>(runs); ++d) {
    std::vector<Literal> leaves = whole.outputs[d / static_cast<size_t>(runs)];
    for (size_t i = 0; i < leaves.size(); ++i) {
      if (!IsWhole(spread.output_grids[i]))
        leaves[i] = TileOfDevice(leaves[i], spread.output_grids[i],
                                 static_cast<int64_t>(d) % spread.partitions);
    }
    tiles.outputs.push_back(std::move(leaves));
  }
  return tiles;
}

}  // namespace hlocts::pjrt
