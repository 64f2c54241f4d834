// SPDX-License-Identifier: Apache-2.0
#include "backends/adapters/pjrt/spread.h"

#include "spec/ir/module.h"
#include "spec/ir/opcode.h"

namespace hlocts::backends {
namespace {

bool Keep(const std::vector<Shape>& made, const std::vector<Shape>& whole,
          std::vector<Tiling>& tilings) {
  bool known = made.size() == whole.size();
  for (size_t i = 0; known && i < made.size(); ++i) {
    if (!whole[i].IsArray()) continue;
    known = made[i].dimensions() == TileShape(tilings[i], whole[i]).dimensions();
    if (known || made[i].dimensions() != whole[i].dimensions()) continue;
    known = true;
    tilings[i].counts.assign(tilings[i].counts.size(), 1);
    for (auto& index : tilings[i].indices) index.assign(index.size(), 0);
  }
  return known;
}

}  // namespace

std::vector<Shape> DeviceTilings::ResultTiles() const {
  std::vector<Shape> tiles;
  for (size_t i = 0; i < results.size(); ++i)
    tiles.push_back(results[i].IsArray()
                        ? TileShape(result_tilings[i], results[i]).WithDefaultLayout()
                        : results[i]);
  return tiles;
}

absl::StatusOr<DeviceTilings> DeviceTilingsOf(const Module& module) {
  DeviceTilings spread;
  spread.devices = static_cast<size_t>(module.num_partitions);
  spread.arguments = ArgumentLeafShapes(module);
  spread.results = OutputLeafShapes(module);
  HLOCTS_ASSIGN_OR_RETURN(spread.argument_tilings, ArgumentTilings(module));
  HLOCTS_ASSIGN_OR_RETURN(spread.result_tilings, ResultTilings(module));
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions())
      spread.draws = spread.draws || instruction->opcode() == Opcode::kRng;
  }
  return spread;
}

absl::Status KeepUnsplit(const std::vector<Shape>& arguments, const std::vector<Shape>& results,
                         DeviceTilings& spread) {
  if (Keep(arguments, spread.arguments, spread.argument_tilings) &&
      Keep(results, spread.results, spread.result_tilings)) {
    return absl::OkStatus();
  }
  return absl::UnimplementedError(
      "the partitioner distributes an argument or a result differently from its annotation");
}

absl::StatusOr<ExecuteRequest> Split(const DeviceTilings& spread, const ExecuteRequest& whole) {
  if (whole.arguments.size() != 1) return absl::InternalError("expected one set of full arguments");
  ExecuteRequest request = whole;
  request.arguments.assign(spread.devices, {});
  for (size_t d = 0; d < spread.devices; ++d) {
    for (size_t i = 0; i < whole.arguments[0].size(); ++i) {
      const Literal& argument = whole.arguments[0][i];
      if (argument.has_runtime_sizes())
        return absl::UnimplementedError("an argument of dynamic size cannot be partitioned");
      request.arguments[d].push_back(
          TileOf(argument, spread.argument_tilings[i], static_cast<int64_t>(d)));
    }
  }
  return request;
}

std::vector<std::vector<Literal>> Join(const DeviceTilings& spread,
                                       const std::vector<std::vector<Literal>>& of_devices) {
  std::vector<std::vector<Literal>> joined(2);
  bool equal = true;
  for (size_t o = 0; o < spread.results.size(); ++o) {
    std::vector<const Literal*> tiles;
    for (const std::vector<Literal>& of_device : of_devices) tiles.push_back(&of_device[o]);
    Assembled made = Assemble(tiles, spread.result_tilings[o], spread.results[o]);
    joined[0].push_back(std::move(made.array));
    joined[1].push_back(std::move(made.other));
    equal = equal && made.equal;
  }
  if (equal || spread.draws) joined.pop_back();
  return joined;
}

}  // namespace hlocts::backends
