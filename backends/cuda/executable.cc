#include "backends/cuda/executable.h"

#include <algorithm>
#include <mutex>
#include <new>

#include "backends/plan/request.h"

namespace hlocts::cuda {
namespace {

class StaticExecutable : public Executable {
 public:
  StaticExecutable(const Module& module, const LoadOptions& load, const CompileOptions& compile,
                   std::shared_ptr<Device> device)
      : device_(std::move(device)),
        load_(load),
        compiler_(*device_, compile),
        arguments_(ArgumentLeafShapes(module)),
        outputs_(OutputLeafShapes(module)),
        aliases_(plan::AliasPairsOf(module)),
        donors_(plan::DonorsOf(module)) {}

  absl::Status Compile(const Module& module) {
    HLOCTS_ASSIGN_OR_RETURN(plan::GraphModule graphs, plan::BuildGraphs(module));
    plan::Graph& entry = *graphs.entry;
    compiler_.graphs.push_back(std::make_unique<plan::GraphModule>(std::move(graphs)));
    HLOCTS_ASSIGN_OR_RETURN(entry_, compiler_.Compile(entry));
    return absl::OkStatus();
  }

  absl::StatusOr<ExecuteResult> Execute(const ExecuteRequest& request) override;

 private:
  absl::Status RunOne(const std::vector<Literal>& arguments, int64_t number, plan::World& world,
                      std::vector<Literal>& outputs, double& seconds);
  absl::Status CheckMemory() const;

  std::shared_ptr<Device> device_;
  LoadOptions load_;
  Compiler compiler_;
  std::vector<Shape> arguments_, outputs_;
  std::vector<plan::AliasPair> aliases_;
  std::vector<int64_t> donors_;
  const Function* entry_ = nullptr;
  std::mutex mutex_;
};

absl::Status StaticExecutable::CheckMemory() const {
  int64_t bytes = 0;
  for (const std::vector<Shape>* shapes : {&arguments_, &outputs_}) {
    for (const Shape& shape : *shapes) {
      const int64_t more = shape.StorageSizeBytes();
      if (more > load_.memory_bytes_max - bytes) {
        return absl::ResourceExhaustedError(absl::StrCat(
            "arguments and outputs need more than the budget of ", load_.memory_bytes_max, " bytes"));
      }
      bytes += more;
    }
  }
  return absl::OkStatus();
}

absl::Status StaticExecutable::RunOne(const std::vector<Literal>& arguments, int64_t number,
                                      plan::World& world, std::vector<Literal>& outputs,
                                      double& seconds) {
  Run run(*device_, load_.memory_bytes_max);
  run.steps_left = load_.steps_max;
  run.rng_seed = run.rng_state[0] = load_.rng_seed;
  run.device_number = number;
  run.replica = number / load_.partitions;
  run.partition = number % load_.partitions;
  run.world = &world;
  HLOCTS_ASSIGN_OR_RETURN(outputs, run.CallOnLiterals(*entry_, arguments, outputs_));
  seconds = run.seconds;
  return absl::OkStatus();
}

absl::StatusOr<ExecuteResult> StaticExecutable::Execute(const ExecuteRequest& request) {
  HLOCTS_RETURN_IF_ERROR(plan::CheckRequest(request, load_, arguments_));
  HLOCTS_RETURN_IF_ERROR(CheckMemory());
  std::lock_guard<std::mutex> lock(mutex_);
  const int64_t count = load_.replicas * load_.partitions;
  ExecuteResult result;
  result.outputs.resize(count);
  std::vector<double> seconds(static_cast<size_t>(count), 0);
  plan::World world(load_.replicas, load_.partitions);
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

absl::StatusOr<std::unique_ptr<Executable>> MakeStaticExecutable(const Module& module,
                                                                 const LoadOptions& load,
                                                                 const CompileOptions& compile,
                                                                 std::shared_ptr<Device> device) {
  auto executable = std::make_unique<StaticExecutable>(module, load, compile, std::move(device));
  HLOCTS_RETURN_IF_ERROR(executable->Compile(module));
  return std::unique_ptr<Executable>(std::move(executable));
}

absl::StatusOr<std::vector<std::string>> KernelSources(const Module& module) {
  std::vector<std::string> sources;
  CompileOptions options;
  options.sources = &sources;
  StaticExecutable executable(module, LoadOptions(), options, MakeHostDevice());
  HLOCTS_RETURN_IF_ERROR(executable.Compile(module));
  return sources;
}

}  // namespace hlocts::cuda
