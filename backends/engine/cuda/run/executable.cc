// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cuda/run/executable.h"

#include <algorithm>
#include <mutex>
#include <new>

#include "backends/engine/cuda/compile/graphs.h"
#include "backends/engine/plan/request.h"

namespace hlocts::cuda {
namespace {

// A graph costs about what this many runs without one do.
constexpr int64_t kRunsBefore = 2;

class StaticExecutable : public backends::Executable {
 public:
  StaticExecutable(const Module& module, const backends::LoadOptions& load,
                   const CompileOptions& compile, const Devices& devices)
      : load_(load),
        repeated_(static_cast<size_t>(load.replicas * load.partitions)),
        graphs_(compile.graphs),
        arguments_(backends::ArgumentLeafShapes(module)),
        outputs_(backends::OutputLeafShapes(module)),
        aliases_(plan::AliasPairsOf(module)),
        donors_(plan::DonorsOf(module)) {
    for (const auto& device : devices) {
      places_.push_back({device, std::make_unique<Compiler>(*device, compile)});
    }
  }

  absl::Status Compile(const Module& module) {
    for (Place& place : places_) {
      HLOCTS_ASSIGN_OR_RETURN(plan::GraphModule graphs, plan::BuildGraphs(module));
      plan::Graph& entry = *graphs.entry;
      place.compiler->graphs.push_back(std::make_unique<plan::GraphModule>(std::move(graphs)));
      HLOCTS_ASSIGN_OR_RETURN(place.entry, place.compiler->Compile(entry));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<backends::ExecuteResult> Execute(const backends::ExecuteRequest& request) override;

 private:
  absl::Status RunOne(const std::vector<Literal>& arguments, int64_t number,
                      plan::Communicator& world, std::vector<Literal>& outputs, double& seconds);
  absl::Status CheckMemory() const;
  KeptFunction* KeptOf(Run& run, const Function& entry, int64_t number);

  // A device, and the module compiled for it.
  struct Place {
    std::shared_ptr<Device> device;
    std::unique_ptr<Compiler> compiler;
    const Function* entry = nullptr;
  };
  backends::LoadOptions load_;
  std::vector<Place> places_;
  // Of each device: its runs so far, and the entry as a graph.
  struct Repeated {
    int64_t runs = 0;
    std::unique_ptr<KeptFunction> kept;
  };
  std::vector<Repeated> repeated_;
  Graphs graphs_;
  std::vector<Shape> arguments_, outputs_;
  std::vector<plan::AliasPair> aliases_;
  std::vector<int64_t> donors_;
  std::mutex mutex_;
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

absl::Status StaticExecutable::RunOne(const std::vector<Literal>& arguments, int64_t number,
                                      plan::Communicator& world, std::vector<Literal>& outputs,
                                      double& seconds) {
  const Place& place = places_[static_cast<size_t>(number) % places_.size()];
  Run run(*place.device, load_.memory_bytes_max);
  run.steps_left = load_.steps_max;
  run.rng_seed = run.rng_state[0] = load_.rng_seed;
  run.device_number = number;
  run.replica = number / load_.partitions;
  run.partition = number % load_.partitions;
  run.devices = static_cast<int64_t>(places_.size());
  run.world = &world;
  if (KeptFunction* kept = KeptOf(run, *place.entry, number)) {
    HLOCTS_ASSIGN_OR_RETURN(outputs, kept->Call(run, arguments, outputs_));
  } else {
    HLOCTS_ASSIGN_OR_RETURN(outputs, run.CallOnLiterals(*place.entry, arguments, outputs_));
  }
  seconds = run.seconds;
  return absl::OkStatus();
}

// The entry as a graph, from the run on where it is worth it; nullptr: step by step.
KeptFunction* StaticExecutable::KeptOf(Run& run, const Function& entry, int64_t number) {
  const int64_t before = graphs_ == Graphs::kAlways ? 0 : kRunsBefore;
  Repeated& repeated = repeated_[static_cast<size_t>(number)];
  if (graphs_ != Graphs::kNever && entry.only_launches && repeated.runs++ == before) {
    repeated.kept = KeptFunction::New(run, entry);
  }
  return repeated.kept.get();
}

absl::StatusOr<backends::ExecuteResult> StaticExecutable::Execute(
    const backends::ExecuteRequest& request) {
  HLOCTS_RETURN_IF_ERROR(plan::CheckRequest(request, load_, arguments_));
  HLOCTS_RETURN_IF_ERROR(CheckMemory());
  std::lock_guard<std::mutex> lock(mutex_);
  const int64_t count = load_.replicas * load_.partitions;
  backends::ExecuteResult result;
  result.outputs.resize(count);
  std::vector<double> seconds(static_cast<size_t>(count), 0);
  plan::Communicator world(load_.replicas, load_.partitions);
  plan::Feed(request, world);
  HLOCTS_RETURN_IF_ERROR(plan::RunDevices(count, world, [&](int64_t d) {
    const size_t set = request.arguments.size() == 1 ? 0 : static_cast<size_t>(d);
    return RunOne(request.arguments[set], d, world, result.outputs[d], seconds[d]);
  }));
  result.outfeed = std::move(world.outfeeds);
  result.arguments =
      plan::StatesOf(aliases_, donors_, request.arguments[0].size(), request.donated_leaves);
  result.seconds = *std::max_element(seconds.begin(), seconds.end());
  return result;
}

}  // namespace

absl::StatusOr<std::unique_ptr<backends::Executable>> MakeStaticExecutable(
    const Module& module, const backends::LoadOptions& load, const CompileOptions& compile,
    const Devices& devices) {
  auto executable = std::make_unique<StaticExecutable>(module, load, compile, devices);
  HLOCTS_RETURN_IF_ERROR(executable->Compile(module));
  return std::unique_ptr<backends::Executable>(std::move(executable));
}

absl::StatusOr<std::vector<std::string>> KernelSources(const Module& module) {
  std::vector<std::string> sources;
  CompileOptions options;
  options.sources = &sources;
  StaticExecutable executable(module, backends::LoadOptions(), options, {MakeHostDevice()});
  HLOCTS_RETURN_IF_ERROR(executable.Compile(module));
  return sources;
}

}  // namespace hlocts::cuda
