// SPDX-License-Identifier: Apache-2.0
// Entries for the properties of executables and of loaded executables.
#include <cstring>
#include <utility>

#include "spec/pjrt/compile_options.pb.h"
#include "spec/pjrt/table/entries.h"

namespace hlocts::pjrt {
namespace {

// Returns a string through the output arguments, with the deleter that the C API requires.
template <typename Holder>
void Hold(std::string bytes, const char*& data, size_t& size, Holder*& holder,
          void (*&deleter)(Holder*)) {
  auto* held = new std::string(std::move(bytes));
  data = held->data();
  size = held->size();
  holder = reinterpret_cast<Holder*>(held);
  deleter = [](Holder* done) { delete reinterpret_cast<std::string*>(done); };
}

int64_t BytesOf(const std::vector<Shape>& shapes) {
  int64_t bytes = 0;
  for (const Shape& shape : shapes) bytes += shape.IsArray() ? shape.StorageSizeBytes() : 0;
  return bytes;
}

}  // namespace

void Entry(PJRT_Executable_Destroy_Args& args) { delete args.executable; }

void Entry(PJRT_Executable_Name_Args& args) {
  args.executable_name = args.executable->program->name.data();
  args.executable_name_size = args.executable->program->name.size();
}

void Entry(PJRT_Executable_NumReplicas_Args& args) {
  args.num_replicas = static_cast<size_t>(args.executable->program->replicas);
}

void Entry(PJRT_Executable_NumPartitions_Args& args) {
  args.num_partitions = static_cast<size_t>(args.executable->program->partitions);
}

void Entry(PJRT_Executable_NumOutputs_Args& args) {
  args.num_outputs = args.executable->output_types.size();
}

void Entry(PJRT_Executable_SizeOfGeneratedCodeInBytes_Args& args) { args.size_in_bytes = 0; }

void Entry(PJRT_Executable_OutputMemoryKinds_Args& args) {
  args.num_outputs = args.executable->memory_kinds.size();
  args.memory_kinds = args.executable->memory_kinds.data();
  args.memory_kind_sizes = args.executable->memory_kind_sizes.data();
}

// A caller calls twice: first for the size, then with memory of that size.
absl::Status Entry(PJRT_Executable_OptimizedProgram_Args& args) {
  static constexpr absl::string_view kFormat = "hlo_with_config";
  HLOCTS_RETURN_IF_ERROR(CheckPointer(args.program, "program"));
  PJRT_Program& program = *args.program;
  HLOCTS_ASSIGN_OR_RETURN(const std::string bytes, OptimizedProgram(*args.executable->program));
  program.format = kFormat.data();
  program.format_size = kFormat.size();
  if (program.code != nullptr && program.code_size < bytes.size())
    return InvalidInput("code_size: expected at least ", bytes.size(), ", found ",
                        program.code_size);
  if (program.code != nullptr) std::memcpy(program.code, bytes.data(), bytes.size());
  program.code_size = bytes.size();
  return absl::OkStatus();
}

void Entry(PJRT_Executable_Serialize_Args& args) {
  Hold(SerializeProgram(*args.executable->program), args.serialized_bytes,
       args.serialized_bytes_size, args.serialized_executable, args.serialized_executable_deleter);
}

void Entry(PJRT_Executable_OutputElementTypes_Args& args) {
  args.output_types = args.executable->output_types.data();
  args.num_output_types = args.executable->output_types.size();
}

void Entry(PJRT_Executable_OutputDimensions_Args& args) {
  args.num_outputs = args.executable->output_ranks.size();
  args.dims = args.executable->output_dimensions.data();
  args.dim_sizes = args.executable->output_ranks.data();
}

void Entry(PJRT_Executable_Fingerprint_Args& args) {
  args.executable_fingerprint = args.executable->program->Fingerprint().data();
  args.executable_fingerprint_size = args.executable->program->Fingerprint().size();
}

// Leaves the size of temporaries 0, because the engine does not report it.
void Entry(PJRT_Executable_GetCompiledMemoryStats_Args& args) {
  PJRT_Executable_GetCompiledMemoryStats_Args stats = {};
  stats.struct_size = args.struct_size;
  stats.extension_start = args.extension_start;
  stats.executable = args.executable;
  stats.argument_size_in_bytes = BytesOf(args.executable->program->arguments);
  stats.output_size_in_bytes = BytesOf(args.executable->program->outputs);
  args = stats;
}

void Entry(PJRT_Executable_GetCompileOptions_Args& args) {
  Hold(args.executable->program->options_bytes, args.serialized_bytes, args.serialized_bytes_size,
       args.serialized_compile_options, args.serialized_compile_options_deleter);
}

void Entry(PJRT_LoadedExecutable_Destroy_Args& args) { delete args.executable; }

void Entry(PJRT_LoadedExecutable_GetExecutable_Args& args) {
  static constexpr absl::string_view kMemoryKind = "device";
  auto made = std::make_unique<PJRT_Executable>();
  made->program = args.loaded_executable->program;
  for (const Shape& shape : made->program->outputs) {
    made->output_types.push_back(BufferTypeOf(shape.element_type()));
    made->output_ranks.push_back(shape.dimensions().size());
    made->output_dimensions.insert(made->output_dimensions.end(), shape.dimensions().begin(),
                                   shape.dimensions().end());
    made->memory_kinds.push_back(kMemoryKind.data());
    made->memory_kind_sizes.push_back(kMemoryKind.size());
  }
  args.executable = made.release();
}

void Entry(PJRT_LoadedExecutable_AddressableDevices_Args& args) {
  args.addressable_devices = args.executable->devices.data();
  args.num_addressable_devices = args.executable->devices.size();
}

void Entry(PJRT_LoadedExecutable_GetDeviceAssignment_Args& args) {
  const Program& program = *args.executable->program;
  DeviceAssignmentProto proto;
  proto.set_replica_count(static_cast<int>(program.replicas));
  proto.set_computation_count(static_cast<int>(program.partitions));
  for (int64_t partition = 0; partition < program.partitions; ++partition) {
    auto* devices = proto.add_computation_devices();
    for (int64_t replica = 0; replica < program.replicas; ++replica) {
      devices->add_replica_device_ids(
          program.assignment[static_cast<size_t>(replica * program.partitions + partition)]);
    }
  }
  Hold(proto.SerializeAsString(), args.serialized_bytes, args.serialized_bytes_size,
       args.serialized_device_assignment, args.serialized_device_assignment_deleter);
}

void Entry(PJRT_LoadedExecutable_Delete_Args& args) {
  std::lock_guard<std::mutex> lock(args.executable->mutex);
  args.executable->deleted = true;
}

void Entry(PJRT_LoadedExecutable_IsDeleted_Args& args) {
  std::lock_guard<std::mutex> lock(args.executable->mutex);
  args.is_deleted = args.executable->deleted;
}

void Entry(PJRT_LoadedExecutable_Fingerprint_Args& args) {
  args.executable_fingerprint = args.executable->program->Fingerprint().data();
  args.executable_fingerprint_size = args.executable->program->Fingerprint().size();
}

}  // namespace hlocts::pjrt
