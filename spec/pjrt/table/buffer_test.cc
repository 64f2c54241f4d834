// SPDX-License-Identifier: Apache-2.0
// Tests PJRT buffers: every element type, layouts, copies.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "spec/pjrt/table/test_support.h"

namespace hlocts::pjrt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// An element type. The tested module reorders elements, so its output has the bytes of the input in
// another order. Elements of sub-byte types are the low bits of one byte each.
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
    // Without a host layout, the device layout is used.
    EXPECT_EQ(ToHost(args.buffer), ToHost(args.buffer, with_device_layout ? &column : &row));
    HLOCTS_ASK(PJRT_Buffer_GetMemoryLayout, found, buffer, args.buffer);
    ASSERT_EQ(found.layout.tiled.minor_to_major_size, 2u);
    EXPECT_EQ(found.layout.tiled.minor_to_major[0], with_device_layout ? 0 : 1);
    EXPECT_EQ(found.layout.tiled.num_tiles, 0u);
    Destroy(args.buffer);
  }
}

TEST(BufferTest, AHostArrayHasAnyStrides) {
  Client client;
  const std::vector<float> host = {1, 2, 3, 4, 5, 6};
  struct {
    size_t first;
    int64_t dims[2], strides[2];
    std::vector<float> values;
  } const cases[] = {
      {0, {2, 3}, {0, 4}, {1, 2, 3, 1, 2, 3}},     // repeats a row
      {5, {2, 3}, {-12, -4}, {6, 5, 4, 3, 2, 1}},  // backwards
      {1, {2, 2}, {12, 4}, {2, 3, 5, 6}},          // with gaps
      {0, {2, 0}, {0, 4}, {}},
  };
  for (const auto& one : cases) {
    HLOCTS_ARGS(PJRT_Client_BufferFromHostBuffer_Args, args);
    args.client = client.get();
    args.data = host.data() + one.first;
    args.type = PJRT_Buffer_Type_F32;
    args.dims = one.dims;
    args.num_dims = 2;
    args.byte_strides = one.strides;
    args.num_byte_strides = 2;
    args.device = client.device(0);
    ASSERT_EQ(Text(Api().PJRT_Client_BufferFromHostBuffer(&args)), "");
    EXPECT_EQ(Await(args.done_with_host_buffer), "");
    EXPECT_EQ(Values<float>(ToHost(args.buffer)), one.values);
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
  HLOCTS_ASK(PJRT_Buffer_Dimensions, dims, buffer, buffer);
  EXPECT_EQ(std::vector<int64_t>(dims.dims, dims.dims + dims.num_dims),
            (std::vector<int64_t>{2, 3}));
  HLOCTS_ASK(PJRT_Buffer_DynamicDimensionIndices, dynamic, buffer, buffer);
  EXPECT_EQ(dynamic.num_dynamic_dims, 0u);
  HLOCTS_ASK(PJRT_Buffer_OnDeviceSizeInBytes, size, buffer, buffer);
  EXPECT_EQ(size.on_device_size_in_bytes, 24u);
  Destroy(buffer);
}

TEST(BufferTest, KnowsWhereItIs) {
  Client client(2);
  PJRT_Buffer* buffer = client.ToDevice(F32({2, 3}, {1, 2, 3, 4, 5, 6}), 1);
  HLOCTS_ASK(PJRT_Buffer_Device, device, buffer, buffer);
  EXPECT_EQ(device.device, client.device(1));
  HLOCTS_ASK(PJRT_Buffer_Memory, memory, buffer, buffer);
  HLOCTS_ASK(PJRT_Device_DefaultMemory, default_memory, device, client.device(1));
  EXPECT_EQ(memory.memory, default_memory.memory);
  HLOCTS_ASK(PJRT_Buffer_IsOnCpu, on_cpu, buffer, buffer);
  EXPECT_TRUE(on_cpu.is_on_cpu);
  Destroy(buffer);
}

TEST(BufferTest, GivesItsBytes) {
  Client client(2);
  PJRT_Buffer* buffer = client.ToDevice(F32({2, 3}, {1, 2, 3, 4, 5, 6}), 1);
  HLOCTS_ASK(PJRT_Buffer_ReadyEvent, ready, buffer, buffer);
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
  HLOCTS_ASK(PJRT_Buffer_UnsafePointer, pointer, buffer, buffer);
  EXPECT_EQ(reinterpret_cast<const float*>(pointer.buffer_pointer)[1], 2);
  HLOCTS_ASK(PJRT_Buffer_OpaqueDeviceMemoryDataPointer, opaque, buffer, buffer);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(opaque.device_memory_ptr), pointer.buffer_pointer);
  HLOCTS_ARGS(PJRT_Buffer_DecreaseExternalReferenceCount_Args, decrease);
  decrease.buffer = buffer;
  EXPECT_THAT(Text(Api().PJRT_Buffer_DecreaseExternalReferenceCount(&decrease)),
              HasSubstr("found none"));
  HLOCTS_ASK(PJRT_Buffer_IncreaseExternalReferenceCount, increase, buffer, buffer);
  EXPECT_EQ(Text(Api().PJRT_Buffer_DecreaseExternalReferenceCount(&decrease)), "");
  Destroy(buffer);
}

