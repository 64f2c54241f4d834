// SPDX-License-Identifier: Apache-2.0
// Modules with run-time sizes: plan::RunDynamic, each instruction compiled for the sizes it meets.
#include <chrono>

#include "backends/engine/cuda/run/executable.h"
#include "backends/engine/plan/dynamic_interpreter.h"
#include "backends/engine/plan/request.h"
#include "spec/ir/module.h"

namespace hlocts::cuda {
namespace {

// The counters that the instructions of one device share.
class DeviceState {
 public:
  DeviceState(const backends::LoadOptions& load, const CompileOptions& compile, Device& device,
              int64_t number, plan::Communicator& world)
      : compile_(compile), device_(device), run_(device, load.memory_bytes_max) {
    run_.steps_left = load.steps_max;
    run_.rng_seed = run_.rng_state[0] = load.rng_seed;
    run_.device_number = number;
    run_.replica = number / load.partitions;
    run_.partition = number % load.partitions;
    run_.world = &world;
  }
  void SetDevices(int64_t count) { run_.devices = count; }
  plan::DynamicEngine engine() {
    return {[this](const Instruction& instruction, std::vector<Literal> leaves) {
              return RunOne(instruction, leaves);
            },
            [this] { return run_.ChargeSteps(1); }};
  }

 private:
  absl::StatusOr<std::vector<Literal>> RunOne(const Instruction& instruction,
                                              const std::vector<Literal>& arguments) {
    HLOCTS_ASSIGN_OR_RETURN(plan::GraphModule graphs, plan::BuildGraphsOf(instruction));
    Compiler compiler(device_, compile_);
    HLOCTS_ASSIGN_OR_RETURN(const Function* function, compiler.Compile(*graphs.entry));
    return run_.CallOnLiterals(*function, arguments, LeafShapes(instruction.shape()));
  }

  const CompileOptions& compile_;
  Device& device_;
  Run run_;
};

class DynamicExecutable : public backends::Executable {
 public:
  DynamicExecutable(const Module& module, const backends::LoadOptions& load,
                    const CompileOptions& compile, const Devices& devices)
      : module_(module.Clone()),
        load_(load),
        compile_(compile),
        devices_(devices),
        arguments_(backends::ArgumentLeafShapes(module)) {}

  absl::StatusOr<backends::ExecuteResult> Execute(
      const backends::ExecuteRequest& request) override {
    HLOCTS_RETURN_IF_ERROR(plan::CheckRequest(request, load_, arguments_));
    const auto start = std::chrono::steady_clock::now();
    const int64_t count = load_.replicas * load_.partitions;
    plan::Communicator world(load_.replicas, load_.partitions);
    plan::Feed(request, world);
    backends::ExecuteResult result;
    result.outputs.resize(count);
    HLOCTS_RETURN_IF_ERROR(plan::RunDevices(count, world, [&](int64_t device) -> absl::Status {
      const size_t set = request.arguments.size() == 1 ? 0 : static_cast<size_t>(device);
      const auto& place = devices_[static_cast<size_t>(device) % devices_.size()];
      DeviceState state(load_, compile_, *place, device, world);
      state.SetDevices(static_cast<int64_t>(devices_.size()));
      HLOCTS_ASSIGN_OR_RETURN(result.outputs[device],
                              plan::RunDynamic(*module_, request.arguments[set], state.engine()));
      return absl::OkStatus();
    }));
    result.outfeed = std::move(world.outfeeds);
    const std::vector<plan::AliasPair> pairs = plan::AliasPairsOf(*module_);
    result.arguments = plan::StatesOf(pairs, plan::DonorsOf(*module_), request.arguments[0].size(),
                                      request.donated_leaves);
    result.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return result;
  }

 private:
  std::unique_ptr<Module> module_;
  backends::LoadOptions load_;
  CompileOptions compile_;
  Devices devices_;
  std::vector<Shape> arguments_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<backends::Executable>> MakeDynamicExecutable(
    const Module& module, const backends::LoadOptions& load, const CompileOptions& compile,
    const Devices& devices) {
  return std::unique_ptr<backends::Executable>(
      std::make_unique<DynamicExecutable>(module, load, compile, devices));
}

}  // namespace hlocts::cuda
