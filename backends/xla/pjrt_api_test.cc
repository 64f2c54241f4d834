// The PJRT side of libhlocts_xla.so, as a plugin's caller sees it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <memory>
#include <thread>

#include "backends/xla/test_support.h"

namespace hlocts::xla_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

const PJRT_Api& Api() { return *Lib().api; }

constexpr char kAdd[] = R"(HloModule add
ENTRY e {
  x = f32[2] parameter(0)
  y = f32[2] parameter(1)
  ROOT r = f32[2] add(x, y)
})";

// Runs and returns the only output's values.
template <typename T>
std::vector<T> RunOne(Client& client, const std::string& text,
                      const std::vector<HostArray>& arguments,
                      const std::string& options = CompileOptions()) {
  RunResult result = CompileAndRun(client, text, arguments, options);
  EXPECT_EQ(result.error, "");
  if (result.outputs.size() != 1) {
    ADD_FAILURE() << "expected one output, found " << result.outputs.size();
    return {};
  }
  return Values<T>(result.outputs[0].bytes);
}

TEST(Table, HeaderAndLibraryAreOfOneVersion) {
  EXPECT_EQ(Api().struct_size, static_cast<size_t>(PJRT_Api_STRUCT_SIZE));
  EXPECT_EQ(Api().pjrt_api_version.major_version, PJRT_API_MAJOR);
  EXPECT_EQ(Api().pjrt_api_version.minor_version, PJRT_API_MINOR);
  EXPECT_EQ(Lib().c_api_version(), HLOCTS_XLA_C_API_VERSION);
  EXPECT_THAT(Lib().version(), HasSubstr(HLOCTS_XLA_WHEEL_VERSION));
}

// No entry is null, and none reads past a struct that is too small for it: it says so, or says that
// it is not implemented, by name.
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
  EXPECT_EQ(unimplemented, 28);
}

TEST(Plugin, InitializesAndDescribesItself) {
  HLOCTS_ARGS(PJRT_Plugin_Initialize_Args, initialize);
  EXPECT_EQ(Text(Api().PJRT_Plugin_Initialize(&initialize)), "");
  HLOCTS_ARGS(PJRT_Plugin_Attributes_Args, attributes);
  EXPECT_EQ(Text(Api().PJRT_Plugin_Attributes(&attributes)), "");
  ASSERT_EQ(attributes.num_attributes, 1u);
  EXPECT_EQ(std::string(attributes.attributes[0].name, attributes.attributes[0].name_size),
            "xla_version");
  EXPECT_EQ(std::string(attributes.attributes[0].string_value, attributes.attributes[0].value_size),
            Lib().version());
}

