// SPDX-License-Identifier: Apache-2.0
// Clients: creation, devices, compilation, and everything that makes a buffer.
#include <algorithm>
#include <utility>

#include "backends/adapters/xla/pjrt_entries.h"

namespace hlocts::xla_plugin {
namespace {

// Where a new buffer goes: the memory when given, else the device's default memory.
Status PickMemory(const PJRT_Device* device, const PJRT_Memory* memory, int* index) {
  if (memory != nullptr) {
    *index = memory->index;
    return {};
  }
  if (Status status = CheckPointer(device, "device or memory"); !status.ok()) return status;
  *index = device->description->info.default_memory;
  return {};
}

struct NewArray {
  int element_type = 0;
  std::vector<int64_t> dimensions;
  std::vector<int64_t> minor_to_major;
  bool has_layout = false;
  const std::vector<int64_t>* layout() const { return has_layout ? &minor_to_major : nullptr; }
};

Status DescribeArray(PJRT_Buffer_Type type, const int64_t* dims, size_t num_dims,
                     const PJRT_Buffer_MemoryLayout* layout, NewArray* array) {
  array->element_type = ElementTypeFromPjrt(type);
  if (array->element_type == 0) {
    return {kInvalidArgument, "element type: expected a PJRT_Buffer_Type of this version, found " +
                                  std::to_string(type)};
  }
  array->dimensions.assign(dims, dims + num_dims);
  for (int64_t size : array->dimensions) {
    if (size < 0) {
      return {kInvalidArgument, "dims: expected sizes >= 0, found " + std::to_string(size)};
    }
  }
  array->has_layout = layout != nullptr;
  if (layout == nullptr) return {};
  return MinorToMajor(*layout, array->dimensions, HostElementBytes(array->element_type),
                      &array->minor_to_major);
}

PJRT_LoadedExecutable* MakeLoadedExecutable(PJRT_Client* client,
                                            std::unique_ptr<Executable> executable) {
  auto* made = new PJRT_LoadedExecutable;
  made->client = client;
  made->executable = std::move(executable);
  for (int device : made->executable->addressable_devices()) {
    made->devices.push_back(client->devices[device]);
  }
  std::vector<int> types;
  std::vector<std::vector<int64_t>> dimensions;
  if (made->executable->Outputs(&types, &dimensions).ok()) made->num_outputs = types.size();
  return made;
}

}  // namespace

Status ClientCreate(PJRT_Client_Create_Args& args) {
  ClientOptions options;
  Status status = ParseClientOptions(args.create_options, args.num_options, &options);
  std::unique_ptr<Client> client;
  if (status.ok()) status = Client::Create(options, &client);
  if (status.ok()) args.client = new PJRT_Client(std::move(client));
  return status;
}

Status ClientDestroy(PJRT_Client_Destroy_Args& args) {
  delete args.client;
  return {};
}

Status ClientPlatformName(PJRT_Client_PlatformName_Args& args) {
  args.platform_name = args.client->client->platform_name().data();
  args.platform_name_size = args.client->client->platform_name().size();
  return {};
}

Status ClientProcessIndex(PJRT_Client_ProcessIndex_Args& args) {
  args.process_index = args.client->client->process_index();
  return {};
}

Status ClientPlatformVersion(PJRT_Client_PlatformVersion_Args& args) {
  args.platform_version = args.client->client->platform_version().data();
  args.platform_version_size = args.client->client->platform_version().size();
  return {};
}

Status ClientDevices(PJRT_Client_Devices_Args& args) {
  args.devices = args.client->devices.data();
  args.num_devices = args.client->devices.size();
  return {};
}

Status ClientAddressableDevices(PJRT_Client_AddressableDevices_Args& args) {
  args.addressable_devices = args.client->addressable_devices.data();
  args.num_addressable_devices = args.client->addressable_devices.size();
  return {};
}

Status ClientLookupDevice(PJRT_Client_LookupDevice_Args& args) {
  for (PJRT_Device* device : args.client->devices) {
    if (device->description->info.id != args.id) continue;
    args.device = device;
    return {};
  }
  return {kInvalidArgument, "device id: expected one of this client's " +
                                std::to_string(args.client->devices.size()) + " devices, found " +
                                std::to_string(args.id)};
}

Status ClientLookupAddressableDevice(PJRT_Client_LookupAddressableDevice_Args& args) {
  for (PJRT_Device* device : args.client->addressable_devices) {
    if (device->description->info.local_hardware_id != args.local_hardware_id) continue;
    args.addressable_device = device;
    return {};
  }
  return {kInvalidArgument, "local hardware id: expected that of a device of this client, found " +
                                std::to_string(args.local_hardware_id)};
}

Status ClientAddressableMemories(PJRT_Client_AddressableMemories_Args& args) {
  args.addressable_memories = args.client->memories.data();
  args.num_addressable_memories = args.client->memories.size();
  return {};
}

Status ClientCompile(PJRT_Client_Compile_Args& args) {
  if (Status status = CheckPointer(args.program, "program"); !status.ok()) return status;
  std::unique_ptr<Executable> executable;
  Status status =
      args.client->client->Compile({args.program->format, args.program->format_size},
                                   {args.program->code, args.program->code_size},
                                   {args.compile_options, args.compile_options_size}, &executable);
  if (status.ok()) args.executable = MakeLoadedExecutable(args.client, std::move(executable));
  return status;
}

Status ExecutableDeserializeAndLoad(PJRT_Executable_DeserializeAndLoad_Args& args) {
  std::unique_ptr<Executable> executable;
  Status status = args.client->client->Deserialize(
      {args.serialized_executable, args.serialized_executable_size},
      {args.overridden_serialized_compile_options, args.overridden_serialized_compile_options_size},
      &executable);
  if (status.ok()) {
    args.loaded_executable = MakeLoadedExecutable(args.client, std::move(executable));
  }
  return status;
}

Status ClientDefaultDeviceAssignment(PJRT_Client_DefaultDeviceAssignment_Args& args) {
  if (args.num_replicas < 1 || args.num_partitions < 1) {
    return {kInvalidArgument, "num_replicas and num_partitions: expected at least 1"};
  }
  std::vector<int> ids;
  Status status =
      args.client->client->DefaultDeviceAssignment(args.num_replicas, args.num_partitions, &ids);
  if (!status.ok()) return status;
  if (args.default_assignment_size < ids.size()) {
    return {kFailedPrecondition, "default_assignment_size: expected at least " +
                                     std::to_string(ids.size()) + ", found " +
                                     std::to_string(args.default_assignment_size)};
  }
  std::copy(ids.begin(), ids.end(), args.default_assignment);
  return {};
}

Status ClientBufferFromHostBuffer(PJRT_Client_BufferFromHostBuffer_Args& args) {
  int memory = 0;
  NewArray described;
  Status status = PickMemory(args.device, args.memory, &memory);
  if (status.ok()) {
    status = DescribeArray(args.type, args.dims, args.num_dims, args.device_layout, &described);
  }
  if (!status.ok()) return status;
  HostArray array;
  array.data = args.data;
  array.element_type = described.element_type;
  array.dimensions = described.dimensions;
  array.semantics = static_cast<HostBuffer>(args.host_buffer_semantics);
  if (args.num_byte_strides != 0) {
    if (args.num_byte_strides != args.num_dims) {
      return {kInvalidArgument, "byte_strides: expected " + std::to_string(args.num_dims) +
                                    " of them or none, found " +
                                    std::to_string(args.num_byte_strides)};
    }
    array.byte_strides.emplace(args.byte_strides, args.byte_strides + args.num_byte_strides);
  }
  std::unique_ptr<Event> done;
  std::unique_ptr<Buffer> buffer;
  status = args.client->client->BufferFromHost(array, memory, described.layout(), &done, &buffer);
  if (!status.ok()) return status;
  args.done_with_host_buffer = MakeEvent(std::move(done));
  args.buffer = MakeBuffer(args.client, std::move(buffer));
  return {};
}

Status ClientCreateUninitializedBuffer(PJRT_Client_CreateUninitializedBuffer_Args& args) {
  int memory = 0;
  NewArray array;
  std::unique_ptr<Buffer> buffer;
  Status status = PickMemory(args.device, args.memory, &memory);
  if (status.ok()) {
    status = DescribeArray(args.shape_element_type, args.shape_dims, args.shape_num_dims,
                           args.shape_layout, &array);
  }
  if (status.ok()) {
    status = args.client->client->UninitializedBuffer(array.element_type, array.dimensions,
                                                      array.layout(), memory, &buffer);
  }
  if (status.ok()) args.buffer = MakeBuffer(args.client, std::move(buffer));
  return status;
}

Status ClientCreateErrorBuffer(PJRT_Client_CreateErrorBuffer_Args& args) {
  int memory = 0;
  NewArray array;
  std::unique_ptr<Buffer> buffer;
  if (args.error_code == PJRT_Error_Code_OK) {
    return {kInvalidArgument, "error_code: expected an error, found OK"};
  }
  Status status = PickMemory(nullptr, args.memory, &memory);
  if (status.ok()) {
    status = DescribeArray(args.shape_element_type, args.shape_dims, args.shape_num_dims,
                           args.shape_layout, &array);
  }
  if (status.ok()) {
    status = args.client->client->ErrorBuffer(
        {args.error_code, std::string(args.error_message, args.error_message_size)},
        array.element_type, array.dimensions, memory, &buffer);
  }
  if (status.ok()) args.buffer = MakeBuffer(args.client, std::move(buffer));
  return status;
}

Status ClientCreateViewOfDeviceBuffer(PJRT_Client_CreateViewOfDeviceBuffer_Args& args) {
  int memory = 0;
  NewArray array;
  std::unique_ptr<Buffer> buffer;
  Status status = PickMemory(args.device, args.memory, &memory);
  if (status.ok()) {
    status = DescribeArray(args.element_type, args.dims, args.num_dims, args.layout, &array);
  }
  if (!status.ok()) return status;
  std::function<void()> on_delete;
  if (args.on_delete_callback != nullptr) {
    on_delete = [callback = args.on_delete_callback, data = args.device_buffer_ptr,
                 user_arg = args.on_delete_callback_arg] { callback(data, user_arg); };
  }
  status = args.client->client->ViewOfDeviceBuffer(args.device_buffer_ptr, array.element_type,
                                                   array.dimensions, array.layout(), memory,
                                                   std::move(on_delete), &buffer);
  if (status.ok()) args.buffer = MakeBuffer(args.client, std::move(buffer));
  return status;
}

Status ClientTopologyDescription(PJRT_Client_TopologyDescription_Args& args) {
  args.topology = &args.client->topology;
  return {};
}

}  // namespace hlocts::xla_plugin
