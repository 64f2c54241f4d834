// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cuda/run/executable.h"

#include <algorithm>
#include <mutex>
#include <new>

#include "backends/engine/plan/dynamic_interpreter.h"
#include "backends/engine/plan/request.h"
#include "spec/ir/module.h"

namespace hlocts::cuda {
namespace {

// Runs each replica and partition in a thread. All threads share the device.
class DeviceExecutable : public pjrt::Executable {
 public:
  DeviceExecutable(const Module& module, const pjrt::LoadOptions& load,
                   const CompileOptions& compile, std::shared_ptr<Device> device)
      : load_(load),
        compile_(compile),
        device_(std::move(device)),
        arguments_(ArgumentLeafShapes(module)) {}

  absl::StatusOr<pjrt::ExecuteResult> Execute(const pjrt::ExecuteRequest& request) override;

 protected:
  // Runs the module as one device of the execution. `run` has the numbers of that device.
  virtual absl::StatusOr<std::vector<Literal>> RunOne(
      Run& run, const std::vector<Literal>& arguments) const = 0;

  const pjrt::LoadOptions load_;
  const CompileOptions compile_;
  const std::shared_ptr<Device> device_;
  const std::vector<Shape> arguments_;

 private:
  RunState StateOf(int64_t number, plan::Communicator& world) const {
    RunState state;
    state.steps_left = load_.steps_max;
    state.rng_seed = state.rng_state[0] = load_.rng_seed;
    state.device_number = number;
    state.replica = number / load_.partitions;
    state.partition = number % load_.partitions;
    state.world = &world;
    return state;
  }

  std::mutex mutex_;
};

absl::StatusOr<pjrt::ExecuteResult> DeviceExecutable::Execute(const pjrt::ExecuteRequest& request) {
  HLOCTS_RETURN_IF_ERROR(plan::CheckRequest(request, load_, arguments_));
  std::lock_guard<std::mutex> lock(mutex_);
  const int64_t count = load_.replicas * load_.partitions;
  pjrt::ExecuteResult result;
  result.outputs.resize(count);
  plan::Communicator world(load_.replicas, load_.partitions);
  plan::Feed(request, world);
  HLOCTS_RETURN_IF_ERROR(plan::RunDevices(count, world, [&](int64_t d) -> absl::Status {
    const size_t set = request.arguments.size() == 1 ? 0 : static_cast<size_t>(d);
    Run run(*device_, StateOf(d, world), load_.memory_bytes_max);
    HLOCTS_ASSIGN_OR_RETURN(result.outputs[d], RunOne(run, request.arguments[set]));
    return absl::OkStatus();
  }));
  result.outfeed = std::move(world.outfeeds);
  return result;
}

class StaticExecutable : public DeviceExecutable {
 public:
  StaticExecutable(const Module& module, const pjrt::LoadOptions& load,
                   const CompileOptions& compile, std::shared_ptr<Device> device)
      : DeviceExecutable(module, load, compile, std::move(device)),
        compiler_(*device_, compile),
        outputs_(OutputLeafShapes(module)) {}

  absl::Status Compile(const Module& module) {
    HLOCTS_ASSIGN_OR_RETURN(plan::GraphModule graphs, plan::BuildGraphs(module));
    plan::Graph& entry = *graphs.entry;
    compiler_.graphs.push_back(std::make_unique<plan::GraphModule>(std::move(graphs)));
    HLOCTS_ASSIGN_OR_RETURN(entry_, compiler_.Compile(entry));
    return absl::OkStatus();
  }

 private:
  absl::StatusOr<std::vector<Literal>> RunOne(
      Run& run, const std::vector<Literal>& arguments) const override {
    HLOCTS_RETURN_IF_ERROR(CheckMemory());
    return run.CallOnLiterals(*entry_, arguments, outputs_);
  }
  absl::Status CheckMemory() const;

  Compiler compiler_;
  const Function* entry_ = nullptr;
  const std::vector<Shape> outputs_;
};

absl::Status StaticExecutable::CheckMemory() const {
  int64_t bytes = 0;
  for (const std::vector<Shape>* shapes : {&arguments_, &outputs_}) {
    for (const Shape& shape : *shapes) {
      const int64_t more = shape.StorageSizeBytes();
      if (more > load_.memory_bytes_max - bytes) {
        return absl::ResourceExhaustedError(
            absl::StrCat("arguments and outputs need more than the budget of ",
                         load_.memory_bytes_max, " bytes"));
      }
      bytes += more;
    }
  }
  return absl::OkStatus();
}

// Runs a module instruction by instruction. Each instruction is compiled for its run-time sizes.
class DynamicExecutable : public DeviceExecutable {
 public:
  DynamicExecutable(const Module& module, const pjrt::LoadOptions& load,
                    const CompileOptions& compile, std::shared_ptr<Device> device)
      : DeviceExecutable(module, load, compile, std::move(device)), module_(module.Clone()) {}

 private:
  absl::StatusOr<std::vector<Literal>> RunOne(
      Run& run, const std::vector<Literal>& arguments) const override {
    const auto run_one =
        [&](const Instruction& instruction,
            const std::vector<Literal>& leaves) -> absl::StatusOr<std::vector<Literal>> {
      HLOCTS_ASSIGN_OR_RETURN(plan::GraphModule graphs, plan::BuildGraphsOf(instruction));
      Compiler compiler(*device_, compile_);
      HLOCTS_ASSIGN_OR_RETURN(const Function* function, compiler.Compile(*graphs.entry));
      return run.CallOnLiterals(*function, leaves, LeafShapes(instruction.shape()));
    };
    return plan::RunDynamic(*module_, arguments, {run_one, [&] { return run.ChargeSteps(1); }});
  }

  std::unique_ptr<Module> module_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<pjrt::Executable>> MakeExecutable(const Module& module,
                                                                 const pjrt::LoadOptions& load,
                                                                 const CompileOptions& compile,
                                                                 std::shared_ptr<Device> device) {
  if (plan::IsDynamic(module)) {
    return std::make_unique<DynamicExecutable>(module, load, compile, std::move(device));
  }
  auto executable = std::make_unique<StaticExecutable>(module, load, compile, std::move(device));
  HLOCTS_RETURN_IF_ERROR(executable->Compile(module));
  return executable;
}

absl::StatusOr<std::vector<std::string>> KernelSources(const Module& module) {
  std::vector<std::string> sources;
  CompileOptions options;
  options.sources = &sources;
  StaticExecutable executable(module, pjrt::LoadOptions(), options, MakeHostDevice());
  HLOCTS_RETURN_IF_ERROR(executable.Compile(module));
  return sources;
}

}  // namespace hlocts::cuda
