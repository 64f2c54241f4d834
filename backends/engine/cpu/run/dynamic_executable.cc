// SPDX-License-Identifier: Apache-2.0
// Executes modules with run-time sizes by RunDynamic. Compiles each instruction when it runs.

#include "backends/engine/cpu/base/float_control.h"
#include "backends/engine/cpu/run/executable.h"
#include "backends/engine/plan/dynamic_interpreter.h"
#include "spec/ir/module.h"

namespace hlocts::cpu {
namespace {

// The counters of one device, which all instructions share.
class DeviceState {
 public:
  DeviceState(const pjrt::LoadOptions& load, const CompileOptions& compile, int64_t device,
              Communicator& world)
      : load_(load), compile_(compile), device_(device), world_(world), state_(empty_buffer_) {
    state_.steps_left = load.steps_max;
    state_.rng_seed = state_.rng_state[0] = load.rng_seed;
  }
  plan::DynamicEngine engine() {
    return {[this](const Instruction& instruction, std::vector<Literal> leaves) {
              return RunOne(instruction, leaves);
            },
            [this] { return state_.ChargeSteps(1); }};
  }

 private:
  absl::StatusOr<std::vector<Literal>> RunOne(const Instruction& instruction,
                                              const std::vector<Literal>& arguments);
  void Share(const Run& from, Run& to) const;

  const pjrt::LoadOptions& load_;
  const CompileOptions& compile_;
  int64_t device_;
  Communicator& world_;
  Program empty_buffer_;
  Run state_;
};

void DeviceState::Share(const Run& from, Run& to) const {
  to.steps_left = from.steps_left;
  to.rng_seed = from.rng_seed;
  to.rng_stream = from.rng_stream;
  std::copy(from.rng_state, from.rng_state + 2, to.rng_state);
}

absl::StatusOr<std::vector<Literal>> DeviceState::RunOne(const Instruction& instruction,
                                                         const std::vector<Literal>& arguments) {
  Program program;
  HLOCTS_ASSIGN_OR_RETURN(plan::GraphModule graphs, plan::BuildGraphsOf(instruction));
  plan::Graph& graph = *graphs.entry;
  program.graphs.push_back(std::make_unique<plan::GraphModule>(std::move(graphs)));
  Compiler compiler(program, compile_);
  HLOCTS_ASSIGN_OR_RETURN(program.entry, compiler.Compile(graph, {}, AliasMode::kNone));
  HLOCTS_RETURN_IF_ERROR(compiler.Finish());
  Run run(program);
  HLOCTS_RETURN_IF_ERROR(run.Prepare());
  Share(state_, run);
  run.device = device_;
  run.replica = device_ / load_.partitions;
  run.partition = device_ % load_.partitions;
  run.world = &world_;
  for (size_t leaf = 0; leaf < arguments.size(); ++leaf) {
    run.SetParameter(*program.entry, leaf, const_cast<uint8_t*>(arguments[leaf].raw_data()));
  }
  std::vector<Literal> results;
  for (const Shape& output : LeafShapes(instruction.shape())) {
    results.push_back(Literal::Uninitialized(output));
  }
  for (size_t r = 0; r < results.size(); ++r) {
    run.SetResult(*program.entry, r, results[r].mutable_raw_data());
  }
  HLOCTS_RETURN_IF_ERROR(run.Execute(*program.entry));
  Share(run, state_);
  return results;
}

class DynamicExecutable : public pjrt::Executable {
 public:
  DynamicExecutable(const Module& module, const pjrt::LoadOptions& load,
                    const CompileOptions& compile)
      : module_(module.Clone()),
        load_(load),
        compile_(compile),
        arguments_(ArgumentLeafShapes(module)) {
    compile_.flush = MayFlush(module, compile);
  }

  absl::StatusOr<pjrt::ExecuteResult> Execute(const pjrt::ExecuteRequest& request) override {
    HLOCTS_RETURN_IF_ERROR(CheckRequest(request, load_, arguments_));
    const int64_t count = load_.replicas * load_.partitions;
    Communicator world(load_.replicas, load_.partitions);
    Feed(request, world);
    pjrt::ExecuteResult result;
    result.outputs.resize(count);
    HLOCTS_RETURN_IF_ERROR(RunDevices(count, world, [&](int64_t device) -> absl::Status {
      const size_t set = request.arguments.size() == 1 ? 0 : static_cast<size_t>(device);
      DeviceState state(load_, compile_, device, world);
      const ScopedFlush flush(compile_.flush);
      HLOCTS_ASSIGN_OR_RETURN(result.outputs[device],
                              plan::RunDynamic(*module_, request.arguments[set], state.engine()));
      return absl::OkStatus();
    }));
    result.outfeed = std::move(world.outfeeds);
    return result;
  }

 private:
  std::unique_ptr<Module> module_;
  pjrt::LoadOptions load_;
  CompileOptions compile_;
  std::vector<Shape> arguments_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<pjrt::Executable>> MakeDynamicExecutable(
    const Module& module, const pjrt::LoadOptions& load, const CompileOptions& compile) {
  return std::unique_ptr<pjrt::Executable>(
      std::make_unique<DynamicExecutable>(module, load, compile));
}

}  // namespace hlocts::cpu
