// SPDX-License-Identifier: Apache-2.0
#include "backends/adapters/pjrt/pjrt_backend.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <deque>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "backends/adapters/pjrt/compile_only.h"
#include "backends/adapters/pjrt/compiled_form.h"
#include "backends/adapters/pjrt/partitioned_form.h"
#include "backends/adapters/pjrt/pjrt_client.h"
#include "backends/adapters/pjrt/spread.h"
#include "backends/backend_list.h"
#include "spec/ir/module.h"
#include "spec/ir/opcode.h"
#include "spec/ops/partitions.h"
#include "spec/proto/convert.h"
#include "spec/proto/hlo.pb.h"

namespace hlocts::backends {
namespace {

constexpr absl::string_view kClientPrefix = "client.";

bool HasOutfeed(const Module& module) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (instruction->opcode() == Opcode::kOutfeed) return true;
    }
  }
  return false;
}

class PjrtExecutable : public Executable {
 public:
  // `output_leaves` are the leaf shapes of one device's outputs.
  PjrtExecutable(PjrtSession& session, std::shared_ptr<PjrtLoadedExecutable> executable,
                 std::vector<Shape> output_leaves, bool has_aliases, bool has_outfeed)
      : session_(session),
        executable_(std::move(executable)),
        output_leaves_(std::move(output_leaves)),
        has_aliases_(has_aliases),
        has_outfeed_(has_outfeed) {}

  absl::StatusOr<ExecuteResult> Execute(const ExecuteRequest& request) override {
    const bool ours = session_.api().extension() != nullptr;
    if (!request.infeed.empty() && !ours) return absl::UnimplementedError("PJRT has no infeed");
    // A program with an outfeed blocks until the outfeed is read.
    if (has_outfeed_ && !ours) return absl::UnimplementedError("PJRT has no outfeed");
    HLOCTS_RETURN_IF_ERROR(CheckOutputCount());
    HLOCTS_ASSIGN_OR_RETURN(std::vector<PJRT_Device*> devices, Devices());
    if (devices.size() != request.arguments.size()) {
      return absl::InternalError(absl::StrCat("the executable runs on ", devices.size(),
                                              " devices, but the arguments are for ",
                                              request.arguments.size()));
    }
    Buffers arguments(devices.size());
    for (size_t d = 0; d < devices.size(); ++d) {
      for (const Literal& leaf : request.arguments[d]) {
        HLOCTS_ASSIGN_OR_RETURN(PjrtBuffer buffer, session_.ToDevice(leaf, devices[d]));
        arguments[d].push_back(std::move(buffer));
      }
    }
    HLOCTS_RETURN_IF_ERROR(session_.WaitFor(arguments));  // transfers are not timed
    HLOCTS_RETURN_IF_ERROR(Feed(request.infeed, devices));
    return RunOn(arguments, request);
  }

  absl::StatusOr<std::string> OptimizedModule() override {
    return session_.OptimizedModule(executable_->get());
  }

 private:
  using Buffers = std::vector<std::vector<PjrtBuffer>>;  // [device][leaf]

  absl::StatusOr<std::vector<PJRT_Device*>> Devices() {
    HLOCTS_PJRT_ASK(session_.api(), LoadedExecutable_AddressableDevices, args, executable,
                    executable_->get());
    return std::vector<PJRT_Device*>(args.addressable_devices,
                                     args.addressable_devices + args.num_addressable_devices);
  }

