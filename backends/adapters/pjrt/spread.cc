// SPDX-License-Identifier: Apache-2.0
#include "backends/adapters/pjrt/spread.h"

#include <algorithm>
#include <utility>

#include "spec/ir/module.h"
#include "spec/ir/opcode.h"
#include "spec/ops/partitions.h"
#include "spec/proto/convert.h"
#include "spec/proto/hlo.pb.h"
#include "spec/proto/parts.h"

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

// Replaces the shardings of arguments and results by those that the partitioner recorded in the
// program. The recorded ones can differ: Shardy uses a part of an axis if the full axis does not
// divide a dimension.
absl::Status TakeShardings(const proto::HloModuleProto& program,
                           const std::vector<Shape>& parameters, const Shape& result,
                           DeviceTilings& spread) {
  const auto devices = static_cast<int64_t>(spread.devices);
  spread.argument_tilings.clear();
  for (size_t i = 0; i < parameters.size(); ++i) {
    HLOCTS_ASSIGN_OR_RETURN(const Sharding sharding,
                            ShardingFromProto(program.spmd_parameters_shardings(i)));
    HLOCTS_ASSIGN_OR_RETURN(std::vector<Tiling> tilings,
                            LeafTilings(sharding, parameters[i], devices));
    spread.argument_tilings.insert(spread.argument_tilings.end(), tilings.begin(), tilings.end());
  }
  HLOCTS_ASSIGN_OR_RETURN(const Sharding sharding,
                          ShardingFromProto(program.spmd_output_sharding()));
  HLOCTS_ASSIGN_OR_RETURN(spread.result_tilings, LeafTilings(sharding, result, devices));
  return absl::OkStatus();
}

bool AllEqual(const std::vector<std::vector<Literal>>& of_devices) {
  const auto same = [](const Literal& a, const Literal& b) { return a.BitwiseEqual(b); };
  return std::all_of(of_devices.begin(), of_devices.end(), [&](const auto& leaves) {
    const std::vector<Literal>& first = of_devices[0];
    return std::equal(leaves.begin(), leaves.end(), first.begin(), first.end(), same);
  });
}

// Splits the full arguments of a request into tiles. Returns the request for all devices.
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

// Returns the full results as [0][leaf]. If copies of a tile differ, [1] has the differing copies.
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

// A module that a compiler has partitioned. Arguments and results are full arrays, in one set or,
// if the module has manual regions, in a set for each of `copies` devices.
class ShardedExecutable : public Executable {
 public:
  ShardedExecutable(DeviceTilings spread, size_t copies, std::unique_ptr<Executable> on_devices)
      : spread_(std::move(spread)), copies_(copies), on_devices_(std::move(on_devices)) {}

  absl::StatusOr<ExecuteResult> Execute(const ExecuteRequest& given) override {
    ExecuteRequest whole = given;
    if (!AllEqual(whole.arguments))
      return absl::UnimplementedError("expected equal arguments outside manual regions");
    if (whole.arguments.size() == copies_) whole.arguments.resize(1);
    HLOCTS_ASSIGN_OR_RETURN(const ExecuteRequest request, Split(spread_, whole));
    HLOCTS_ASSIGN_OR_RETURN(ExecuteResult result, on_devices_->Execute(request));
    result.outputs = Join(spread_, result.outputs);
    while (result.outputs.size() < copies_) result.outputs.push_back(result.outputs[0]);
    return result;
  }

  absl::StatusOr<std::string> OptimizedModule() override { return on_devices_->OptimizedModule(); }

 private:
  DeviceTilings spread_;
  size_t copies_;
  std::unique_ptr<Executable> on_devices_;
};

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
  DeviceTilings spread{.devices = static_cast<size_t>(module.num_partitions),
                       .arguments = ArgumentLeafShapes(module),
                       .results = OutputLeafShapes(module)};
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
      "the partitioner chose a sharding of an argument or a result that the module does not state "
      "(in JAX, in_shardings= and out_shardings= state them)");
}

absl::Status KeepWholeAsIn(const std::string& optimized, DeviceTilings& spread) {
  proto::HloModuleProto program;
  if (!program.ParseFromString(optimized)) return absl::InternalError("no HloModuleProto");
  std::vector<Shape> parameters;
  for (const proto::ShapeProto& shape : program.host_program_shape().parameters()) {
    HLOCTS_ASSIGN_OR_RETURN(parameters.emplace_back(), ShapeFromProto(shape));
  }
  HLOCTS_ASSIGN_OR_RETURN(const Shape result,
                          ShapeFromProto(program.host_program_shape().result()));
  if (program.spmd_parameters_shardings_size() == static_cast<int>(parameters.size()) &&
      program.has_spmd_output_sharding()) {
    HLOCTS_RETURN_IF_ERROR(TakeShardings(program, parameters, result, spread));
  }
  return KeepUnsplit(LeafShapes(Shape::Tuple(parameters)), LeafShapes(result), spread);
}

std::unique_ptr<Executable> OfFullArrays(DeviceTilings spread, size_t copies,
                                         std::unique_ptr<Executable> on_devices) {
  return std::make_unique<ShardedExecutable>(std::move(spread), copies, std::move(on_devices));
}

absl::StatusOr<std::unique_ptr<Executable>> LoadPartitioned(const Module& given,
                                                            const Module& program,
                                                            const std::string& optimized,
                                                            LoadOptions options, Backend& engine) {
  HLOCTS_ASSIGN_OR_RETURN(DeviceTilings spread, DeviceTilingsOf(given));
  const std::unique_ptr<Module> plain = WithoutShardings(program);
  // Without annotations, all shardings belong to manual regions, outside of which nothing is split.
  HLOCTS_RETURN_IF_ERROR(
      optimized.empty() || !IsSharded(given)
          ? KeepUnsplit(ArgumentLeafShapes(*plain), OutputLeafShapes(*plain), spread)
          : KeepWholeAsIn(optimized, spread));
  options.partitions = plain->num_partitions = given.num_partitions;
  HLOCTS_ASSIGN_OR_RETURN(auto on_devices, engine.Load(*plain, options));
  const size_t copies = IsSharded(given) ? 1 : spread.devices;
  return OfFullArrays(std::move(spread), copies, std::move(on_devices));
}

}  // namespace hlocts::backends