TEST(Events, AreSetOnceAndCallBack) {
  HLOCTS_ARGS(PJRT_Event_Create_Args, create);
  ASSERT_EQ(Text(Api().PJRT_Event_Create(&create)), "");
  HLOCTS_ARGS(PJRT_Event_IsReady_Args, ready);
  ready.event = create.event;
  EXPECT_EQ(Text(Api().PJRT_Event_IsReady(&ready)), "");
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

TEST(ClientTest, DescribesDevicesAndMemories) {
  Client client(3);
  HLOCTS_ARGS(PJRT_Client_PlatformName_Args, name);
  name.client = client.get();
  EXPECT_EQ(Text(Api().PJRT_Client_PlatformName(&name)), "");
  EXPECT_EQ(std::string(name.platform_name, name.platform_name_size), "cpu");
  HLOCTS_ARGS(PJRT_Client_PlatformVersion_Args, version);
  version.client = client.get();
  EXPECT_EQ(Text(Api().PJRT_Client_PlatformVersion(&version)), "");
  EXPECT_GT(version.platform_version_size, 0u);
  HLOCTS_ARGS(PJRT_Client_ProcessIndex_Args, process);
  process.client = client.get();
  EXPECT_EQ(Text(Api().PJRT_Client_ProcessIndex(&process)), "");
  EXPECT_EQ(process.process_index, 0);
  HLOCTS_ARGS(PJRT_Client_Devices_Args, devices);
  devices.client = client.get();
  EXPECT_EQ(Text(Api().PJRT_Client_Devices(&devices)), "");
  ASSERT_EQ(devices.num_devices, 3u);
  HLOCTS_ARGS(PJRT_Client_AddressableMemories_Args, memories);
  memories.client = client.get();
  EXPECT_EQ(Text(Api().PJRT_Client_AddressableMemories(&memories)), "");
  EXPECT_GE(memories.num_addressable_memories, 3u);
  for (int i = 0; i < 3; ++i) {
    HLOCTS_ARGS(PJRT_Device_GetDescription_Args, get);
    get.device = devices.devices[i];
    EXPECT_EQ(Text(Api().PJRT_Device_GetDescription(&get)), "");
    HLOCTS_ARGS(PJRT_DeviceDescription_Id_Args, id);
    id.device_description = get.device_description;
    EXPECT_EQ(Text(Api().PJRT_DeviceDescription_Id(&id)), "");
    HLOCTS_ARGS(PJRT_Client_LookupDevice_Args, lookup);
    lookup.client = client.get();
    lookup.id = id.id;
    EXPECT_EQ(Text(Api().PJRT_Client_LookupDevice(&lookup)), "");
    EXPECT_EQ(lookup.device, devices.devices[i]);
    HLOCTS_ARGS(PJRT_Device_LocalHardwareId_Args, local);
    local.device = devices.devices[i];
    EXPECT_EQ(Text(Api().PJRT_Device_LocalHardwareId(&local)), "");
    HLOCTS_ARGS(PJRT_Client_LookupAddressableDevice_Args, local_lookup);
    local_lookup.client = client.get();
    local_lookup.local_hardware_id = local.local_hardware_id;
    EXPECT_EQ(Text(Api().PJRT_Client_LookupAddressableDevice(&local_lookup)), "");
    EXPECT_EQ(local_lookup.addressable_device, devices.devices[i]);
    HLOCTS_ARGS(PJRT_DeviceDescription_Kind_Args, kind);
    kind.device_description = get.device_description;
    EXPECT_EQ(Text(Api().PJRT_DeviceDescription_Kind(&kind)), "");
    EXPECT_EQ(std::string(kind.device_kind, kind.device_kind_size), "cpu");
    HLOCTS_ARGS(PJRT_DeviceDescription_ProcessIndex_Args, index);
    index.device_description = get.device_description;
    EXPECT_EQ(Text(Api().PJRT_DeviceDescription_ProcessIndex(&index)), "");
    EXPECT_EQ(index.process_index, 0);
    HLOCTS_ARGS(PJRT_DeviceDescription_DebugString_Args, debug);
    debug.device_description = get.device_description;
    EXPECT_EQ(Text(Api().PJRT_DeviceDescription_DebugString(&debug)), "");
    EXPECT_GT(debug.debug_string_size, 0u);
    HLOCTS_ARGS(PJRT_DeviceDescription_ToString_Args, to_string);
    to_string.device_description = get.device_description;
    EXPECT_EQ(Text(Api().PJRT_DeviceDescription_ToString(&to_string)), "");
    EXPECT_GT(to_string.to_string_size, 0u);
    HLOCTS_ARGS(PJRT_DeviceDescription_Attributes_Args, attributes);
    attributes.device_description = get.device_description;
    EXPECT_EQ(Text(Api().PJRT_DeviceDescription_Attributes(&attributes)), "");
    HLOCTS_ARGS(PJRT_Device_IsAddressable_Args, addressable);
    addressable.device = devices.devices[i];
    EXPECT_EQ(Text(Api().PJRT_Device_IsAddressable(&addressable)), "");
    EXPECT_TRUE(addressable.is_addressable);
    HLOCTS_ARGS(PJRT_Device_AddressableMemories_Args, of_device);
    of_device.device = devices.devices[i];
    EXPECT_EQ(Text(Api().PJRT_Device_AddressableMemories(&of_device)), "");
    EXPECT_GE(of_device.num_memories, 1u);
    HLOCTS_ARGS(PJRT_Device_DefaultMemory_Args, memory);
    memory.device = devices.devices[i];
    EXPECT_EQ(Text(Api().PJRT_Device_DefaultMemory(&memory)), "");
    HLOCTS_ARGS(PJRT_Memory_AddressableByDevices_Args, by);
    by.memory = memory.memory;
    EXPECT_EQ(Text(Api().PJRT_Memory_AddressableByDevices(&by)), "");
    ASSERT_EQ(by.num_devices, 1u);
    EXPECT_EQ(by.devices[0], devices.devices[i]);
    HLOCTS_ARGS(PJRT_Memory_Id_Args, memory_id);
    memory_id.memory = memory.memory;
    EXPECT_EQ(Text(Api().PJRT_Memory_Id(&memory_id)), "");
    HLOCTS_ARGS(PJRT_Memory_Kind_Args, memory_kind);
    memory_kind.memory = memory.memory;
    EXPECT_EQ(Text(Api().PJRT_Memory_Kind(&memory_kind)), "");
    EXPECT_GT(memory_kind.kind_size, 0u);
    HLOCTS_ARGS(PJRT_Memory_Kind_Id_Args, kind_id);
    kind_id.memory = memory.memory;
    EXPECT_EQ(Text(Api().PJRT_Memory_Kind_Id(&kind_id)), "");
    HLOCTS_ARGS(PJRT_Memory_DebugString_Args, memory_debug);
    memory_debug.memory = memory.memory;
    EXPECT_EQ(Text(Api().PJRT_Memory_DebugString(&memory_debug)), "");
    EXPECT_GT(memory_debug.debug_string_size, 0u);
    HLOCTS_ARGS(PJRT_Memory_ToString_Args, memory_text);
    memory_text.memory = memory.memory;
    EXPECT_EQ(Text(Api().PJRT_Memory_ToString(&memory_text)), "");
    EXPECT_GT(memory_text.to_string_size, 0u);
  }
  HLOCTS_ARGS(PJRT_Client_LookupDevice_Args, missing);
  missing.client = client.get();
  missing.id = 12345;
  EXPECT_THAT(Text(Api().PJRT_Client_LookupDevice(&missing)), HasSubstr("12345"));
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

TEST(Topology, OfAClientAndOfItsOwn) {
  HLOCTS_ARGS(PJRT_TopologyDescription_Create_Args, create);
  ASSERT_EQ(Text(Api().PJRT_TopologyDescription_Create(&create)), "");
  Client client;
  HLOCTS_ARGS(PJRT_Client_TopologyDescription_Args, of_client);
  of_client.client = client.get();
  ASSERT_EQ(Text(Api().PJRT_Client_TopologyDescription(&of_client)), "");
  for (PJRT_TopologyDescription* topology : {create.topology, of_client.topology}) {
    HLOCTS_ARGS(PJRT_TopologyDescription_PlatformName_Args, name);
    name.topology = topology;
    EXPECT_EQ(Text(Api().PJRT_TopologyDescription_PlatformName(&name)), "");
    EXPECT_EQ(std::string(name.platform_name, name.platform_name_size), "cpu");
    HLOCTS_ARGS(PJRT_TopologyDescription_PlatformVersion_Args, version);
    version.topology = topology;
    EXPECT_EQ(Text(Api().PJRT_TopologyDescription_PlatformVersion(&version)), "");
    HLOCTS_ARGS(PJRT_TopologyDescription_GetDeviceDescriptions_Args, devices);
    devices.topology = topology;
    EXPECT_EQ(Text(Api().PJRT_TopologyDescription_GetDeviceDescriptions(&devices)), "");
    EXPECT_EQ(devices.num_descriptions, 1u);
    HLOCTS_ARGS(PJRT_TopologyDescription_Attributes_Args, attributes);
    attributes.topology = topology;
    EXPECT_EQ(Text(Api().PJRT_TopologyDescription_Attributes(&attributes)), "");
  }
  const std::string proto = Proto(kAdd), options = CompileOptions();
  HLOCTS_ARGS(PJRT_Program, program);
  program.code = const_cast<char*>(proto.data());
  program.code_size = proto.size();
  program.format = "hlo";
  program.format_size = 3;
  HLOCTS_ARGS(PJRT_Compile_Args, compile);
  compile.topology = create.topology;
  compile.program = &program;
  compile.compile_options = options.data();
  compile.compile_options_size = options.size();
  ASSERT_EQ(Text(Api().PJRT_Compile(&compile)), "");
  HLOCTS_ARGS(PJRT_Executable_Destroy_Args, destroy_executable);
  destroy_executable.executable = compile.executable;
  EXPECT_EQ(Text(Api().PJRT_Executable_Destroy(&destroy_executable)), "");
  HLOCTS_ARGS(PJRT_TopologyDescription_Destroy_Args, destroy);
  destroy.topology = create.topology;
  EXPECT_EQ(Text(Api().PJRT_TopologyDescription_Destroy(&destroy)), "");
}

// Every element type through a module that moves each element: what comes back is the same bytes in
// another place. Sub-byte types take one byte per element, of which the low bits count.
struct TypeCase {
  PJRT_Buffer_Type type;
  const char* name;
  int bytes;
};

class RoundTrip : public ::testing::TestWithParam<TypeCase> {};

TEST_P(RoundTrip, ReverseKeepsEveryBit) {
  const TypeCase& type = GetParam();
  Client client;
  HostArray array{type.type, {3}, ""};
  // Bit patterns that are ordinary values in every type.
  const unsigned char pattern[3] = {0x01, 0x00, 0x01};
  for (int i = 0; i < 3; ++i) array.bytes += std::string(type.bytes, pattern[i] * (i + 1) % 4);
  if (type.type == PJRT_Buffer_Type_PRED) array.bytes = std::string("\1\0\1", 3);
  if (type.type == PJRT_Buffer_Type_S2) array.bytes = "\xFE\x01\xFF";
  if (type.type == PJRT_Buffer_Type_S4) array.bytes = "\xF8\x07\xFF";
  if (type.type == PJRT_Buffer_Type_U4) array.bytes = "\x0F\x07\x08";
  if (type.type == PJRT_Buffer_Type_F4E2M1FN) array.bytes = "\x0F\x07\x09";
  const std::string shape = std::string(type.name) + "[3]";
  RunResult result =
      CompileAndRun(client,
                    "HloModule m\nENTRY e {\n x = " + shape + " parameter(0)\n ROOT r = " + shape +
                        " reverse(x), dimensions={0}\n}",
                    {array});
  ASSERT_EQ(result.error, "");
  ASSERT_EQ(result.outputs.size(), 1u);
  EXPECT_EQ(result.outputs[0].type, type.type);
  EXPECT_THAT(result.outputs[0].dims, ElementsAre(3));
  std::string reversed;
  for (int i = 2; i >= 0; --i) reversed += array.bytes.substr(i * type.bytes, type.bytes);
  const std::string name = type.name;
  const int mask = name == "s2" ? 3 : name == "s4" ? 15 : 255;
  ASSERT_EQ(result.outputs[0].bytes.size(), reversed.size());
  for (size_t i = 0; i < reversed.size(); ++i) {
    EXPECT_EQ(result.outputs[0].bytes[i] & mask, reversed[i] & mask) << "byte " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(
    ElementTypes, RoundTrip,
    ::testing::Values(
        TypeCase{PJRT_Buffer_Type_PRED, "pred", 1}, TypeCase{PJRT_Buffer_Type_S2, "s2", 1},
        TypeCase{PJRT_Buffer_Type_S4, "s4", 1}, TypeCase{PJRT_Buffer_Type_S8, "s8", 1},
        TypeCase{PJRT_Buffer_Type_S16, "s16", 2}, TypeCase{PJRT_Buffer_Type_S32, "s32", 4},
        TypeCase{PJRT_Buffer_Type_S64, "s64", 8}, TypeCase{PJRT_Buffer_Type_U2, "u2", 1},
        TypeCase{PJRT_Buffer_Type_U4, "u4", 1}, TypeCase{PJRT_Buffer_Type_U8, "u8", 1},
        TypeCase{PJRT_Buffer_Type_U16, "u16", 2}, TypeCase{PJRT_Buffer_Type_U32, "u32", 4},
        TypeCase{PJRT_Buffer_Type_U64, "u64", 8}, TypeCase{PJRT_Buffer_Type_F16, "f16", 2},
        TypeCase{PJRT_Buffer_Type_BF16, "bf16", 2}, TypeCase{PJRT_Buffer_Type_F32, "f32", 4},
        TypeCase{PJRT_Buffer_Type_F64, "f64", 8}, TypeCase{PJRT_Buffer_Type_C64, "c64", 8},
        TypeCase{PJRT_Buffer_Type_C128, "c128", 16}, TypeCase{PJRT_Buffer_Type_F8E5M2, "f8e5m2", 1},
        TypeCase{PJRT_Buffer_Type_F8E4M3, "f8e4m3", 1},
        TypeCase{PJRT_Buffer_Type_F8E4M3FN, "f8e4m3fn", 1},
        TypeCase{PJRT_Buffer_Type_F8E4M3B11FNUZ, "f8e4m3b11fnuz", 1},
        TypeCase{PJRT_Buffer_Type_F8E5M2FNUZ, "f8e5m2fnuz", 1},
        TypeCase{PJRT_Buffer_Type_F8E4M3FNUZ, "f8e4m3fnuz", 1},
        TypeCase{PJRT_Buffer_Type_F8E3M4, "f8e3m4", 1},
        TypeCase{PJRT_Buffer_Type_F8E8M0FNU, "f8e8m0fnu", 1},
        TypeCase{PJRT_Buffer_Type_F4E2M1FN, "f4e2m1fn", 1}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(BufferTest, TwoDimensionsComeBackInTheLayoutAskedFor) {
  Client client;
  PJRT_Buffer* buffer = client.ToDevice(F32({2, 3}, {1, 2, 3, 4, 5, 6}));
  EXPECT_THAT(Values<float>(ToHost(buffer)), ElementsAre(1, 2, 3, 4, 5, 6));
  const std::vector<int64_t> row_major = {1, 0}, column_major = {0, 1};
  EXPECT_THAT(Values<float>(ToHost(buffer, &row_major)), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(Values<float>(ToHost(buffer, &column_major)), ElementsAre(1, 4, 2, 5, 3, 6));
  Destroy(buffer);
}

TEST(BufferTest, DeviceLayoutAndStridesChangeNoValue) {
  Client client;
  const std::vector<float> host = {1, 4, 2, 5, 3, 6};  // Column-major 2x3.
  const int64_t dims[] = {2, 3}, strides[] = {4, 8}, column_major[] = {0, 1};
  for (const bool with_device_layout : {false, true}) {
    HLOCTS_ARGS(PJRT_Buffer_MemoryLayout, layout);
    layout.tiled.struct_size = sizeof layout.tiled;
    layout.tiled.minor_to_major = column_major;
    layout.tiled.minor_to_major_size = 2;
    HLOCTS_ARGS(PJRT_Client_BufferFromHostBuffer_Args, args);
    args.client = client.get();
    args.data = host.data();
    args.type = PJRT_Buffer_Type_F32;
    args.dims = dims;
    args.num_dims = 2;
    args.byte_strides = strides;
    args.num_byte_strides = 2;
    args.device = client.device(0);
    args.device_layout = with_device_layout ? &layout : nullptr;
    ASSERT_EQ(Text(Api().PJRT_Client_BufferFromHostBuffer(&args)), "");
    EXPECT_EQ(Await(args.done_with_host_buffer), "");
    const std::vector<int64_t> row = {1, 0}, column = {0, 1};
    EXPECT_THAT(Values<float>(ToHost(args.buffer, &row)), ElementsAre(1, 2, 3, 4, 5, 6));
    EXPECT_THAT(Values<float>(ToHost(args.buffer, &column)), ElementsAre(1, 4, 2, 5, 3, 6));
    // Without a host layout: that of the device.
    EXPECT_EQ(ToHost(args.buffer), ToHost(args.buffer, with_device_layout ? &column : &row));
    HLOCTS_ARGS(PJRT_Buffer_GetMemoryLayout_Args, found);
    found.buffer = args.buffer;
    ASSERT_EQ(Text(Api().PJRT_Buffer_GetMemoryLayout(&found)), "");
    ASSERT_EQ(found.layout.tiled.minor_to_major_size, 2u);
    EXPECT_EQ(found.layout.tiled.minor_to_major[0], with_device_layout ? 0 : 1);
    EXPECT_EQ(found.layout.tiled.num_tiles, 0u);
    Destroy(args.buffer);
  }
}

TEST(BufferTest, WrongLayoutsAndTypesAreRefused) {
  Client client;
  PJRT_Buffer* buffer = client.ToDevice(F32({2, 3}, {1, 2, 3, 4, 5, 6}));
  const int64_t twice[] = {0, 0};
  HLOCTS_ARGS(PJRT_Buffer_MemoryLayout, layout);
  layout.tiled.minor_to_major = twice;
  layout.tiled.minor_to_major_size = 2;
  float host[6];
  HLOCTS_ARGS(PJRT_Buffer_ToHostBuffer_Args, args);
  args.src = buffer;
  args.dst = host;
  args.dst_size = sizeof host;
  args.host_layout = &layout;
  EXPECT_THAT(Text(Api().PJRT_Buffer_ToHostBuffer(&args)), HasSubstr("permutation"));
  layout.tiled.minor_to_major_size = 1;
  EXPECT_THAT(Text(Api().PJRT_Buffer_ToHostBuffer(&args)), HasSubstr("expected 2 dimensions"));
  args.host_layout = nullptr;
  args.dst_size = sizeof host - 1;
  EXPECT_THAT(Text(Api().PJRT_Buffer_ToHostBuffer(&args)), HasSubstr("at least 24"));
  HLOCTS_ARGS(PJRT_Client_BufferFromHostBuffer_Args, from);
  from.client = client.get();
  from.data = host;
  from.type = static_cast<PJRT_Buffer_Type>(250);
  from.device = client.device(0);
  EXPECT_THAT(Text(Api().PJRT_Client_BufferFromHostBuffer(&from)), HasSubstr("found 250"));
  Destroy(buffer);
}

TEST(BufferTest, KnowsItself) {
  Client client(2);
  PJRT_Buffer* buffer = client.ToDevice(F32({2, 3}, {1, 2, 3, 4, 5, 6}), 1);
  EXPECT_EQ(TypeOf(buffer), PJRT_Buffer_Type_F32);
  HLOCTS_ARGS(PJRT_Buffer_Dimensions_Args, dims);
  dims.buffer = buffer;
  EXPECT_EQ(Text(Api().PJRT_Buffer_Dimensions(&dims)), "");
  EXPECT_EQ(std::vector<int64_t>(dims.dims, dims.dims + dims.num_dims),
            (std::vector<int64_t>{2, 3}));
  HLOCTS_ARGS(PJRT_Buffer_DynamicDimensionIndices_Args, dynamic);
  dynamic.buffer = buffer;
  EXPECT_EQ(Text(Api().PJRT_Buffer_DynamicDimensionIndices(&dynamic)), "");
  EXPECT_EQ(dynamic.num_dynamic_dims, 0u);
  HLOCTS_ARGS(PJRT_Buffer_OnDeviceSizeInBytes_Args, size);
  size.buffer = buffer;
  EXPECT_EQ(Text(Api().PJRT_Buffer_OnDeviceSizeInBytes(&size)), "");
  EXPECT_EQ(size.on_device_size_in_bytes, 24u);
  HLOCTS_ARGS(PJRT_Buffer_Device_Args, device);
  device.buffer = buffer;
  EXPECT_EQ(Text(Api().PJRT_Buffer_Device(&device)), "");
  EXPECT_EQ(device.device, client.device(1));
  HLOCTS_ARGS(PJRT_Buffer_Memory_Args, memory);
  memory.buffer = buffer;
  EXPECT_EQ(Text(Api().PJRT_Buffer_Memory(&memory)), "");
  HLOCTS_ARGS(PJRT_Device_DefaultMemory_Args, default_memory);
  default_memory.device = client.device(1);
  EXPECT_EQ(Text(Api().PJRT_Device_DefaultMemory(&default_memory)), "");
  EXPECT_EQ(memory.memory, default_memory.memory);
  HLOCTS_ARGS(PJRT_Buffer_IsOnCpu_Args, on_cpu);
  on_cpu.buffer = buffer;
  EXPECT_EQ(Text(Api().PJRT_Buffer_IsOnCpu(&on_cpu)), "");
  EXPECT_TRUE(on_cpu.is_on_cpu);
  HLOCTS_ARGS(PJRT_Buffer_ReadyEvent_Args, ready);
  ready.buffer = buffer;
  EXPECT_EQ(Text(Api().PJRT_Buffer_ReadyEvent(&ready)), "");
  EXPECT_EQ(Await(ready.event), "");
  float raw[2] = {};
  HLOCTS_ARGS(PJRT_Buffer_CopyRawToHost_Args, copy_raw);
  copy_raw.buffer = buffer;
  copy_raw.dst = raw;
  copy_raw.offset = 8;
  copy_raw.transfer_size = 8;
  EXPECT_EQ(Text(Api().PJRT_Buffer_CopyRawToHost(&copy_raw)), "");
  EXPECT_EQ(Await(copy_raw.event), "");
  EXPECT_THAT(raw, ElementsAre(3, 4));
  copy_raw.offset = 20;
  EXPECT_THAT(Text(Api().PJRT_Buffer_CopyRawToHost(&copy_raw)), HasSubstr("within 24"));
  Destroy(buffer);
}

TEST(BufferTest, PointersAndReferences) {
  Client client;
  PJRT_Buffer* buffer = client.ToDevice(F32({2}, {1, 2}));
  HLOCTS_ARGS(PJRT_Buffer_UnsafePointer_Args, pointer);
  pointer.buffer = buffer;
  EXPECT_EQ(Text(Api().PJRT_Buffer_UnsafePointer(&pointer)), "");
  EXPECT_EQ(reinterpret_cast<const float*>(pointer.buffer_pointer)[1], 2);
  HLOCTS_ARGS(PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args, opaque);
  opaque.buffer = buffer;
  EXPECT_EQ(Text(Api().PJRT_Buffer_OpaqueDeviceMemoryDataPointer(&opaque)), "");
  EXPECT_EQ(reinterpret_cast<uintptr_t>(opaque.device_memory_ptr), pointer.buffer_pointer);
  HLOCTS_ARGS(PJRT_Buffer_DecreaseExternalReferenceCount_Args, decrease);
  decrease.buffer = buffer;
  EXPECT_THAT(Text(Api().PJRT_Buffer_DecreaseExternalReferenceCount(&decrease)),
              HasSubstr("found none"));
  HLOCTS_ARGS(PJRT_Buffer_IncreaseExternalReferenceCount_Args, increase);
  increase.buffer = buffer;
  EXPECT_EQ(Text(Api().PJRT_Buffer_IncreaseExternalReferenceCount(&increase)), "");
  EXPECT_EQ(Text(Api().PJRT_Buffer_DecreaseExternalReferenceCount(&decrease)), "");
  Destroy(buffer);
}

TEST(BufferTest, CopiesAndDeletes) {
  Client client(2);
  PJRT_Buffer* buffer = client.ToDevice(F32({2}, {1, 2}));
  HLOCTS_ARGS(PJRT_Buffer_CopyToDevice_Args, copy);
  copy.buffer = buffer;
  copy.dst_device = client.device(1);
  ASSERT_EQ(Text(Api().PJRT_Buffer_CopyToDevice(&copy)), "");
  HLOCTS_ARGS(PJRT_Device_DefaultMemory_Args, memory);
  memory.device = client.device(1);
  ASSERT_EQ(Text(Api().PJRT_Device_DefaultMemory(&memory)), "");
  HLOCTS_ARGS(PJRT_Buffer_CopyToMemory_Args, copy_memory);
  copy_memory.buffer = buffer;
  copy_memory.dst_memory = memory.memory;
  ASSERT_EQ(Text(Api().PJRT_Buffer_CopyToMemory(&copy_memory)), "");
  HLOCTS_ARGS(PJRT_Buffer_Delete_Args, erase);
  erase.buffer = buffer;
  EXPECT_EQ(Text(Api().PJRT_Buffer_Delete(&erase)), "");
  EXPECT_TRUE(IsDeleted(buffer));
  HLOCTS_ARGS(PJRT_Buffer_ToHostBuffer_Args, to_host);
  to_host.src = buffer;
  EXPECT_THAT(Text(Api().PJRT_Buffer_ToHostBuffer(&to_host)), HasSubstr("deleted"));
  EXPECT_THAT(Values<float>(ToHost(copy.dst_buffer)), ElementsAre(1, 2));
  EXPECT_THAT(Values<float>(ToHost(copy_memory.dst_buffer)), ElementsAre(1, 2));
  Destroy(copy.dst_buffer);
  Destroy(copy_memory.dst_buffer);
  Destroy(buffer);
}

TEST(BufferTest, OtherWaysToMakeOne) {
  Client client;
  const int64_t dims[] = {4};
  HLOCTS_ARGS(PJRT_Client_CreateUninitializedBuffer_Args, uninitialized);
  uninitialized.client = client.get();
  uninitialized.shape_dims = dims;
  uninitialized.shape_num_dims = 1;
  uninitialized.shape_element_type = PJRT_Buffer_Type_F32;
  uninitialized.device = client.device(0);
  ASSERT_EQ(Text(Api().PJRT_Client_CreateUninitializedBuffer(&uninitialized)), "");
  EXPECT_EQ(DimsOf(uninitialized.buffer), (std::vector<int64_t>{4}));
  Destroy(uninitialized.buffer);

  alignas(64) float host[4] = {1, 2, 3, 4};
  int deleted = 0;
  HLOCTS_ARGS(PJRT_Client_CreateViewOfDeviceBuffer_Args, view);
  view.client = client.get();
  view.device_buffer_ptr = host;
  view.dims = dims;
  view.num_dims = 1;
  view.element_type = PJRT_Buffer_Type_F32;
  view.device = client.device(0);
  view.on_delete_callback = [](void*, void* user_arg) { ++*static_cast<int*>(user_arg); };
  view.on_delete_callback_arg = &deleted;
  ASSERT_EQ(Text(Api().PJRT_Client_CreateViewOfDeviceBuffer(&view)), "");
  EXPECT_THAT(Values<float>(ToHost(view.buffer)), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(deleted, 0);
  Destroy(view.buffer);
  EXPECT_EQ(deleted, 1);

  HLOCTS_ARGS(PJRT_Device_DefaultMemory_Args, memory);
  memory.device = client.device(0);
  ASSERT_EQ(Text(Api().PJRT_Device_DefaultMemory(&memory)), "");
  HLOCTS_ARGS(PJRT_Client_CreateErrorBuffer_Args, error);
  error.client = client.get();
  error.error_code = PJRT_Error_Code_DATA_LOSS;
  error.error_message = "lost";
  error.error_message_size = 4;
  error.shape_dims = dims;
  error.shape_num_dims = 1;
  error.shape_element_type = PJRT_Buffer_Type_F32;
  error.memory = memory.memory;
  ASSERT_EQ(Text(Api().PJRT_Client_CreateErrorBuffer(&error)), "");
  HLOCTS_ARGS(PJRT_Buffer_ReadyEvent_Args, ready);
  ready.buffer = error.buffer;
  EXPECT_EQ(Text(Api().PJRT_Buffer_ReadyEvent(&ready)), "");
  EXPECT_THAT(Await(ready.event), HasSubstr("lost"));
  Destroy(error.buffer);
}

TEST(Executables, KnowThemselves) {
  Client client;
  std::string error;
  PJRT_LoadedExecutable* loaded = client.Compile(Proto(R"(HloModule two
ENTRY e {
  x = f32[2,3] parameter(0)
  c = s32[] constant(7)
  n = f32[2,3] negate(x)
  ROOT r = (f32[2,3], s32[]) tuple(n, c)
})"),
                                                 CompileOptions(), &error);
  ASSERT_NE(loaded, nullptr) << error;
  HLOCTS_ARGS(PJRT_LoadedExecutable_GetExecutable_Args, get);
  get.loaded_executable = loaded;
  ASSERT_EQ(Text(Api().PJRT_LoadedExecutable_GetExecutable(&get)), "");
  PJRT_Executable* executable = get.executable;
  HLOCTS_ARGS(PJRT_Executable_Name_Args, name);
  name.executable = executable;
  EXPECT_EQ(Text(Api().PJRT_Executable_Name(&name)), "");
  EXPECT_EQ(std::string(name.executable_name, name.executable_name_size), "two");
  HLOCTS_ARGS(PJRT_Executable_NumReplicas_Args, replicas);
  replicas.executable = executable;
  EXPECT_EQ(Text(Api().PJRT_Executable_NumReplicas(&replicas)), "");
  EXPECT_EQ(replicas.num_replicas, 1u);
  HLOCTS_ARGS(PJRT_Executable_NumPartitions_Args, partitions);
  partitions.executable = executable;
  EXPECT_EQ(Text(Api().PJRT_Executable_NumPartitions(&partitions)), "");
  EXPECT_EQ(partitions.num_partitions, 1u);
  EXPECT_EQ(NumOutputs(loaded), 2u);
  HLOCTS_ARGS(PJRT_Executable_OutputElementTypes_Args, types);
  types.executable = executable;
  EXPECT_EQ(Text(Api().PJRT_Executable_OutputElementTypes(&types)), "");
  ASSERT_EQ(types.num_output_types, 2u);
  EXPECT_EQ(types.output_types[0], PJRT_Buffer_Type_F32);
  EXPECT_EQ(types.output_types[1], PJRT_Buffer_Type_S32);
  HLOCTS_ARGS(PJRT_Executable_OutputDimensions_Args, dims);
  dims.executable = executable;
  EXPECT_EQ(Text(Api().PJRT_Executable_OutputDimensions(&dims)), "");
  ASSERT_EQ(dims.num_outputs, 2u);
  EXPECT_EQ(dims.dim_sizes[0], 2u);
  EXPECT_EQ(dims.dim_sizes[1], 0u);
  EXPECT_EQ(dims.dims[1], 3);
  HLOCTS_ARGS(PJRT_Executable_OutputMemoryKinds_Args, kinds);
  kinds.executable = executable;
  EXPECT_EQ(Text(Api().PJRT_Executable_OutputMemoryKinds(&kinds)), "");
  EXPECT_EQ(kinds.num_outputs, 2u);
  HLOCTS_ARGS(PJRT_Executable_SizeOfGeneratedCodeInBytes_Args, size);
  size.executable = executable;
  EXPECT_EQ(Text(Api().PJRT_Executable_SizeOfGeneratedCodeInBytes(&size)), "");
  HLOCTS_ARGS(PJRT_Executable_GetCostAnalysis_Args, costs);
  costs.executable = executable;
  EXPECT_EQ(Text(Api().PJRT_Executable_GetCostAnalysis(&costs)), "");
  EXPECT_GT(costs.num_properties, 0u);
  HLOCTS_ARGS(PJRT_Executable_GetCompiledMemoryStats_Args, stats);
  stats.executable = executable;
  EXPECT_EQ(Text(Api().PJRT_Executable_GetCompiledMemoryStats(&stats)), "");
  EXPECT_GE(stats.argument_size_in_bytes, 24);
  HLOCTS_ARGS(PJRT_Executable_Fingerprint_Args, fingerprint);
  fingerprint.executable = executable;
  const std::string fingerprint_error = Text(Api().PJRT_Executable_Fingerprint(&fingerprint));
  HLOCTS_ARGS(PJRT_LoadedExecutable_Fingerprint_Args, loaded_fingerprint);
  loaded_fingerprint.executable = loaded;
  EXPECT_EQ(Text(Api().PJRT_LoadedExecutable_Fingerprint(&loaded_fingerprint)), fingerprint_error);
  HLOCTS_ARGS(PJRT_Executable_GetCompileOptions_Args, options);
  options.executable = executable;
  EXPECT_EQ(Text(Api().PJRT_Executable_GetCompileOptions(&options)), "");
  EXPECT_GT(options.serialized_bytes_size, 0u);
  options.serialized_compile_options_deleter(options.serialized_compile_options);
  HLOCTS_ARGS(PJRT_LoadedExecutable_GetDeviceAssignment_Args, assignment);
  assignment.executable = loaded;
  EXPECT_EQ(Text(Api().PJRT_LoadedExecutable_GetDeviceAssignment(&assignment)), "");
  EXPECT_GT(assignment.serialized_bytes_size, 0u);
  assignment.serialized_device_assignment_deleter(assignment.serialized_device_assignment);
  HLOCTS_ARGS(PJRT_LoadedExecutable_AddressableDevices_Args, devices);
  devices.executable = loaded;
  EXPECT_EQ(Text(Api().PJRT_LoadedExecutable_AddressableDevices(&devices)), "");
  ASSERT_EQ(devices.num_addressable_devices, 1u);
  EXPECT_EQ(devices.addressable_devices[0], client.device(0));
  HLOCTS_ARGS(PJRT_Executable_Destroy_Args, destroy);
  destroy.executable = executable;
  EXPECT_EQ(Text(Api().PJRT_Executable_Destroy(&destroy)), "");
  Destroy(loaded);
}

TEST(Executables, OptimizedProgramIsHlo) {
  Client client;
  std::string error;
  PJRT_LoadedExecutable* loaded = client.Compile(Proto(kAdd), CompileOptions(), &error);
  ASSERT_NE(loaded, nullptr) << error;
  HLOCTS_ARGS(PJRT_LoadedExecutable_GetExecutable_Args, get);
  get.loaded_executable = loaded;
  ASSERT_EQ(Text(Api().PJRT_LoadedExecutable_GetExecutable(&get)), "");
  HLOCTS_ARGS(PJRT_Program, program);
  HLOCTS_ARGS(PJRT_Executable_OptimizedProgram_Args, optimized);
  optimized.executable = get.executable;
  optimized.program = &program;
  ASSERT_EQ(Text(Api().PJRT_Executable_OptimizedProgram(&optimized)), "");
  EXPECT_EQ(std::string(program.format, program.format_size), "hlo");
  std::string code(program.code_size, '\0');
  program.code = code.data();
  ASSERT_EQ(Text(Api().PJRT_Executable_OptimizedProgram(&optimized)), "");
  hlocts_xla_bytes text;
  ASSERT_EQ(Lib().print_text({code.data(), code.size()}, HLOCTS_XLA_PRINT_DEFAULT, &text, nullptr),
            HLOCTS_XLA_OK);
  EXPECT_THAT(std::string(text.data, text.size), HasSubstr("add"));
  Lib().free(&text);
  HLOCTS_ARGS(PJRT_Executable_Destroy_Args, destroy);
  destroy.executable = get.executable;
  EXPECT_EQ(Text(Api().PJRT_Executable_Destroy(&destroy)), "");
  Destroy(loaded);
}

TEST(Executables, SerializedOnesLoadAndRun) {
  Client client;
  std::string error;
  PJRT_LoadedExecutable* loaded = client.Compile(Proto(kAdd), CompileOptions(), &error);
  ASSERT_NE(loaded, nullptr) << error;
  HLOCTS_ARGS(PJRT_LoadedExecutable_GetExecutable_Args, get);
  get.loaded_executable = loaded;
  ASSERT_EQ(Text(Api().PJRT_LoadedExecutable_GetExecutable(&get)), "");
  HLOCTS_ARGS(PJRT_Executable_Serialize_Args, serialize);
  serialize.executable = get.executable;
  ASSERT_EQ(Text(Api().PJRT_Executable_Serialize(&serialize)), "");
  HLOCTS_ARGS(PJRT_Executable_DeserializeAndLoad_Args, load);
  load.client = client.get();
  load.serialized_executable = serialize.serialized_bytes;
  load.serialized_executable_size = serialize.serialized_bytes_size;
  ASSERT_EQ(Text(Api().PJRT_Executable_DeserializeAndLoad(&load)), "");
  serialize.serialized_executable_deleter(serialize.serialized_executable);
  std::vector<PJRT_Buffer*> arguments = {client.ToDevice(F32({2}, {1, 2})),
                                         client.ToDevice(F32({2}, {10, 20}))};
  std::vector<std::vector<PJRT_Buffer*>> outputs;
  ASSERT_EQ(Execute(load.loaded_executable, {arguments}, &outputs), "");
  EXPECT_THAT(Values<float>(ToHost(outputs[0][0])), ElementsAre(11, 22));
  Destroy(outputs[0][0]);
  for (PJRT_Buffer* buffer : arguments) Destroy(buffer);
  HLOCTS_ARGS(PJRT_Executable_Destroy_Args, destroy);
  destroy.executable = get.executable;
  EXPECT_EQ(Text(Api().PJRT_Executable_Destroy(&destroy)), "");
  Destroy(load.loaded_executable);
  Destroy(loaded);
}

TEST(Executables, DeletedOnesDoNotRun) {
  Client client;
  std::string error;
  PJRT_LoadedExecutable* loaded = client.Compile(
      Proto("HloModule m\nENTRY e { ROOT c = f32[] constant(1) }"), CompileOptions(), &error);
  ASSERT_NE(loaded, nullptr) << error;
  HLOCTS_ARGS(PJRT_LoadedExecutable_IsDeleted_Args, deleted);
  deleted.executable = loaded;
  EXPECT_EQ(Text(Api().PJRT_LoadedExecutable_IsDeleted(&deleted)), "");
  EXPECT_FALSE(deleted.is_deleted);
  HLOCTS_ARGS(PJRT_LoadedExecutable_Delete_Args, erase);
  erase.executable = loaded;
  EXPECT_EQ(Text(Api().PJRT_LoadedExecutable_Delete(&erase)), "");
  EXPECT_EQ(Text(Api().PJRT_LoadedExecutable_IsDeleted(&deleted)), "");
  EXPECT_TRUE(deleted.is_deleted);
  std::vector<std::vector<PJRT_Buffer*>> outputs;
  EXPECT_THAT(Execute(loaded, {{}}, &outputs), StartsWith("9: "));
  Destroy(loaded);
}

TEST(Run, WrongArgumentsAreRefused) {
  Client client;
  EXPECT_THAT(CompileAndRun(client, kAdd, {F32({2}, {1, 2})}).error, HasSubstr("2"));
  EXPECT_NE(CompileAndRun(client, kAdd, {F32({2}, {1, 2}), F32({3}, {1, 2, 3})}).error, "");
}

TEST(Run, TupleRootBecomesAListOfOutputs) {
  Client client;
  RunResult result = CompileAndRun(client, R"(HloModule m
ENTRY e {
  x = f32[2] parameter(0)
  n = f32[2] negate(x)
  ROOT r = (f32[2], f32[2]) tuple(n, x)
})",
                                   {F32({2}, {1, 2})});
  ASSERT_EQ(result.error, "");
  ASSERT_EQ(result.outputs.size(), 2u);
  EXPECT_THAT(Values<float>(result.outputs[0].bytes), ElementsAre(-1, -2));
  EXPECT_THAT(Values<float>(result.outputs[1].bytes), ElementsAre(1, 2));
}

TEST(Run, EmptyTupleRootHasNoOutputs) {
  Client client;
  RunResult result = CompileAndRun(client, "HloModule m\nENTRY e { ROOT r = () tuple() }", {});
  EXPECT_EQ(result.error, "");
  EXPECT_THAT(result.outputs, IsEmpty());
}

TEST(Flatten, NestedTupleRootGivesItsLeavesDepthFirst) {
  Client client;
  RunResult result = CompileAndRun(client, R"(HloModule m
ENTRY e {
  x = f32[] parameter(0)
  a = f32[] constant(1)
  b = f32[] constant(2)
  c = f32[] constant(3)
  inner = (f32[], f32[]) tuple(b, x)
  none = () tuple()
  middle = ((f32[], f32[]), (), f32[]) tuple(inner, none, c)
  ROOT r = (f32[], ((f32[], f32[]), (), f32[])) tuple(a, middle)
})",
                                   {F32({}, {7})});
  ASSERT_EQ(result.error, "");
  ASSERT_EQ(result.outputs.size(), 4u);
  std::vector<float> leaves;
  for (const HostArray& output : result.outputs) leaves.push_back(Values<float>(output.bytes)[0]);
  EXPECT_THAT(leaves, ElementsAre(1, 2, 7, 3));
}

TEST(Flatten, TupleParametersTakeTheirLeaves) {
  Client client;
  EXPECT_THAT(RunOne<float>(client, R"(HloModule m
ENTRY e {
  p = (f32[2], (f32[2], f32[])) parameter(0)
  q = f32[] parameter(1)
  a = f32[2] get-tuple-element(p), index=0
  inner = (f32[2], f32[]) get-tuple-element(p), index=1
  b = f32[2] get-tuple-element(inner), index=0
  c = f32[] get-tuple-element(inner), index=1
  s = f32[] subtract(c, q)
  bs = f32[2] broadcast(s), dimensions={}
  d = f32[2] divide(a, b)
  ROOT r = f32[2] add(d, bs)
})",
                            {F32({2}, {8, 9}), F32({2}, {2, 3}), F32({}, {100}), F32({}, {1})}),
              ElementsAre(103, 102));
}

TEST(Flatten, TokensAreLeavesToo) {
  Client client;
  const HostArray token{PJRT_Buffer_Type_TOKEN, {}, ""};
  const std::string text = R"(HloModule m
ENTRY e {
  x = f32[2] parameter(0)
  t = token[] parameter(1)
  y = f32[2] parameter(2)
  u = token[] after-all(t)
  r = f32[2] subtract(x, y)
  ROOT r2 = (token[], f32[2]) tuple(u, r)
})";
  RunResult result = CompileAndRun(client, text, {F32({2}, {5, 6}), token, F32({2}, {1, 3})});
  ASSERT_EQ(result.error, "");
  ASSERT_EQ(result.outputs.size(), 2u);
  EXPECT_EQ(result.outputs[0].type, PJRT_Buffer_Type_TOKEN);
  EXPECT_THAT(Values<float>(result.outputs[1].bytes), ElementsAre(4, 3));
  EXPECT_THAT(CompileAndRun(client, text, {token, token, F32({2}, {1, 3})}).error,
              HasSubstr("argument 0: expected an array, found a token"));
  EXPECT_THAT(
      CompileAndRun(client, text, {F32({2}, {5, 6}), F32({2}, {5, 6}), F32({2}, {1, 3})}).error,
      HasSubstr("argument 1: expected a token, found an array"));
}

TEST(Flatten, DynamicParametersTakeArraysUpToTheirBound) {
  Client client;
  const std::string text = R"(HloModule m
sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] add(a, b)
}
ENTRY e {
  p = (f32[<=2,<=4], f32[]) parameter(0)
  x = f32[<=2,<=4] get-tuple-element(p), index=0
  start = f32[] get-tuple-element(p), index=1
  e = f32[<=2,<=4] exponential(x)
  total = f32[] reduce(e, start), dimensions={0,1}, to_apply=sum
  ROOT r = (f32[<=2,<=4], f32[]) tuple(e, total)
})";
  const std::vector<float> zeros(6, 0), ones(6, 1);
  RunResult result = CompileAndRun(client, text, {F32({2, 3}, zeros), F32({}, {0})});
  ASSERT_EQ(result.error, "");
  ASSERT_EQ(result.outputs.size(), 2u);
  EXPECT_THAT(result.outputs[0].dims, ElementsAre(2, 3));
  EXPECT_EQ(Values<float>(result.outputs[0].bytes), ones);
  EXPECT_THAT(Values<float>(result.outputs[1].bytes), ElementsAre(6));
  EXPECT_THAT(CompileAndRun(client, text, {F32({1, 5}, {0, 0, 0, 0, 0}), F32({}, {0})}).error,
              HasSubstr("argument 0: expected f32[<=2,<=4], found f32[1,5]"));
  EXPECT_THAT(CompileAndRun(client, text, {F32({2, 3}, zeros)}).error,
              HasSubstr("arguments: expected 2, found 1"));
}

// Which argument a run consumed, of a module whose output aliases one.
std::vector<bool> ConsumedBy(const std::string& text, const std::vector<HostArray>& arguments,
                             const std::vector<int64_t>& non_donatable,
                             std::vector<float>* first_output) {
  Client client;
  std::string error;
  PJRT_LoadedExecutable* loaded = client.Compile(Proto(text), CompileOptions(), &error);
  EXPECT_NE(loaded, nullptr) << error;
  if (loaded == nullptr) return {};
  std::vector<PJRT_Buffer*> buffers;
  for (const HostArray& array : arguments) buffers.push_back(client.ToDevice(array));
  std::vector<std::vector<PJRT_Buffer*>> outputs;
  EXPECT_EQ(Execute(loaded, {buffers}, &outputs, non_donatable), "");
  *first_output = Values<float>(ToHost(outputs[0][0]));
  for (PJRT_Buffer* output : outputs[0]) Destroy(output);
  std::vector<bool> consumed;
  for (PJRT_Buffer* buffer : buffers) {
    consumed.push_back(IsDeleted(buffer));
    Destroy(buffer);
  }
  Destroy(loaded);
  return consumed;
}

TEST(Donation, AliasedInputsAreConsumedUnlessHeldBack) {
  const std::string text = R"(HloModule m, input_output_alias={ {}: (1, {}, may-alias) }
ENTRY e {
  x = f32[2] parameter(0)
  y = f32[2] parameter(1)
  ROOT r = f32[2] add(x, y)
})";
  const std::vector<HostArray> arguments = {F32({2}, {1, 2}), F32({2}, {10, 20})};
  std::vector<float> sum;
  EXPECT_THAT(ConsumedBy(text, arguments, {}, &sum), ElementsAre(false, true));
  EXPECT_THAT(sum, ElementsAre(11, 22));
  EXPECT_THAT(ConsumedBy(text, arguments, {1}, &sum), ElementsAre(false, false));
  EXPECT_THAT(sum, ElementsAre(11, 22));
}