  // Feeds each device its items, or all devices the same items.
  absl::Status Feed(const std::vector<std::vector<Literal>>& infeed,
                    const std::vector<PJRT_Device*>& devices) {
    if (infeed.empty()) return absl::OkStatus();
    if (infeed.size() != 1 && infeed.size() != devices.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat("infeed: expected none, one, or one for each of ", devices.size(),
                       " devices, found ", infeed.size()));
    }
    for (size_t d = 0; d < devices.size(); ++d) {
      HLOCTS_RETURN_IF_ERROR(
          session_.Feed(executable_->get(), d, devices[d], infeed[infeed.size() == 1 ? 0 : d]));
    }
    return absl::OkStatus();
  }

  absl::Status CheckOutputCount() {
    HLOCTS_ASSIGN_OR_RETURN(const PjrtUnloadedExecutable unloaded,
                            session_.Unloaded(executable_->get()));
    HLOCTS_PJRT_ASK(session_.api(), Executable_NumOutputs, count, executable, unloaded.get());
    if (count.num_outputs == output_leaves_.size()) return absl::OkStatus();
    return absl::InternalError(absl::StrCat("the executable has ", count.num_outputs,
                                            " outputs, not the module's ", output_leaves_.size()));
  }

  absl::StatusOr<ExecuteResult> RunOn(const Buffers& arguments, const ExecuteRequest& request) {
    std::vector<uintptr_t> addresses;
    for (const PjrtBuffer& buffer : arguments[0])
      addresses.push_back(session_.Address(buffer.get()));
    ExecuteResult result;
    Buffers outputs;
    const int64_t runs = request.Repeatable() ? request.runs : 1;
    for (int64_t run = 0; run < runs; ++run) {
      outputs.clear();  // destroyed, as by a caller that has used them
      HLOCTS_ASSIGN_OR_RETURN(outputs, Launch(arguments, request.donated_leaves, result.seconds));
      if (runs > 1) result.seconds_of_runs.push_back(result.seconds);
    }
    HLOCTS_RETURN_IF_ERROR(ReadArgumentStates(arguments[0], addresses, outputs[0], result));
    HLOCTS_RETURN_IF_ERROR(ReadOutputs(outputs, result));
    for (size_t d = 0; d < outputs.size() && session_.api().extension() != nullptr; ++d) {
      HLOCTS_ASSIGN_OR_RETURN(result.outfeed.emplace_back(), session_.Drain(executable_->get(), d));
    }
    if (has_aliases_) HLOCTS_RETURN_IF_ERROR(CompareKept(arguments, request, result));
    return result;
  }

  // Runs once and returns the outputs when they are computed.
  absl::StatusOr<Buffers> Launch(const Buffers& arguments, const std::vector<int64_t>& donated,
                                 double& seconds) {
    size_t device_count = arguments.size();
    std::vector<std::vector<PJRT_Buffer*>> raw_arguments(device_count), raw_outputs(device_count);
    std::vector<PJRT_Buffer* const*> argument_lists;
    std::vector<PJRT_Buffer**> output_lists;
    for (size_t d = 0; d < device_count; ++d) {
      for (const PjrtBuffer& buffer : arguments[d]) raw_arguments[d].push_back(buffer.get());
      raw_outputs[d].resize(output_leaves_.size(), nullptr);
      argument_lists.push_back(raw_arguments[d].data());
      output_lists.push_back(raw_outputs[d].data());
    }
    std::vector<int64_t> kept = NotDonated(arguments[0].size(), donated);
    PJRT_ExecuteOptions options{};
    options.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE;
    options.non_donatable_input_indices = kept.data();
    options.num_non_donatable_input_indices = kept.size();
    std::vector<PJRT_Event*> events(device_count, nullptr);
    auto args = HLOCTS_PJRT_ARGS(LoadedExecutable_Execute);
    args.executable = executable_->get();
    args.options = &options;
    args.argument_lists = argument_lists.data();
    args.num_devices = device_count;
    args.num_args = arguments[0].size();
    args.output_lists = output_lists.data();
    args.device_complete_events = events.data();
    auto start = std::chrono::steady_clock::now();
    HLOCTS_RETURN_IF_ERROR(HLOCTS_PJRT_CALL(session_.api(), PJRT_LoadedExecutable_Execute, &args));
    absl::Status completed;
    for (PJRT_Event* event : events) completed.Update(session_.api().Await(event));
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    Buffers outputs(device_count);
    for (size_t d = 0; d < device_count; ++d) {
      for (PJRT_Buffer* raw : raw_outputs[d]) outputs[d].push_back(OwnBuffer(session_.api(), raw));
    }
    HLOCTS_RETURN_IF_ERROR(completed);
    return outputs;
  }

  static std::vector<int64_t> NotDonated(size_t count, const std::vector<int64_t>& donated) {
    std::vector<int64_t> kept;
    for (int64_t i = 0; i < static_cast<int64_t>(count); ++i) {
      if (std::find(donated.begin(), donated.end(), i) == donated.end()) kept.push_back(i);
    }
    return kept;
  }

  absl::Status ReadArgumentStates(const std::vector<PjrtBuffer>& arguments,
                                  const std::vector<uintptr_t>& addresses,
                                  const std::vector<PjrtBuffer>& outputs, ExecuteResult& result) {
    for (size_t i = 0; i < arguments.size(); ++i) {
      ArgumentState state;
      state.leaf = static_cast<int64_t>(i);
      HLOCTS_ASSIGN_OR_RETURN(state.consumed, session_.IsDeleted(arguments[i].get()));
      for (size_t o = 0; o < outputs.size() && addresses[i] != 0; ++o) {
        if (session_.Address(outputs[o].get()) == addresses[i]) {
          state.aliased_output = static_cast<int64_t>(o);
        }
      }
      result.arguments.push_back(state);
    }
    return absl::OkStatus();
  }

  // Checks that arguments that were not donated keep their contents (clause aliasing.19).
  absl::Status CompareKept(const Buffers& arguments, const ExecuteRequest& request,
                           ExecuteResult& result) {
    for (size_t d = 0; d < arguments.size(); ++d) {
      for (size_t i = 0; i < arguments[d].size(); ++i) {
        HLOCTS_ASSIGN_OR_RETURN(const bool gone, session_.IsDeleted(arguments[d][i].get()));
        const Literal& before = request.arguments[d][i];
        if (gone || !before.shape().IsArray() || before.has_runtime_sizes()) continue;
        HLOCTS_ASSIGN_OR_RETURN(const Literal after,
                                session_.ToHost(arguments[d][i].get(), before.shape()));
        const bool same = std::memcmp(after.raw_data(), before.raw_data(), before.raw_size()) == 0;
        result.arguments[i].changed = result.arguments[i].changed || !same;
      }
    }
    return absl::OkStatus();
  }

  absl::Status ReadOutputs(const Buffers& outputs, ExecuteResult& result) {
    for (const std::vector<PjrtBuffer>& device : outputs) {
      result.outputs.emplace_back();
      for (size_t o = 0; o < device.size(); ++o) {
        HLOCTS_ASSIGN_OR_RETURN(Literal leaf, session_.ToHost(device[o].get(), output_leaves_[o]));
        result.outputs.back().push_back(std::move(leaf));
      }
    }
    return absl::OkStatus();
  }

  PjrtSession& session_;
  std::shared_ptr<PjrtLoadedExecutable> executable_;
  std::vector<Shape> output_leaves_;
  bool has_aliases_, has_outfeed_;
};