TEST(BufferTest, CopiesAndDeletes) {
  Client client(2);
  PJRT_Buffer* buffer = client.ToDevice(F32({2}, {1, 2}));
  HLOCTS_ARGS(PJRT_Buffer_CopyToDevice_Args, copy);
  copy.buffer = buffer;
  copy.dst_device = client.device(0);
  EXPECT_THAT(Text(Api().PJRT_Buffer_CopyToDevice(&copy)), HasSubstr("already"));
  copy.dst_device = client.device(1);
  ASSERT_EQ(Text(Api().PJRT_Buffer_CopyToDevice(&copy)), "");
  HLOCTS_ASK(PJRT_Device_DefaultMemory, memory, device, client.device(1));
  HLOCTS_ARGS(PJRT_Buffer_CopyToMemory_Args, copy_memory);
  copy_memory.buffer = buffer;
  copy_memory.dst_memory = memory.memory;
  ASSERT_EQ(Text(Api().PJRT_Buffer_CopyToMemory(&copy_memory)), "");
  HLOCTS_ASK(PJRT_Buffer_Delete, erase, buffer, buffer);
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

// Tests PJRT buffers that are not created from a host array.

TEST(MadeBufferTest, IsMadeWithoutValues) {
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
}

TEST(MadeBufferTest, IsMadeAroundMemoryOfTheCaller) {
  Client client;
  const int64_t dims[] = {4};
  alignas(64) float host[4] = {1, 2, 3, 4};
  std::atomic<int> deleted{0};
  HLOCTS_ARGS(PJRT_Client_CreateViewOfDeviceBuffer_Args, view);
  view.client = client.get();
  view.device_buffer_ptr = host;
  view.dims = dims;
  view.num_dims = 1;
  view.element_type = PJRT_Buffer_Type_F32;
  view.device = client.device(0);
  view.on_delete_callback = [](void*, void* user_arg) {
    ++*static_cast<std::atomic<int>*>(user_arg);
  };
  view.on_delete_callback_arg = &deleted;
  ASSERT_EQ(Text(Api().PJRT_Client_CreateViewOfDeviceBuffer(&view)), "");
  EXPECT_THAT(Values<float>(ToHost(view.buffer)), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(deleted, 1) << "the memory was copied";
  Destroy(view.buffer);
  EXPECT_EQ(deleted, 1);
}

TEST(MadeBufferTest, IsMadeOfAnError) {
  Client client;
  const int64_t dims[] = {4};
  HLOCTS_ASK(PJRT_Device_DefaultMemory, memory, device, client.device(0));
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
  HLOCTS_ASK(PJRT_Buffer_ReadyEvent, ready, buffer, error.buffer);
  EXPECT_THAT(Await(ready.event), HasSubstr("lost"));
  Destroy(error.buffer);
}

}  // namespace
}  // namespace hlocts::pjrt