TEST(Donation, AliasesFollowTheirLeavesThroughFlattening) {
  std::vector<float> first;
  EXPECT_THAT(ConsumedBy(R"(HloModule m, input_output_alias={ {1,0}: (0, {1}, must-alias) }
ENTRY e {
  p = (f32[2], f32[2]) parameter(0)
  a = f32[2] get-tuple-element(p), index=0
  b = f32[2] get-tuple-element(p), index=1
  s = f32[2] add(a, b)
  d = f32[2] subtract(b, a)
  inner = (f32[2]) tuple(s)
  ROOT r = (f32[2], (f32[2])) tuple(d, inner)
})",
                         {F32({2}, {1, 2}), F32({2}, {10, 20})}, {}, &first),
              ElementsAre(false, true));
  EXPECT_THAT(first, ElementsAre(9, 18));
}

TEST(Devices, TwoReplicasReduceOnTwoDevices) {
  Client client(2);
  std::string error;
  PJRT_LoadedExecutable* loaded = client.Compile(Proto(R"(HloModule m, replica_count=2
sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] add(a, b)
}
ENTRY e {
  x = f32[2] parameter(0)
  all = f32[2] all-reduce(x), replica_groups={{0,1}}, to_apply=sum
  id = u32[] replica-id()
  ROOT r = (f32[2], u32[]) tuple(all, id)
})"),
                                                 CompileOptions(2), &error);
  ASSERT_NE(loaded, nullptr) << error;
  std::vector<std::vector<PJRT_Buffer*>> arguments = {{client.ToDevice(F32({2}, {1, 2}), 0)},
                                                      {client.ToDevice(F32({2}, {10, 20}), 1)}};
  std::vector<std::vector<PJRT_Buffer*>> outputs;
  ASSERT_EQ(Execute(loaded, arguments, &outputs), "");
  for (uint32_t replica = 0; replica < 2; ++replica) {
    EXPECT_THAT(Values<float>(ToHost(outputs[replica][0])), ElementsAre(11, 22));
    EXPECT_THAT(Values<uint32_t>(ToHost(outputs[replica][1])), ElementsAre(replica));
    for (PJRT_Buffer* output : outputs[replica]) Destroy(output);
    Destroy(arguments[replica][0]);
  }
  outputs.clear();
  EXPECT_THAT(Execute(loaded, {{}}, &outputs), HasSubstr("num_devices: expected 2, found 1"));
  Destroy(loaded);
}

