// SPDX-License-Identifier: Apache-2.0
// Compiles and serializes programs: a serialized module and compile options, loaded by the engine.
#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "spec/infer/verifier.h"
#include "spec/ir/module.h"
#include "spec/pjrt/compile_options.pb.h"
#include "spec/pjrt/table/engine.h"
#include "spec/pjrt/table/objects.h"
#include "spec/proto/convert.h"
#include "spec/proto/hlo.pb.h"

namespace hlocts::pjrt {
namespace {

absl::StatusOr<std::string> ModuleBytes(PJRT_Client& client, absl::string_view format,
                                        absl::string_view code) {
  if (format == "hlo") return std::string(code);
  if (format == "hlo_with_config") return ModuleWithoutConfig(code);
  if (format == "mlir") return client.converter->ToHlo(code);
  return Unsupported("program format: expected hlo, hlo_with_config or mlir, found \"", format,
                     "\"");
}

std::string TextOf(const OptionOverrideProto& value) {
  switch (value.value_case()) {
    case OptionOverrideProto::kBoolField:
      return value.bool_field() ? "true" : "false";
    case OptionOverrideProto::kIntField:
      return absl::StrCat(value.int_field());
    case OptionOverrideProto::kDoubleField:
      return absl::StrCat(value.double_field());
    case OptionOverrideProto::kStringField:
    case OptionOverrideProto::VALUE_NOT_SET:
      break;
  }
  return value.string_field();
}

// Returns the devices of all partitions of replica 0, then of replica 1, and so on.
absl::StatusOr<std::vector<int>> AssignmentOf(const ExecutableBuildOptionsProto& build,
                                              int64_t replicas, int64_t partitions,
                                              size_t devices) {
  std::vector<int> assignment;
  const DeviceAssignmentProto& given = build.device_assignment();
  for (int64_t i = 0; i < replicas * partitions; ++i) {
    int64_t id = i;
    if (build.has_device_assignment()) {
      const int64_t replica = i / partitions, partition = i % partitions;
      if (partition >= given.computation_devices_size() ||
          replica >=
              given.computation_devices(static_cast<int>(partition)).replica_device_ids_size()) {
        return InvalidInput("device assignment: expected a device for replica ", replica,
                            ", partition ", partition, ", found none");
      }
      id = given.computation_devices(static_cast<int>(partition))
               .replica_device_ids(static_cast<int>(replica));
    }
    if (id < 0 || id >= static_cast<int64_t>(devices))
      return InvalidInput("device assignment: no device ", id, ", the client has ", devices);
    assignment.push_back(static_cast<int>(id));
  }
  return assignment;
}

absl::StatusOr<LoadOptions> TakeLoadOptions(Options& options) {
  LoadOptions load;
  HLOCTS_ASSIGN_OR_RETURN(const int64_t seed, options.TakeInt(HLOCTS_PJRT_RNG_SEED, 0, INT64_MIN));
  load.rng_seed = static_cast<uint64_t>(seed);
  HLOCTS_ASSIGN_OR_RETURN(load.steps_max,
                          options.TakeInt(HLOCTS_PJRT_STEPS_MAX, load.steps_max, 0));
  HLOCTS_ASSIGN_OR_RETURN(load.memory_bytes_max,
                          options.TakeInt(HLOCTS_PJRT_MEMORY_BYTES_MAX, load.memory_bytes_max, 0));
  load.custom_calls = options.Take(HLOCTS_PJRT_CUSTOM_CALLS);
  return load;
}

absl::StatusOr<std::shared_ptr<Engine>> EngineFor(PJRT_Client& client, const Options& overrides) {
  Options options = client.options;
  options.Append(overrides);
  std::lock_guard<std::mutex> lock(client.mutex);
  std::shared_ptr<Engine>& engine = client.engines[options.Key()];
  if (engine == nullptr) {
    HLOCTS_ASSIGN_OR_RETURN(engine, CurrentPlugin().make(options));
  }
  return engine;
}

// Adds the shardings of the entry's parameters and result to the module, where clients read them.
void AddEntryShardings(proto::HloModuleProto& module) {
  proto::OpSharding replicated;
  replicated.set_type(proto::OpSharding::REPLICATED);
  module.clear_spmd_parameters_shardings();
  for (int i = 0; i < module.host_program_shape().parameters_size(); ++i)
    *module.add_spmd_parameters_shardings() = replicated;
  *module.mutable_spmd_output_sharding() = replicated;
  const proto::ShapeProto& result = module.host_program_shape().result();
  if (result.element_type() == proto::TUPLE) {
    module.mutable_spmd_output_sharding()->set_type(proto::OpSharding::TUPLE);
    for (int i = 0; i < result.tuple_shapes_size(); ++i)
      *module.mutable_spmd_output_sharding()->add_tuple_shardings() = replicated;
  }
  for (const proto::HloComputationProto& computation : module.computations()) {
    if (computation.id() != module.entry_computation_id()) continue;
    for (const proto::HloInstructionProto& instruction : computation.instructions()) {
      if (!instruction.has_sharding()) continue;
      const int64_t number = instruction.parameter_number();
      if (instruction.opcode() == "parameter" && number < module.spmd_parameters_shardings_size())
        *module.mutable_spmd_parameters_shardings(static_cast<int>(number)) =
            instruction.sharding();
      if (instruction.id() == computation.root_id())
        *module.mutable_spmd_output_sharding() = instruction.sharding();
    }
  }
}

}  // namespace

std::string Options::Key() const {
  std::string key;
  for (const auto& [name, value] : entries_) absl::StrAppend(&key, name, "=", value, "\n");
  return key;
}

std::vector<std::string> Options::TakeAll(absl::string_view name) {
  std::vector<std::string> values;
  for (const auto& [key, value] : entries_) {
    if (key == name) values.push_back(value);
  }
  entries_.erase(std::remove_if(entries_.begin(), entries_.end(),
                                [&](const auto& entry) { return entry.first == name; }),
                 entries_.end());
  return values;
}

std::string Options::Take(absl::string_view name) {
  std::vector<std::string> values = TakeAll(name);
  return values.empty() ? "" : std::move(values.back());
}

absl::StatusOr<bool> Options::TakeBool(absl::string_view name, bool otherwise) {
  const std::string value = Take(name);
  if (value.empty()) return otherwise;
  if (value == "true" || value == "false") return value == "true";
  return InvalidInput("option ", name, ": expected true or false, found ", value);
}

absl::StatusOr<int64_t> Options::TakeInt(absl::string_view name, int64_t otherwise, int64_t least) {
  const std::string value = Take(name);
  if (value.empty()) return otherwise;
  int64_t number = 0;
  if (absl::SimpleAtoi(value, &number) && number >= least) return number;
  return InvalidInput("option ", name, ": expected at least ", least, ", found ", value);
}

absl::Status Options::CheckNoUnknownOptions(absl::string_view expected) const {
  if (entries_.empty()) return absl::OkStatus();
  return InvalidInput("option ", entries_[0].first, ": expected one of ", expected);
}

const std::string& Program::Fingerprint() const {
  std::call_once(fingerprinted_, [&] {
    uint64_t hash = 14695981039346656037u;
    for (const absl::string_view bytes : {module_bytes, options_bytes}) {
      for (const char byte : bytes) hash = (hash ^ static_cast<uint8_t>(byte)) * 1099511628211u;
    }
    fingerprint_ = absl::StrFormat("%016x", hash);
  });
  return fingerprint_;
}

absl::StatusOr<std::shared_ptr<Program>> CompileProgram(PJRT_Client& client,
                                                        absl::string_view format,
                                                        absl::string_view code,
                                                        absl::string_view options) {
  auto program = std::make_shared<Program>();
  HLOCTS_ASSIGN_OR_RETURN(program->module_bytes, ModuleBytes(client, format, code));
  program->options_bytes = std::string(options);
  // The engine verifies the module.
  HLOCTS_ASSIGN_OR_RETURN(const std::unique_ptr<Module> module,
                          ParseSerializedModule(program->module_bytes, Malformed::kKeepExecutable));
  CompileOptionsProto proto;
  if (!proto.ParseFromString(program->options_bytes)) {
    return InvalidInput("compile options: expected a serialized CompileOptionsProto, found ",
                        options.size(), " bytes that cannot be parsed");
  }
  Options overrides;
  for (const auto& [name, value] : proto.env_option_overrides()) overrides.Add(name, TextOf(value));
  HLOCTS_ASSIGN_OR_RETURN(LoadOptions load, TakeLoadOptions(overrides));
  const ExecutableBuildOptionsProto& build = proto.executable_build_options();
  load.replicas = std::max<int64_t>(build.num_replicas(), 1);
  load.partitions = std::max<int64_t>(build.num_partitions(), 1);
  if (load.replicas > kDevicesMax || load.partitions > kDevicesMax)
    return InvalidInput("replicas x partitions: expected 1 to ", kDevicesMax, " devices");
  HLOCTS_ASSIGN_OR_RETURN(program->assignment, AssignmentOf(build, load.replicas, load.partitions,
                                                            client.devices.size()));
  program->replicas = load.replicas;
  program->partitions = load.partitions;
  if (load.partitions > 1 && build.use_spmd_partitioning()) {
    module->num_partitions = load.partitions;
    HLOCTS_RETURN_IF_ERROR(VerifyModule(*module));
    HLOCTS_ASSIGN_OR_RETURN(program->spread, SpreadOf(*module, load.partitions));
    if (!program->spread->is_per_device) module->num_partitions = load.partitions = 1;
  }
  HLOCTS_ASSIGN_OR_RETURN(program->engine, EngineFor(client, overrides));
  HLOCTS_ASSIGN_OR_RETURN(program->executable, program->engine->Load(*module, load));
  program->arguments =
      program->spread ? program->spread->ArgumentTiles() : ArgumentLeafShapes(*module);
  program->outputs = program->spread ? program->spread->OutputTiles() : OutputLeafShapes(*module);
  program->donations = DonationsOf(*module);
  program->name = module->name();
  return program;
}

absl::StatusOr<std::shared_ptr<Program>> DeserializeProgram(PJRT_Client& client,
                                                            absl::string_view bytes,
                                                            absl::string_view options) {
  SerializedProgram program;
  if (!program.ParseFromString(std::string(bytes)))
    return InvalidInput("expected a serialized executable of this plugin, found other data");
  return CompileProgram(client, "hlo", program.module(),
                        options.empty() ? absl::string_view(program.compile_options()) : options);
}

absl::StatusOr<std::string> OptimizedProgram(const Program& program) {
  proto::HloModuleProto module;
  if (!module.ParseFromString(program.module_bytes))
    return absl::InternalError("the module of an executable cannot be parsed");
  proto::HloModuleProtoWithConfig result;
  *result.mutable_config()->mutable_entry_computation_layout() = module.host_program_shape();
  result.mutable_config()->set_replica_count(program.replicas);
  result.mutable_config()->set_num_partitions(program.partitions);
  if (program.spread.has_value()) AddEntryShardings(module);
  result.set_hlo_module(module.SerializeAsString());
  return result.SerializeAsString();
}

std::string SerializeProgram(const Program& program) {
  SerializedProgram serialized;
  serialized.set_module(program.module_bytes);
  serialized.set_compile_options(program.options_bytes);
  return serialized.SerializeAsString();
}

}  // namespace hlocts::pjrt
