// SPDX-License-Identifier: Apache-2.0
// Executables, loaded or not: what they are, and running them.
#include <cstring>
#include <utility>

#include "backends/adapters/xla/pjrt_entries.h"

namespace hlocts::xla_plugin {
namespace {

Status LoadOutputs(PJRT_Executable* executable) {
  std::lock_guard<std::mutex> lock(executable->mutex);
  std::vector<int> types;
  std::vector<std::vector<int64_t>> dimensions;
  Status status = executable->executable->Outputs(&types, &dimensions);
  if (!status.ok() || executable->output_types.size() == types.size()) return status;
  for (int type : types) executable->output_types.push_back(ElementTypeToPjrt(type));
  for (const std::vector<int64_t>& sizes : dimensions) {
    executable->output_ranks.push_back(sizes.size());
    executable->output_dimensions.insert(executable->output_dimensions.end(), sizes.begin(),
                                         sizes.end());
  }
  return {};
}

// Hands a string out with the deleter the C API wants.
template <typename Holder>
void Hold(std::string bytes, const char** data, size_t* size, Holder** holder,
          void (**deleter)(Holder*)) {
  auto* held = new std::string(std::move(bytes));
  *data = held->data();
  *size = held->size();
  *holder = reinterpret_cast<Holder*>(held);
  *deleter = DeleteHeldString<Holder>;
}

}  // namespace

Status ExecutableDestroy(PJRT_Executable_Destroy_Args& args) {
  delete args.executable;
  return {};
}

Status ExecutableName(PJRT_Executable_Name_Args& args) {
  args.executable_name = args.executable->name.data();
  args.executable_name_size = args.executable->name.size();
  return {};
}

Status ExecutableNumReplicas(PJRT_Executable_NumReplicas_Args& args) {
  args.num_replicas = args.executable->executable->num_replicas();
  return {};
}

Status ExecutableNumPartitions(PJRT_Executable_NumPartitions_Args& args) {
  args.num_partitions = args.executable->executable->num_partitions();
  return {};
}

Status ExecutableNumOutputs(PJRT_Executable_NumOutputs_Args& args) {
  Status status = LoadOutputs(args.executable);
  args.num_outputs = args.executable->output_types.size();
  return status;
}

Status ExecutableSizeOfGeneratedCodeInBytes(PJRT_Executable_SizeOfGeneratedCodeInBytes_Args& args) {
  return args.executable->executable->GeneratedCodeSize(&args.size_in_bytes);
}

Status ExecutableGetCostAnalysis(PJRT_Executable_GetCostAnalysis_Args& args) {
  std::lock_guard<std::mutex> lock(args.executable->mutex);
  if (args.executable->costs == nullptr) {
    std::vector<Attribute> properties;
    Status status = args.executable->executable->CostAnalysis(&properties);
    if (!status.ok()) return status;
    args.executable->costs = std::make_unique<NamedValues>(std::move(properties));
  }
  args.properties = args.executable->costs->data();
  args.num_properties = args.executable->costs->size();
  return {};
}

Status ExecutableOutputMemoryKinds(PJRT_Executable_OutputMemoryKinds_Args& args) {
  PJRT_Executable* executable = args.executable;
  std::lock_guard<std::mutex> lock(executable->mutex);
  if (executable->memory_kinds.empty()) {
    Status status = executable->executable->OutputMemoryKinds(&executable->memory_kinds);
    if (!status.ok()) return status;
    for (const std::string& kind : executable->memory_kinds) {
      executable->memory_kind_data.push_back(kind.data());
      executable->memory_kind_sizes.push_back(kind.size());
    }
  }
  args.num_outputs = executable->memory_kinds.size();
  args.memory_kinds = executable->memory_kind_data.data();
  args.memory_kind_sizes = executable->memory_kind_sizes.data();
  return {};
}

// Called twice: with program->code null it tells the size, then it fills the caller's memory.
Status ExecutableOptimizedProgram(PJRT_Executable_OptimizedProgram_Args& args) {
  if (Status status = CheckPointer(args.program, "program"); !status.ok()) return status;
  std::lock_guard<std::mutex> lock(args.executable->mutex);
  if (args.executable->program.empty()) {
    Status status = args.executable->executable->OptimizedProgram(&args.executable->program);
    if (!status.ok()) return status;
  }
  static constexpr char kFormat[] = "hlo";
  const std::string& found = args.executable->program;
  args.program->format = kFormat;
  args.program->format_size = sizeof(kFormat) - 1;
  if (args.program->code == nullptr) {
    args.program->code_size = found.size();
    return {};
  }
  if (args.program->code_size < found.size()) {
    return {kInvalidArgument, "program->code_size: expected at least " +
                                  std::to_string(found.size()) + ", found " +
                                  std::to_string(args.program->code_size)};
  }
  std::memcpy(args.program->code, found.data(), found.size());
  return {};
}

Status ExecutableSerialize(PJRT_Executable_Serialize_Args& args) {
  std::string bytes;
  Status status = args.executable->executable->Serialize(&bytes);
  if (!status.ok()) return status;
  Hold(std::move(bytes), &args.serialized_bytes, &args.serialized_bytes_size,
       &args.serialized_executable, &args.serialized_executable_deleter);
  return {};
}

Status ExecutableOutputElementTypes(PJRT_Executable_OutputElementTypes_Args& args) {
  Status status = LoadOutputs(args.executable);
  args.output_types = args.executable->output_types.data();
  args.num_output_types = args.executable->output_types.size();
  return status;
}

Status ExecutableOutputDimensions(PJRT_Executable_OutputDimensions_Args& args) {
  Status status = LoadOutputs(args.executable);
  args.num_outputs = args.executable->output_ranks.size();
  args.dims = args.executable->output_dimensions.data();
  args.dim_sizes = args.executable->output_ranks.data();
  return status;
}

Status ExecutableFingerprint(PJRT_Executable_Fingerprint_Args& args) {
  std::lock_guard<std::mutex> lock(args.executable->mutex);
  Status status = args.executable->executable->Fingerprint(&args.executable->fingerprint);
  args.executable_fingerprint = args.executable->fingerprint.data();
  args.executable_fingerprint_size = args.executable->fingerprint.size();
  return status;
}

Status ExecutableGetCompiledMemoryStats(PJRT_Executable_GetCompiledMemoryStats_Args& args) {
  MemoryStats stats;
  Status status = args.executable->executable->GetMemoryStats(&stats);
  if (!status.ok()) return status;
  args.generated_code_size_in_bytes = stats.generated_code;
  args.argument_size_in_bytes = stats.argument;
  args.output_size_in_bytes = stats.output;
  args.alias_size_in_bytes = stats.alias;
  args.temp_size_in_bytes = stats.temp;
  args.host_generated_code_size_in_bytes = stats.host_generated_code;
  args.host_argument_size_in_bytes = stats.host_argument;
  args.host_output_size_in_bytes = stats.host_output;
  args.host_alias_size_in_bytes = stats.host_alias;
  args.host_temp_size_in_bytes = stats.host_temp;
  args.peak_memory_in_bytes = stats.peak;
  args.total_size_in_bytes = stats.total;
  return {};
}

Status ExecutableGetCompileOptions(PJRT_Executable_GetCompileOptions_Args& args) {
  std::string bytes;
  Status status = args.executable->executable->CompileOptions(&bytes);
  if (!status.ok()) return status;
  Hold(std::move(bytes), &args.serialized_bytes, &args.serialized_bytes_size,
       &args.serialized_compile_options, &args.serialized_compile_options_deleter);
  return {};
}

Status LoadedExecutableDestroy(PJRT_LoadedExecutable_Destroy_Args& args) {
  delete args.executable;
  return {};
}

Status LoadedExecutableGetExecutable(PJRT_LoadedExecutable_GetExecutable_Args& args) {
  args.executable = new PJRT_Executable(args.loaded_executable->executable);
  return {};
}

Status LoadedExecutableAddressableDevices(PJRT_LoadedExecutable_AddressableDevices_Args& args) {
  args.addressable_devices = args.executable->devices.data();
  args.num_addressable_devices = args.executable->devices.size();
  return {};
}

Status LoadedExecutableGetDeviceAssignment(PJRT_LoadedExecutable_GetDeviceAssignment_Args& args) {
  std::string bytes;
  Status status = args.executable->executable->DeviceAssignment(&bytes);
  if (!status.ok()) return status;
  Hold(std::move(bytes), &args.serialized_bytes, &args.serialized_bytes_size,
       &args.serialized_device_assignment, &args.serialized_device_assignment_deleter);
  return {};
}

Status LoadedExecutableDelete(PJRT_LoadedExecutable_Delete_Args& args) {
  args.executable->executable->Delete();
  return {};
}

Status LoadedExecutableIsDeleted(PJRT_LoadedExecutable_IsDeleted_Args& args) {
  args.is_deleted = args.executable->executable->IsDeleted();
  return {};
}

Status LoadedExecutableFingerprint(PJRT_LoadedExecutable_Fingerprint_Args& args) {
  Status status = args.executable->executable->Fingerprint(&args.executable->fingerprint);
  args.executable_fingerprint = args.executable->fingerprint.data();
  args.executable_fingerprint_size = args.executable->fingerprint.size();
  return status;
}

namespace {

Status ReadOptions(const PJRT_ExecuteOptions* given, size_t num_args, ExecuteOptions* options) {
  if (Status status = CheckPointer(given, "options"); !status.ok()) return status;
  if (given->struct_size < PJRT_STRUCT_SIZE(PJRT_ExecuteOptions, num_non_donatable_input_indices)) {
    return {kInvalidArgument, "PJRT_ExecuteOptions: expected a larger struct_size, found " +
                                  std::to_string(given->struct_size)};
  }
  if (given->num_send_ops != 0 || given->num_recv_ops != 0) {
    return {kUnimplemented, "send and recv callbacks: XLA:CPU has none"};
  }
  options->launch_id = given->launch_id;
  for (size_t i = 0; i < given->num_non_donatable_input_indices; ++i) {
    const int64_t index = given->non_donatable_input_indices[i];
    if (index < 0 || static_cast<size_t>(index) >= num_args) {
      return {kInvalidArgument, "non_donatable_input_indices: expected 0 to " +
                                    std::to_string(num_args) + " (exclusive), found " +
                                    std::to_string(index)};
    }
    options->non_donatable_input_indices.push_back(static_cast<int>(index));
  }
  if (given->struct_size >= PJRT_STRUCT_SIZE(PJRT_ExecuteOptions, call_location) &&
      given->call_location != nullptr) {
    options->call_location = given->call_location;
  }
  return {};
}

Status ReadArguments(const PJRT_LoadedExecutable_Execute_Args& args,
                     std::vector<std::vector<Buffer*>>* arguments) {
  const size_t expected = args.execute_device != nullptr ? 1 : args.executable->devices.size();
  if (args.num_devices != expected) {
    return {kInvalidArgument, "num_devices: expected " + std::to_string(expected) + ", found " +
                                  std::to_string(args.num_devices)};
  }
  for (size_t device = 0; device < args.num_devices; ++device) {
    arguments->emplace_back();
    for (size_t i = 0; i < args.num_args; ++i) {
      PJRT_Buffer* buffer = args.argument_lists[device][i];
      if (Status status = CheckPointer(buffer, "argument " + std::to_string(i)); !status.ok()) {
        return status;
      }
      if (buffer->buffer->IsDeleted()) {
        return {kInvalidArgument, "argument " + std::to_string(i) +
                                      ": expected a live buffer, found one deleted or donated"};
      }
      arguments->back().push_back(buffer->buffer.get());
    }
  }
  return {};
}

}  // namespace

Status LoadedExecutableExecute(PJRT_LoadedExecutable_Execute_Args& args) {
  ExecuteOptions options;
  std::vector<std::vector<Buffer*>> arguments;
  Status status = ReadOptions(args.options, args.num_args, &options);
  if (status.ok()) status = ReadArguments(args, &arguments);
  if (!status.ok()) return status;
  std::vector<std::vector<std::unique_ptr<Buffer>>> outputs;
  std::vector<std::unique_ptr<Event>> done;
  const bool want_events = args.device_complete_events != nullptr;
  status = args.executable->executable->Execute(
      arguments, options, args.execute_device != nullptr ? &args.execute_device->index : nullptr,
      &outputs, want_events ? &done : nullptr);
  if (!status.ok()) return status;
  for (size_t device = 0; device < outputs.size(); ++device) {
    for (size_t i = 0; i < outputs[device].size(); ++i) {
      args.output_lists[device][i] =
          MakeBuffer(args.executable->client, std::move(outputs[device][i]));
    }
    if (want_events) args.device_complete_events[device] = MakeEvent(std::move(done[device]));
  }
  return {};
}

}  // namespace hlocts::xla_plugin
