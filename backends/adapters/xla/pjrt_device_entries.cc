// SPDX-License-Identifier: Apache-2.0
// Devices, memories and topologies: facts copied once from XLA.
#include <utility>

#include "backends/adapters/xla/pjrt_entries.h"

namespace hlocts::xla_plugin {

Status DeviceDescriptionId(PJRT_DeviceDescription_Id_Args& args) {
  args.id = args.device_description->info.id;
  return {};
}

Status DeviceDescriptionProcessIndex(PJRT_DeviceDescription_ProcessIndex_Args& args) {
  args.process_index = args.device_description->info.process_index;
  return {};
}

Status DeviceDescriptionAttributes(PJRT_DeviceDescription_Attributes_Args& args) {
  args.attributes = args.device_description->attributes.data();
  args.num_attributes = args.device_description->attributes.size();
  return {};
}

Status DeviceDescriptionKind(PJRT_DeviceDescription_Kind_Args& args) {
  args.device_kind = args.device_description->info.kind.data();
  args.device_kind_size = args.device_description->info.kind.size();
  return {};
}

Status DeviceDescriptionDebugString(PJRT_DeviceDescription_DebugString_Args& args) {
  args.debug_string = args.device_description->info.debug_string.data();
  args.debug_string_size = args.device_description->info.debug_string.size();
  return {};
}

Status DeviceDescriptionToString(PJRT_DeviceDescription_ToString_Args& args) {
  args.to_string = args.device_description->info.to_string.data();
  args.to_string_size = args.device_description->info.to_string.size();
  return {};
}

Status DeviceGetDescription(PJRT_Device_GetDescription_Args& args) {
  args.device_description = args.device->description;
  return {};
}

Status DeviceIsAddressable(PJRT_Device_IsAddressable_Args& args) {
  args.is_addressable = args.device->description->info.addressable;
  return {};
}

Status DeviceLocalHardwareId(PJRT_Device_LocalHardwareId_Args& args) {
  args.local_hardware_id = args.device->description->info.local_hardware_id;
  return {};
}

Status DeviceAddressableMemories(PJRT_Device_AddressableMemories_Args& args) {
  args.memories = args.device->memories.data();
  args.num_memories = args.device->memories.size();
  return {};
}

Status DeviceDefaultMemory(PJRT_Device_DefaultMemory_Args& args) {
  args.memory = args.device->client->memories[args.device->description->info.default_memory];
  return {};
}

Status MemoryId(PJRT_Memory_Id_Args& args) {
  args.id = args.memory->info.id;
  return {};
}

Status MemoryKind(PJRT_Memory_Kind_Args& args) {
  args.kind = args.memory->info.kind.data();
  args.kind_size = args.memory->info.kind.size();
  return {};
}

Status MemoryKindId(PJRT_Memory_Kind_Id_Args& args) {
  args.kind_id = args.memory->info.kind_id;
  return {};
}

Status MemoryDebugString(PJRT_Memory_DebugString_Args& args) {
  args.debug_string = args.memory->info.debug_string.data();
  args.debug_string_size = args.memory->info.debug_string.size();
  return {};
}

Status MemoryToString(PJRT_Memory_ToString_Args& args) {
  args.to_string = args.memory->info.to_string.data();
  args.to_string_size = args.memory->info.to_string.size();
  return {};
}

Status MemoryAddressableByDevices(PJRT_Memory_AddressableByDevices_Args& args) {
  args.devices = args.memory->devices.data();
  args.num_devices = args.memory->devices.size();
  return {};
}

// A topology of CPU devices is a client that nobody runs on: it costs milliseconds.
Status TopologyCreate(PJRT_TopologyDescription_Create_Args& args) {
  ClientOptions options;
  Status status = ParseClientOptions(args.create_options, args.num_options, &options);
  std::unique_ptr<Client> client;
  if (status.ok()) status = Client::Create(options, &client);
  if (status.ok()) args.topology = new PJRT_TopologyDescription(std::move(client));
  return status;
}

Status TopologyDestroy(PJRT_TopologyDescription_Destroy_Args& args) {
  delete args.topology;
  return {};
}

Status TopologyPlatformName(PJRT_TopologyDescription_PlatformName_Args& args) {
  args.platform_name = args.topology->client->platform_name().data();
  args.platform_name_size = args.topology->client->platform_name().size();
  return {};
}

Status TopologyPlatformVersion(PJRT_TopologyDescription_PlatformVersion_Args& args) {
  args.platform_version = args.topology->client->platform_version().data();
  args.platform_version_size = args.topology->client->platform_version().size();
  return {};
}

Status TopologyGetDeviceDescriptions(PJRT_TopologyDescription_GetDeviceDescriptions_Args& args) {
  args.descriptions = args.topology->descriptions.data();
  args.num_descriptions = args.topology->descriptions.size();
  return {};
}

Status TopologyAttributes(PJRT_TopologyDescription_Attributes_Args& args) {
  args.attributes = args.topology->attributes.data();
  args.num_attributes = args.topology->attributes.size();
  return {};
}

Status Compile(PJRT_Compile_Args& args) {
  Status status = CheckPointer(args.topology, "topology");
  if (status.ok()) status = CheckPointer(args.program, "program");
  if (!status.ok()) return status;
  std::unique_ptr<Executable> executable;
  status = args.topology->client->Compile({args.program->format, args.program->format_size},
                                          {args.program->code, args.program->code_size},
                                          {args.compile_options, args.compile_options_size},
                                          &executable);
  if (status.ok()) args.executable = new PJRT_Executable(std::move(executable));
  return status;
}

}  // namespace hlocts::xla_plugin
