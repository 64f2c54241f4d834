// SPDX-License-Identifier: Apache-2.0
// Tests the PJRT table: plugin, events, clients, devices and topologies.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spec/pjrt/table/test_support.h"

namespace hlocts::pjrt {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(Table, HeaderAndLibraryAreOfOneVersion) {
  EXPECT_EQ(Api().struct_size, static_cast<size_t>(PJRT_Api_STRUCT_SIZE));
  EXPECT_EQ(Api().pjrt_api_version.major_version, PJRT_API_MAJOR);
  EXPECT_EQ(Api().pjrt_api_version.minor_version, PJRT_API_MINOR);
}

// No entry is null. If the struct is too small, an entry reads nothing beyond it and returns an
// error with the function's name: struct_size is wrong, or the function is not implemented.
TEST(Table, EveryEntryAnswers) {
  const size_t first = offsetof(PJRT_Api, PJRT_Plugin_Initialize) / sizeof(void*);
  const size_t end = PJRT_Api_STRUCT_SIZE / sizeof(void*);
  void* const* slots = reinterpret_cast<void* const*>(&Api());
  EXPECT_NE(Api().PJRT_Error_Destroy, nullptr);
  EXPECT_NE(Api().PJRT_Error_Message, nullptr);
  EXPECT_NE(Api().PJRT_Error_GetCode, nullptr);
  int unimplemented = 0;
  for (size_t i = first; i < end; ++i) {
    ASSERT_NE(slots[i], nullptr) << "slot " << i;
    const size_t too_small = 0;
    const std::string text =
        Text(reinterpret_cast<PJRT_Error* (*)(const void*)>(slots[i])(&too_small));
    EXPECT_THAT(text, HasSubstr("PJRT_")) << "slot " << i;
    if (text.rfind("12: ", 0) == 0) {
      ++unimplemented;
    } else {
      EXPECT_THAT(text, StartsWith("3: ")) << "slot " << i;
      EXPECT_THAT(text, HasSubstr("struct_size")) << "slot " << i;
    }
  }
  EXPECT_EQ(unimplemented, 32);
}

TEST(Plugin, InitializesAndDescribesItself) {
  HLOCTS_ARGS(PJRT_Plugin_Initialize_Args, initialize);
  EXPECT_EQ(Text(Api().PJRT_Plugin_Initialize(&initialize)), "");
  HLOCTS_ARGS(PJRT_Plugin_Attributes_Args, attributes);
  EXPECT_EQ(Text(Api().PJRT_Plugin_Attributes(&attributes)), "");
  EXPECT_EQ(attributes.num_attributes, 0u);
}

TEST(Events, AreSetOnceAndCallBack) {
  HLOCTS_ARGS(PJRT_Event_Create_Args, create);
  ASSERT_EQ(Text(Api().PJRT_Event_Create(&create)), "");
  HLOCTS_ASK(PJRT_Event_IsReady, ready, event, create.event);
  EXPECT_FALSE(ready.is_ready);
  HLOCTS_ARGS(PJRT_Event_Error_Args, error);
  error.event = create.event;
  EXPECT_THAT(Text(Api().PJRT_Event_Error(&error)), StartsWith("9: "));
  std::string seen;
  HLOCTS_ARGS(PJRT_Event_OnReady_Args, on_ready);
  on_ready.event = create.event;
  on_ready.user_arg = &seen;
  on_ready.callback = [](PJRT_Error* status, void* user_arg) {
    *static_cast<std::string*>(user_arg) += Text(status) + ";";
  };
  EXPECT_EQ(Text(Api().PJRT_Event_OnReady(&on_ready)), "");
  EXPECT_EQ(seen, "");
  HLOCTS_ARGS(PJRT_Event_Set_Args, set);
  set.event = create.event;
  set.error_code = PJRT_Error_Code_ABORTED;
  set.error_message = "stop";
  set.error_message_size = 4;
  EXPECT_EQ(Text(Api().PJRT_Event_Set(&set)), "");
  EXPECT_THAT(Text(Api().PJRT_Event_Set(&set)), StartsWith("9: "));
  EXPECT_EQ(Text(Api().PJRT_Event_OnReady(&on_ready)), "");
  EXPECT_EQ(seen, "10: stop;10: stop;");
  EXPECT_EQ(Text(Api().PJRT_Event_Error(&error)), "10: stop");
  EXPECT_EQ(Await(create.event), "10: stop");
}

TEST(ClientTest, UnknownCreateOptionIsRefused) {
  HLOCTS_ARGS(PJRT_NamedValue, option);
  option.name = "gpu_device_count";
  option.name_size = strlen(option.name);
  option.type = PJRT_NamedValue_kInt64;
  HLOCTS_ARGS(PJRT_Client_Create_Args, create);
  create.create_options = &option;
  create.num_options = 1;
  EXPECT_THAT(Text(Api().PJRT_Client_Create(&create)), HasSubstr("gpu_device_count"));
  option.name = "cpu_device_count";
  option.name_size = strlen(option.name);
  option.int64_value = 0;
  EXPECT_THAT(Text(Api().PJRT_Client_Create(&create)), HasSubstr("found 0"));
}

TEST(ClientTest, DescribesItself) {
  Client client(3);
  HLOCTS_ASK(PJRT_Client_PlatformName, name, client, client.get());
  EXPECT_EQ(std::string(name.platform_name, name.platform_name_size), "reference");
  HLOCTS_ASK(PJRT_Client_PlatformVersion, version, client, client.get());
  EXPECT_GT(version.platform_version_size, 0u);
  HLOCTS_ASK(PJRT_Client_ProcessIndex, process, client, client.get());
  EXPECT_EQ(process.process_index, 0);
  HLOCTS_ASK(PJRT_Client_Devices, devices, client, client.get());
  ASSERT_EQ(devices.num_devices, 3u);
  HLOCTS_ASK(PJRT_Client_AddressableMemories, memories, client, client.get());
  EXPECT_GE(memories.num_addressable_memories, 3u);
  HLOCTS_ARGS(PJRT_Client_LookupDevice_Args, missing);
  missing.client = client.get();
  missing.id = 12345;
  EXPECT_THAT(Text(Api().PJRT_Client_LookupDevice(&missing)), HasSubstr("12345"));
}

TEST(ClientTest, FindsItsDevicesById) {
  Client client(3);
  for (int i = 0; i < 3; ++i) {
    HLOCTS_ASK(PJRT_Device_GetDescription, get, device, client.device(i));
    HLOCTS_ASK(PJRT_DeviceDescription_Id, id, device_description, get.device_description);
    HLOCTS_ARGS(PJRT_Client_LookupDevice_Args, lookup);
    lookup.client = client.get();
    lookup.id = id.id;
    EXPECT_EQ(Text(Api().PJRT_Client_LookupDevice(&lookup)), "");
    EXPECT_EQ(lookup.device, client.device(i));
    HLOCTS_ASK(PJRT_Device_LocalHardwareId, local, device, client.device(i));
    HLOCTS_ARGS(PJRT_Client_LookupAddressableDevice_Args, local_lookup);
    local_lookup.client = client.get();
    local_lookup.local_hardware_id = local.local_hardware_id;
    EXPECT_EQ(Text(Api().PJRT_Client_LookupAddressableDevice(&local_lookup)), "");
    EXPECT_EQ(local_lookup.addressable_device, client.device(i));
  }
}

TEST(ClientTest, DescribesItsDevices) {
  Client client(3);
  for (int i = 0; i < 3; ++i) {
    HLOCTS_ASK(PJRT_Device_GetDescription, get, device, client.device(i));
    PJRT_DeviceDescription* device = get.device_description;
    HLOCTS_ASK(PJRT_DeviceDescription_Kind, kind, device_description, device);
    EXPECT_EQ(std::string(kind.device_kind, kind.device_kind_size), "reference");
    HLOCTS_ASK(PJRT_DeviceDescription_ProcessIndex, index, device_description, device);
    EXPECT_EQ(index.process_index, 0);
    HLOCTS_ASK(PJRT_DeviceDescription_DebugString, debug, device_description, device);
    EXPECT_GT(debug.debug_string_size, 0u);
    HLOCTS_ASK(PJRT_DeviceDescription_ToString, to_string, device_description, device);
    EXPECT_GT(to_string.to_string_size, 0u);
    HLOCTS_ASK(PJRT_DeviceDescription_Attributes, attributes, device_description, device);
    HLOCTS_ASK(PJRT_Device_IsAddressable, addressable, device, client.device(i));
    EXPECT_TRUE(addressable.is_addressable);
  }
}

TEST(ClientTest, DescribesTheirMemories) {
  Client client(3);
  for (int i = 0; i < 3; ++i) {
    HLOCTS_ASK(PJRT_Device_AddressableMemories, of_device, device, client.device(i));
    EXPECT_GE(of_device.num_memories, 1u);
    HLOCTS_ASK(PJRT_Device_DefaultMemory, standard, device, client.device(i));
    PJRT_Memory* memory = standard.memory;
    HLOCTS_ASK(PJRT_Memory_AddressableByDevices, by, memory, memory);
    ASSERT_EQ(by.num_devices, 1u);
    EXPECT_EQ(by.devices[0], client.device(i));
    HLOCTS_ASK(PJRT_Memory_Id, id, memory, memory);
    HLOCTS_ASK(PJRT_Memory_Kind, kind, memory, memory);
    EXPECT_GT(kind.kind_size, 0u);
    HLOCTS_ASK(PJRT_Memory_Kind_Id, kind_id, memory, memory);
    HLOCTS_ASK(PJRT_Memory_DebugString, debug, memory, memory);
    EXPECT_GT(debug.debug_string_size, 0u);
    HLOCTS_ASK(PJRT_Memory_ToString, to_string, memory, memory);
    EXPECT_GT(to_string.to_string_size, 0u);
  }
}

TEST(ClientTest, DefaultDeviceAssignmentIsAPermutation) {
  Client client(4);
  int ids[4] = {-1, -1, -1, -1};
  HLOCTS_ARGS(PJRT_Client_DefaultDeviceAssignment_Args, args);
  args.client = client.get();
  args.num_replicas = 2;
  args.num_partitions = 2;
  args.default_assignment = ids;
  args.default_assignment_size = 3;
  EXPECT_THAT(Text(Api().PJRT_Client_DefaultDeviceAssignment(&args)), HasSubstr("at least 4"));
  args.default_assignment_size = 4;
  EXPECT_EQ(Text(Api().PJRT_Client_DefaultDeviceAssignment(&args)), "");
  EXPECT_THAT(ids, ::testing::UnorderedElementsAre(0, 1, 2, 3));
}

TEST(ClientTest, ItsTopologyIsOfItsDevices) {
  Client client(2);
  HLOCTS_ASK(PJRT_Client_TopologyDescription, of_client, client, client.get());
  HLOCTS_ASK(PJRT_TopologyDescription_PlatformName, name, topology, of_client.topology);
  EXPECT_EQ(std::string(name.platform_name, name.platform_name_size), "reference");
  HLOCTS_ASK(PJRT_TopologyDescription_PlatformVersion, version, topology, of_client.topology);
  EXPECT_GT(version.platform_version_size, 0u);
  HLOCTS_ASK(PJRT_TopologyDescription_GetDeviceDescriptions, devices, topology, of_client.topology);
  EXPECT_EQ(devices.num_descriptions, 2u);
  HLOCTS_ASK(PJRT_TopologyDescription_Attributes, attributes, topology, of_client.topology);
}

}  // namespace
}  // namespace hlocts::pjrt