// Returns true if the tiling `wanted` splits the array evenly, but `made` splits nothing.
bool IsIgnored(const Tiling& wanted, const Tiling& made, const Shape& array) {
  bool divides = true, cuts = false;
  for (size_t d = 0; d < wanted.counts.size(); ++d) {
    divides = divides && array.dimensions()[d] % wanted.counts[d] == 0;
    cuts = cuts || (wanted.counts[d] > 1 && array.dimensions()[d] > 0);
  }
  return divides && cuts &&
         std::count(made.counts.begin(), made.counts.end(), 1) ==
             static_cast<int64_t>(made.counts.size());
}

// Returns an error if the plugin ignored one of the tilings `wanted`. Releases that do not know
// named shardings compile the module for one device.
absl::Status CheckNotIgnored(const std::vector<Tiling>& wanted, const std::vector<Tiling>& made,
                             const std::vector<Shape>& arrays) {
  for (size_t i = 0; i < arrays.size(); ++i) {
    if (arrays[i].IsArray() && IsIgnored(wanted[i], made[i], arrays[i]))
      return absl::UnimplementedError("the plugin ignores named shardings");
  }
  return absl::OkStatus();
}

class PjrtBackend : public Backend {
 public:
  explicit PjrtBackend(PjrtSettings settings) : settings_(std::move(settings)) {}

  BackendInfo info() override {
    BackendInfo info{.name = settings_.name, .facts = settings_.facts};
    absl::Status status = Ensure(1);
    if (status.ok() && session_->api().extension() != nullptr) status = DescribeOurs(info);
    if (!status.ok()) {
      info.available = false;
      info.error = ErrorOf(status);
    }
    if (!status.ok() || session_->api().extension() == nullptr) DescribePlugin(info);
    if (!status.ok()) return info;
    std::string platform = session_->PlatformVersion();
    if (session_->api().extension() != nullptr) {
      info.version = platform;
      return info;
    }
    info.version = absl::StrCat(settings_.version_prefix, platform, platform.empty() ? "" : ", ",
                                session_->api().Description());
    return info;
  }