TEST(Devices, MoreReplicasThanDevicesAreRefused) {
  Client client(1);
  std::string error;
  EXPECT_EQ(client.Compile(Proto(kAdd), CompileOptions(2), &error), nullptr);
  EXPECT_NE(error, "");
}

TEST(Options, OverridesReachXlaAndUnknownOnesAreRefused) {
  Client client;
  const std::vector<HostArray> arguments = {F32({2}, {1, 2}), F32({2}, {10, 20})};
  EXPECT_THAT(
      RunOne<float>(client, kAdd, arguments,
                    CompileOptions(1, 1, {{"xla_backend_optimization_level", IntOverride(0)}})),
      ElementsAre(11, 22));
  EXPECT_THAT(CompileAndRun(client, kAdd, arguments,
                            CompileOptions(1, 1, {{"xla_no_such_option", BoolOverride(true)}}))
                  .error,
              HasSubstr("xla_no_such_option"));
}

// The one default we set: with TensorFlow's, maximum loses NaN.
TEST(Options, MaximumPropagatesNan) {
  Client client;
  const std::vector<float> result =
      RunOne<float>(client, R"(HloModule m
ENTRY e {
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  ROOT r = f32[4] maximum(x, y)
})",
                    {F32({4}, {NAN, 1, NAN, 2}), F32({4}, {1, NAN, NAN, 3})});
  ASSERT_EQ(result.size(), 4u);
  EXPECT_TRUE(std::isnan(result[0]) && std::isnan(result[1]) && std::isnan(result[2]));
  EXPECT_EQ(result[3], 3);
}

TEST(Garbage, ProgramsAndOptionsAreRefusedWithReasons) {
  Client client;
  std::string error;
  const std::string proto = Proto(kAdd);
  EXPECT_EQ(client.Compile("rubbish", CompileOptions(), &error), nullptr);
  EXPECT_THAT(error, HasSubstr("HloModuleProto"));
  EXPECT_EQ(client.Compile("", CompileOptions(), &error), nullptr);
  EXPECT_THAT(error, HasSubstr("host_program_shape"));
  EXPECT_EQ(client.Compile(proto.substr(0, proto.size() / 2), CompileOptions(), &error), nullptr);
  EXPECT_NE(error, "");
  EXPECT_EQ(client.Compile(proto, "rubbish", &error), nullptr);
  EXPECT_THAT(error, HasSubstr("CompileOptionsProto"));
  EXPECT_EQ(client.Compile(proto, CompileOptions(), &error, "mlir"), nullptr);
  EXPECT_THAT(error, HasSubstr("\"mlir\""));
}

}  // namespace
}  // namespace hlocts::xla_test
