// SPDX-License-Identifier: Apache-2.0
// Entries for devices, memories and topologies.
#include "spec/pjrt/table/entries.h"

namespace hlocts::pjrt {
namespace {

constexpr absl::string_view kMemoryKind = "device";

void WriteText(absl::string_view text, const char*& data, size_t& size) {
  data = text.data();
  size = text.size();
}

}  // namespace

void Entry(PJRT_DeviceDescription_Id_Args& args) { args.id = args.device_description->id; }

void Entry(PJRT_DeviceDescription_ProcessIndex_Args& args) { args.process_index = 0; }

void Entry(PJRT_DeviceDescription_Attributes_Args& args) {
  args.attributes = nullptr;
  args.num_attributes = 0;
}

void Entry(PJRT_DeviceDescription_Kind_Args& args) {
  WriteText(args.device_description->kind, args.device_kind, args.device_kind_size);
}

void Entry(PJRT_DeviceDescription_DebugString_Args& args) {
  WriteText(args.device_description->text, args.debug_string, args.debug_string_size);
}

void Entry(PJRT_DeviceDescription_ToString_Args& args) {
  WriteText(args.device_description->text, args.to_string, args.to_string_size);
}

void Entry(PJRT_Device_GetDescription_Args& args) {
  args.device_description = args.device->description;
}

void Entry(PJRT_Device_IsAddressable_Args& args) { args.is_addressable = true; }

void Entry(PJRT_Device_LocalHardwareId_Args& args) {
  args.local_hardware_id = args.device->description->id;
}

void Entry(PJRT_Device_AddressableMemories_Args& args) {
  args.memories = args.device->memories;
  args.num_memories = 1;
}

void Entry(PJRT_Device_DefaultMemory_Args& args) { args.memory = &args.device->memory; }

void Entry(PJRT_Memory_Id_Args& args) { args.id = args.memory->device->description->id; }

void Entry(PJRT_Memory_Kind_Args& args) { WriteText(kMemoryKind, args.kind, args.kind_size); }

void Entry(PJRT_Memory_Kind_Id_Args& args) { args.kind_id = 0; }

void Entry(PJRT_Memory_DebugString_Args& args) {
  WriteText(args.memory->device->description->text, args.debug_string, args.debug_string_size);
}

void Entry(PJRT_Memory_ToString_Args& args) {
  WriteText(args.memory->device->description->text, args.to_string, args.to_string_size);
}

void Entry(PJRT_Memory_AddressableByDevices_Args& args) {
  args.devices = args.memory->device->self;
  args.num_devices = 1;
}

void Entry(PJRT_TopologyDescription_PlatformName_Args& args) {
  WriteText(args.topology->platform, args.platform_name, args.platform_name_size);
}

void Entry(PJRT_TopologyDescription_PlatformVersion_Args& args) {
  WriteText(args.topology->version, args.platform_version, args.platform_version_size);
}

void Entry(PJRT_TopologyDescription_GetDeviceDescriptions_Args& args) {
  args.descriptions = args.topology->descriptions.data();
  args.num_descriptions = args.topology->descriptions.size();
}

void Entry(PJRT_TopologyDescription_Attributes_Args& args) {
  args.attributes = nullptr;
  args.num_attributes = 0;
}

}  // namespace hlocts::pjrt