  absl::StatusOr<std::unique_ptr<Executable>> Load(const Module& module,
                                                   const LoadOptions& options) override {
    const bool in_tiles = IsSharded(module);
    const int64_t partitions = in_tiles ? module.num_partitions : options.partitions;
    HLOCTS_RETURN_IF_ERROR(Ensure(options.replicas * partitions));
    const bool ours = session_->api().extension() != nullptr;
    const bool sharded = ours ? in_tiles : NeedsPartitioner(module, partitions);
    HLOCTS_RETURN_IF_ERROR(CheckReadable(OutputLeafShapes(module)));
    PjrtCompileOptions compile{options.replicas, partitions, Partitioner::kNone,
                               TakesOneTuple(module), settings_.compile_options};
    if (ours) AddLoadOptions(options, compile.overrides);
    if (sharded) return LoadSharded(module, std::move(compile));
    const std::unique_ptr<Module> undone = ours ? nullptr : WithoutCompiledForm(module);
    auto loaded = Compile(undone ? *undone : module, compile, options.reuse);
    // Compiles without the settings of another compiler, which this compiler may reject.
    const std::unique_ptr<Module> plain =
        ours || loaded.ok() ? nullptr : WithoutBackendConfigs(undone ? *undone : module);
    if (plain == nullptr) return loaded;
    auto again = Compile(*plain, compile, options.reuse);
    return again.ok() ? std::move(again) : std::move(loaded);
  }

  // Passes the bytes to the plugin if it is one of hlocts' plugins, since only these accept and
  // verify every module unchanged. Returns null for a module with aliases, so the worker loads it
  // as a Module and checks that arguments keep their contents.
  absl::StatusOr<std::unique_ptr<Executable>> LoadSerialized(const std::string& module_proto,
                                                             const LoadOptions& options) override {
    HLOCTS_RETURN_IF_ERROR(Ensure(options.replicas * options.partitions));
    proto::HloModuleOutline outline;
    if (session_->api().extension() == nullptr || !outline.ParseFromString(module_proto) ||
        !outline.has_host_program_shape() || outline.num_partitions() > 1 ||
        outline.has_input_output_alias() || outline.has_buffer_donor()) {
      return nullptr;
    }
    HLOCTS_ASSIGN_OR_RETURN(
        const Shape result,
        ShapeFromProto(outline.host_program_shape().result(), Malformed::kKeepExecutable));
    HLOCTS_RETURN_IF_ERROR(CheckReadable(LeafShapes(result)));
    PjrtCompileOptions compile{options.replicas, options.partitions, Partitioner::kNone,
                               /*one_tuple=*/false, settings_.compile_options};
    AddLoadOptions(options, compile.overrides);
    HLOCTS_ASSIGN_OR_RETURN(auto executable, Compile(module_proto, compile, options.reuse));
    return std::make_unique<PjrtExecutable>(*session_, std::move(executable), LeafShapes(result),
                                            /*has_aliases=*/false, /*has_outfeed=*/false);
  }

