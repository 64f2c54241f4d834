// SPDX-License-Identifier: Apache-2.0
#include "backends/adapters/pjrt/compile_only.h"

#include <fstream>
#include <sstream>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "backends/adapters/pjrt/compiled_form.h"
#include "backends/adapters/pjrt/partitioned_form.h"
#include "backends/adapters/pjrt/pjrt_client.h"
#include "spec/files/home_folder.h"
#include "spec/ir/module.h"
#include "spec/ops/partitions.h"
#include "spec/proto/convert.h"
#include "spec/targets/targets.h"

namespace hlocts::backends {
namespace {

constexpr absl::string_view kTopology = "topology", kTarget = "target", kPrefix = "topology.";
constexpr absl::string_view kName = "topology_name";  // an argument of the API, not an option

using PjrtTopology = PjrtOwned<PJRT_TopologyDescription, PJRT_TopologyDescription_Destroy_Args>;

class CompiledExecutable : public Executable {
 public:
  explicit CompiledExecutable(std::string optimized) : optimized_(std::move(optimized)) {}
  absl::StatusOr<ExecuteResult> Execute(const ExecuteRequest&) override {
    return absl::UnimplementedError("compiled without a device: nothing is executed");
  }
  absl::StatusOr<std::string> OptimizedModule() override { return optimized_; }

 private:
  std::string optimized_;
};

class CompileOnlyBackend : public Backend {
 public:
  explicit CompileOnlyBackend(PjrtSettings settings) : settings_(std::move(settings)) {}

  BackendInfo info() override {
    BackendInfo info{
        .name = settings_.name,
        .capabilities = {"compile-only", "proto", "replicas", "optimized-module", "partitions"},
        .facts = settings_.facts};
    AddMissingTypes(info.capabilities);
    const absl::Status opened = Open();
    info.available = opened.ok();
    if (!opened.ok()) {
      info.error = ErrorOf(opened);
      return info;
    }
    info.version = absl::StrCat(settings_.version_prefix, devices_, " devices described, ",
                                api_->Description());
    return info;
  }

  absl::StatusOr<std::unique_ptr<Executable>> Load(const Module& module,
                                                   const LoadOptions& options) override {
    HLOCTS_RETURN_IF_ERROR(Open());
    const int64_t partitions = IsSharded(module) ? module.num_partitions : options.partitions;
    const bool sharded = NeedsPartitioner(module, partitions);
    if (sharded && options.replicas > 1)
      return absl::UnimplementedError("a partitioned module cannot have several replicas");
    const int64_t wanted = options.replicas * partitions;
    if (wanted > devices_) {
      return absl::UnimplementedError(
          absl::StrCat("needs ", wanted, " devices, but the topology has ", devices_));
    }
    std::unique_ptr<Module> plain;
    if (sharded) {
      HLOCTS_ASSIGN_OR_RETURN(plain, PartitionedForm(module, settings_.partitioner));
    } else {
      plain = WithoutCompiledForm(module);
    }
    HLOCTS_ASSIGN_OR_RETURN(const std::string proto, SerializeModule(plain ? *plain : module));
    PJRT_Program program = HloProgram(proto);
    PjrtCompileOptions compile{.num_replicas = options.replicas, .num_partitions = partitions};
    if (sharded) compile.partitioner = settings_.partitioner;
    compile.one_tuple = TakesOneTuple(module);
    compile.overrides = settings_.compile_options;
    const std::string serialized = SerializeCompileOptions(compile);
    auto args = HLOCTS_PJRT_ARGS(Compile);
    args.topology = topology_.get();
    args.program = &program;
    args.compile_options = serialized.data();
    args.compile_options_size = serialized.size();
    HLOCTS_RETURN_IF_ERROR(HLOCTS_PJRT_CALL(*api_, PJRT_Compile, &args));
    const PjrtUnloadedExecutable compiled = OwnUnloadedExecutable(*api_, args.executable);
    HLOCTS_ASSIGN_OR_RETURN(std::string optimized, OptimizedModuleOf(*api_, compiled.get()));
    return std::make_unique<CompiledExecutable>(std::move(optimized));
  }

