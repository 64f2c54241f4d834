// SPDX-License-Identifier: Apache-2.0
// Tests PJRT buffers that are not created from a host array.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "spec/pjrt/table/test_support.h"

namespace hlocts::pjrt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

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

}  // namespace
}  // namespace hlocts::pjrt