  // Opens a client with at least `devices` devices. Keeps all clients, since executables use them.
  absl::Status Open(int64_t devices) {
    if (session_ && static_cast<int64_t>(session_->devices().size()) >= devices) {
      return absl::OkStatus();
    }
    if (session_ && settings_.device_count_option.empty()) {
      return NeedsDevices(devices);
    }
    HLOCTS_ASSIGN_OR_RETURN(const PjrtApi* api, PjrtApi::Load(settings_.path));
    if (api->extension() != nullptr) settings_.device_count_option = "cpu_device_count";
    PjrtSession::Options client_options = settings_.client_options;
    if (!settings_.device_count_option.empty()) {
      client_options.emplace_back(settings_.device_count_option, absl::StrCat(devices));
    }
    HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<PjrtSession> session,
                            PjrtSession::Create(*api, client_options));
    sessions_.push_back(std::move(session));
    kept_.clear();
    session_ = sessions_.back().get();
    if (static_cast<int64_t>(session_->devices().size()) >= devices) return absl::OkStatus();
    return NeedsDevices(devices);
  }

 private:
  struct KeptExecutable {
    std::string module_and_options;
    std::shared_ptr<PjrtLoadedExecutable> executable;
  };
  static constexpr size_t kKeptMax = 16;

  absl::Status CheckReadable(const std::vector<Shape>& output_leaves) const {
    const bool ours = session_->api().extension() != nullptr;
    for (const Shape& leaf : output_leaves) {
      if (leaf.IsArray() || (ours && leaf.IsToken())) continue;
      return absl::UnimplementedError(
          absl::StrCat("output of shape ", leaf.ToString(), " cannot be read back by PJRT"));
    }
    return absl::OkStatus();
  }

  absl::Status NeedsDevices(int64_t devices) const {
    EngineError error{.kind = ErrorKind::kNeedsDevices, .devices = devices};
    error.message = absl::StrCat("needs ", devices, " devices, but the plugin has ",
                                 session_->devices().size());
    return EngineStatus(absl::StatusCode::kUnimplemented, error);
  }

  // Returns one of the last kKeptMax executables if reuse is allowed and one matches.
  absl::StatusOr<std::shared_ptr<PjrtLoadedExecutable>> Compile(const std::string& module_proto,
                                                                const PjrtCompileOptions& options,
                                                                bool reuse) {
    std::string key;
    if (reuse) key = absl::StrCat(module_proto, SerializeCompileOptions(options));
    for (const KeptExecutable& kept : kept_) {
      if (reuse && kept.module_and_options == key) return kept.executable;
    }
    HLOCTS_ASSIGN_OR_RETURN(PjrtLoadedExecutable made, session_->Compile(module_proto, options));
    auto executable = std::make_shared<PjrtLoadedExecutable>(std::move(made));
    if (reuse) kept_.push_back({std::move(key), executable});
    if (kept_.size() > kKeptMax) kept_.pop_front();
    return executable;
  }

  absl::StatusOr<std::unique_ptr<Executable>> Compile(const Module& module,
                                                      const PjrtCompileOptions& options,
                                                      bool reuse) {
    HLOCTS_ASSIGN_OR_RETURN(const std::string proto, SerializeModule(module));
    HLOCTS_ASSIGN_OR_RETURN(auto executable, Compile(proto, options, reuse));
    return ExecutableOf(std::move(executable), module, OutputLeafShapes(module));
  }

  std::unique_ptr<Executable> ExecutableOf(std::shared_ptr<PjrtLoadedExecutable> executable,
                                           const Module& module, std::vector<Shape> output_leaves) {
    const bool has_aliases = !module.input_output_alias.empty() || !module.buffer_donor.empty();
    return std::make_unique<PjrtExecutable>(*session_, std::move(executable),
                                            std::move(output_leaves), has_aliases,
                                            HasOutfeed(module));
  }

  absl::StatusOr<std::unique_ptr<Executable>> LoadSharded(const Module& module,
                                                          PjrtCompileOptions options) {
    if (options.num_replicas > 1)
      return absl::UnimplementedError("a partitioned module cannot have several replicas");
    options.partitioner = settings_.partitioner;
    HLOCTS_ASSIGN_OR_RETURN(const std::unique_ptr<Module> formed,
                            PartitionedForm(module, options.partitioner));
    HLOCTS_ASSIGN_OR_RETURN(DeviceTilings spread, DeviceTilingsOf(module));
    HLOCTS_ASSIGN_OR_RETURN(std::string proto, SerializeModule(*formed));
    HLOCTS_ASSIGN_OR_RETURN(auto executable, Compile(proto, options, /*reuse=*/false));
    if (options.partitioner == Partitioner::kShardy) {
      HLOCTS_ASSIGN_OR_RETURN(const std::string made, session_->OptimizedModule(executable->get()));
      const DeviceTilings wanted = spread;
      HLOCTS_RETURN_IF_ERROR(KeepWholeAsIn(made, spread));
      HLOCTS_RETURN_IF_ERROR(
          CheckNotIgnored(wanted.argument_tilings, spread.argument_tilings, spread.arguments));
      HLOCTS_RETURN_IF_ERROR(
          CheckNotIgnored(wanted.result_tilings, spread.result_tilings, spread.results));
    }
    auto on_devices = ExecutableOf(std::move(executable), module, spread.ResultTiles());
    const size_t copies = IsSharded(module) ? 1 : spread.devices;
    return OfFullArrays(std::move(spread), copies, std::move(on_devices));
  }

  absl::Status Ensure(int64_t devices) {
    absl::Status opened = Open(devices);
    // A failure to create a client is not a verdict on a module.
    if (opened.ok() || absl::IsUnimplemented(opened)) return opened;
    return WithCode(absl::StatusCode::kUnavailable, opened);
  }

  static void AddLoadOptions(const LoadOptions& options,
                             std::vector<std::pair<std::string, std::string>>& overrides) {
    overrides.emplace_back(HLOCTS_PJRT_RNG_SEED,
                           absl::StrCat(static_cast<int64_t>(options.rng_seed)));
    overrides.emplace_back(HLOCTS_PJRT_STEPS_MAX, absl::StrCat(options.steps_max));
    overrides.emplace_back(HLOCTS_PJRT_MEMORY_BYTES_MAX, absl::StrCat(options.memory_bytes_max));
    if (!options.custom_calls.empty())
      overrides.emplace_back(HLOCTS_PJRT_CUSTOM_CALLS, options.custom_calls);
  }

  static void DescribePlugin(BackendInfo& info) {
    info.capabilities = {"execute",         "proto",      "replicas",
                         "donation",        "partitions", "without:dynamic-arguments",
                         "optimized-module"};
    AddMissingTypes(info.capabilities);
  }

  absl::Status DescribeOurs(BackendInfo& info) {
    HLOCTS_ASSIGN_OR_RETURN(const std::string words, session_->Words());
    for (absl::string_view word : absl::StrSplit(words, ' ', absl::SkipEmpty())) {
      if (absl::ConsumePrefix(&word, "fact:")) {
        info.facts.emplace_back(word);
      } else {
        info.capabilities.emplace_back(word);
      }
    }
    return absl::OkStatus();
  }

  PjrtSettings settings_;
  std::vector<std::unique_ptr<PjrtSession>> sessions_;
  std::deque<KeptExecutable> kept_;  // the executables of session_, from old to new
  PjrtSession* session_ = nullptr;
};

}  // namespace