 private:
  // Opens the plugin and its topology description. Returns kUnavailable if there is no description.
  absl::Status Open() {
    if (topology_.get() != nullptr) return absl::OkStatus();
    HLOCTS_ASSIGN_OR_RETURN(api_, PjrtApi::Load(settings_.path));
    std::string name;
    PjrtOptions others = settings_.client_options;
    std::erase_if(others, [&](const auto& option) {
      if (option.first == kName) name = option.second;
      return option.first == kName;
    });
    const std::vector<PJRT_NamedValue> values = ToNamedValues(others);
    auto args = HLOCTS_PJRT_ARGS(TopologyDescription_Create);
    args.topology_name = name.data();
    args.topology_name_size = name.size();
    args.create_options = values.data();
    args.num_options = values.size();
    const absl::Status created = HLOCTS_PJRT_CALL(*api_, PJRT_TopologyDescription_Create, &args);
    if (!created.ok())
      return absl::UnavailableError(absl::StrCat("topology ", name, ": ", created.message()));
    topology_ = {api_, args.topology, api_->table().PJRT_TopologyDescription_Destroy,
                 &PJRT_TopologyDescription_Destroy_Args::topology,
                 PJRT_TopologyDescription_Destroy_Args_STRUCT_SIZE};
    HLOCTS_PJRT_ASK(*api_, TopologyDescription_GetDeviceDescriptions, devices, topology,
                    topology_.get());
    devices_ = static_cast<int64_t>(devices.num_descriptions);
    return absl::OkStatus();
  }

  PjrtSettings settings_;
  const PjrtApi* api_ = nullptr;
  PjrtTopology topology_;
  int64_t devices_ = 0;
};

// Returns the GpuTargetConfigProto of `chip` in text format.
absl::StatusOr<std::string> TargetDescription(const std::string& chip) {
  const std::string path =
      absl::StrCat(HomeFolder(), "/backends/adapters/pjrt/gpu_targets/", chip, ".textproto");
  std::ifstream in(path);
  if (!absl::c_all_of(chip, absl::ascii_isalnum) || !in)
    return InvalidInput("target: expected a file of gpu_targets, found \"", chip, "\"");
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace

bool DescribesDevices(const PjrtOptions& options) {
  return absl::c_any_of(options, [](const auto& option) {
    return option.first == kTopology || option.first == kTarget;
  });
}

absl::StatusOr<std::unique_ptr<Backend>> MakeCompileOnlyBackend(PjrtSettings settings) {
  PjrtOptions rest;
  std::string topology, chip;
  for (auto& [key, value] : settings.compile_options) {
    absl::string_view name = key;
    if (name == kTopology) {
      topology = value;
    } else if (name == kTarget) {
      chip = value;
    } else if (absl::ConsumePrefix(&name, kPrefix)) {
      settings.client_options.emplace_back(name, value);
    } else {
      rest.emplace_back(key, value);
    }
  }
  settings.compile_options = std::move(rest);
  if (chip.empty()) {
    settings.client_options.emplace_back(kName, topology);
    chip = topology.substr(0, topology.find(':'));
  } else {
    HLOCTS_ASSIGN_OR_RETURN(std::string description, TargetDescription(chip));
    settings.client_options.emplace_back(kTopology, topology.empty() ? "1x1x1" : topology);
    settings.client_options.emplace_back("target_config", std::move(description));
  }
  const auto target = FindTarget(chip);
  if (settings.facts.empty() && target.ok()) settings.facts = target->Facts();
  return std::unique_ptr<Backend>(std::make_unique<CompileOnlyBackend>(std::move(settings)));
}

}  // namespace hlocts::backends