std::unique_ptr<Backend> MakePjrtBackendFrom(PjrtSettings settings) {
  return std::make_unique<PjrtBackend>(std::move(settings));
}

absl::Status TakePartitioner(PjrtSettings& settings) {
  for (const auto& [key, value] : settings.compile_options) {
    if (key != "partitioner") continue;
    if (value != "gspmd" && value != "shardy") {
      return InvalidInput("backend \"", settings.name,
                          "\": option partitioner: expected gspmd or shardy, found ", value);
    }
    settings.partitioner = value == "shardy" ? Partitioner::kShardy : Partitioner::kGspmd;
  }
  std::erase_if(settings.compile_options,
                [](const auto& option) { return option.first == "partitioner"; });
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<Backend>> OpenPjrtBackend(PjrtSettings settings) {
  auto backend = std::make_unique<PjrtBackend>(std::move(settings));
  HLOCTS_RETURN_IF_ERROR(backend->Open(1));
  return backend;
}

absl::StatusOr<std::unique_ptr<Backend>> MakePjrtBackend(BackendName name) {
  if (name.argument.empty())
    return InvalidInput("backend \"pjrt:\": expected the path of a plugin");
  PjrtSettings settings{.name = name.text, .path = name.argument};
  for (auto& [key, value] : name.options) {
    if (absl::string_view(key).substr(0, kClientPrefix.size()) == kClientPrefix) {
      settings.client_options.emplace_back(key.substr(kClientPrefix.size()), value);
    } else {
      settings.compile_options.emplace_back(key, value);
    }
  }
  HLOCTS_RETURN_IF_ERROR(TakePartitioner(settings));
  if (DescribesDevices(settings.compile_options))
    return MakeCompileOnlyBackend(std::move(settings));
  return MakePjrtBackendFrom(std::move(settings));
}

}  // namespace hlocts::backends
