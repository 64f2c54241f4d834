// SPDX-License-Identifier: Apache-2.0
#include <assert.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// XLA's header declares the same names, so ours is in a namespace here.
namespace ours {
#include "spec/pjrt/pjrt_abi.h"
}  // namespace ours
#undef PJRT_STRUCT_SIZE
#if __has_include(<pjrt_c_api.h>)
#include <pjrt_c_api.h>
#define HLOCTS_XLA_HEADER
#endif

namespace hlocts {
namespace {

TEST(PjrtAbi, TheTableIsAnArrayOfPointers) {
  size_t index = offsetof(ours::PJRT_Api, PJRT_Error_GetCode) / sizeof(void*);
#define HLOCTS_PJRT_FUNCTION(name, ...) \
  EXPECT_EQ(offsetof(ours::PJRT_Api, name), index++ * sizeof(void*)) << #name;
#include "spec/pjrt/pjrt_functions.def"
#undef HLOCTS_PJRT_FUNCTION
  EXPECT_EQ(sizeof(ours::PJRT_Api), index * sizeof(void*));
}

#ifndef HLOCTS_XLA_HEADER
TEST(PjrtAbi, IsThatOfXlasHeader) { GTEST_SKIP() << "no XLA wheel (HLOCTS_XLA_DIR)"; }
#endif
}  // namespace
}  // namespace hlocts

#ifdef HLOCTS_XLA_HEADER
#define SAME_STRUCT(name, last)                                        \
  static_assert(sizeof(ours::name) == sizeof(::name));                 \
  static_assert(offsetof(ours::name, last) == offsetof(::name, last)); \
  static_assert(sizeof(ours::name::last) == sizeof(::name::last));
#define HLOCTS_PJRT_FUNCTION(name, last, ...) \
  SAME_STRUCT(name##_Args, last)              \
  SAME_STRUCT(PJRT_Api, name)                 \
  static_assert(+ours::name##_Args_STRUCT_SIZE == +::name##_Args_STRUCT_SIZE);
#include "spec/pjrt/pjrt_functions.def"
HLOCTS_PJRT_FUNCTION(PJRT_Error_Destroy, error)
HLOCTS_PJRT_FUNCTION(PJRT_Error_Message, message_size)
#undef HLOCTS_PJRT_FUNCTION
static_assert(+ours::PJRT_Api_STRUCT_SIZE == +::PJRT_Api_STRUCT_SIZE);
SAME_STRUCT(PJRT_Extension_Base, next)
SAME_STRUCT(PJRT_Api_Version, minor_version)
SAME_STRUCT(PJRT_NamedValue, value_size)
SAME_STRUCT(PJRT_Program, format_size)
SAME_STRUCT(PJRT_ShapeSpec, element_type)
SAME_STRUCT(PJRT_Buffer_MemoryLayout_Tiled, num_tiles)
SAME_STRUCT(PJRT_Buffer_MemoryLayout_Strides, num_byte_strides)
SAME_STRUCT(PJRT_Buffer_MemoryLayout, type)
SAME_STRUCT(PJRT_ProcessInfo, error_message_size)
SAME_STRUCT(PJRT_KeyValueGetCallback_Args, value_deleter_callback)
SAME_STRUCT(PJRT_KeyValueTryGetCallback_Args, value_deleter_callback)
SAME_STRUCT(PJRT_KeyValuePutCallback_Args, user_arg)
SAME_STRUCT(PJRT_Chunk, deleter_arg)
SAME_STRUCT(PJRT_SendCallbackInfo, send_callback)
SAME_STRUCT(PJRT_RecvCallbackInfo, recv_callback)
SAME_STRUCT(PJRT_Buffer_CopyRawToHostFuture_Callback_Args, dst)
SAME_STRUCT(PJRT_Buffer_DonateWithControlDependency_Callback_Args, error_message_size)
SAME_STRUCT(PJRT_ExecuteOptions, incarnation_ids)

#define ENUMERATORS                                                                               \
  PJRT_Extension_Type_Gpu_Custom_Call, PJRT_Extension_Type_Profiler,                              \
      PJRT_Extension_Type_Custom_Partitioner, PJRT_Extension_Type_Stream,                         \
      PJRT_Extension_Type_Layouts, PJRT_Extension_Type_FFI,                                       \
      PJRT_Extension_Type_MemoryDescriptions, PJRT_Extension_Type_Triton,                         \
      PJRT_Extension_Type_RawBuffer, PJRT_Extension_Type_PhaseCompile,                            \
      PJRT_Extension_Type_Example, PJRT_Extension_Type_Unknown,                                   \
      PJRT_Extension_Type_CrossHostTransfers, PJRT_Extension_Type_ExecutableMetadata,             \
      PJRT_Extension_Type_Callback, PJRT_Extension_Type_HostAllocator,                            \
      PJRT_Extension_Type_TpuTopology, PJRT_Extension_Type_TpuExecutable,                         \
      PJRT_Extension_Type_Megascale, PJRT_Error_Code_OK, PJRT_Error_Code_CANCELLED,               \
      PJRT_Error_Code_UNKNOWN, PJRT_Error_Code_INVALID_ARGUMENT,                                  \
      PJRT_Error_Code_DEADLINE_EXCEEDED, PJRT_Error_Code_NOT_FOUND,                               \
      PJRT_Error_Code_ALREADY_EXISTS, PJRT_Error_Code_PERMISSION_DENIED,                          \
      PJRT_Error_Code_RESOURCE_EXHAUSTED, PJRT_Error_Code_FAILED_PRECONDITION,                    \
      PJRT_Error_Code_ABORTED, PJRT_Error_Code_OUT_OF_RANGE, PJRT_Error_Code_UNIMPLEMENTED,       \
      PJRT_Error_Code_INTERNAL, PJRT_Error_Code_UNAVAILABLE, PJRT_Error_Code_DATA_LOSS,           \
      PJRT_Error_Code_UNAUTHENTICATED, PJRT_NamedValue_kString, PJRT_NamedValue_kInt64,           \
      PJRT_NamedValue_kInt64List, PJRT_NamedValue_kFloat, PJRT_NamedValue_kBool,                  \
      PJRT_ProcessState_kUnspecified, PJRT_ProcessState_kUninitialized,                           \
      PJRT_ProcessState_kDisconnected, PJRT_ProcessState_kConnected, PJRT_ProcessState_kError,    \
      PJRT_Buffer_Type_INVALID, PJRT_Buffer_Type_PRED, PJRT_Buffer_Type_S8, PJRT_Buffer_Type_S16, \
      PJRT_Buffer_Type_S32, PJRT_Buffer_Type_S64, PJRT_Buffer_Type_U8, PJRT_Buffer_Type_U16,      \
      PJRT_Buffer_Type_U32, PJRT_Buffer_Type_U64, PJRT_Buffer_Type_F16, PJRT_Buffer_Type_F32,     \
      PJRT_Buffer_Type_F64, PJRT_Buffer_Type_BF16, PJRT_Buffer_Type_C64, PJRT_Buffer_Type_C128,   \
      PJRT_Buffer_Type_F8E5M2, PJRT_Buffer_Type_F8E4M3FN, PJRT_Buffer_Type_F8E4M3B11FNUZ,         \
      PJRT_Buffer_Type_F8E5M2FNUZ, PJRT_Buffer_Type_F8E4M3FNUZ, PJRT_Buffer_Type_S4,              \
      PJRT_Buffer_Type_U4, PJRT_Buffer_Type_TOKEN, PJRT_Buffer_Type_S2, PJRT_Buffer_Type_U2,      \
      PJRT_Buffer_Type_F8E4M3, PJRT_Buffer_Type_F8E3M4, PJRT_Buffer_Type_F8E8M0FNU,               \
      PJRT_Buffer_Type_F4E2M1FN, PJRT_HostBufferSemantics_kImmutableOnlyDuringCall,               \
      PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes,                                  \
      PJRT_HostBufferSemantics_kImmutableZeroCopy, PJRT_HostBufferSemantics_kMutableZeroCopy,     \
      PJRT_Buffer_MemoryLayout_Type_Tiled, PJRT_Buffer_MemoryLayout_Type_Strides
constexpr int kXlas[] = {ENUMERATORS};
namespace ours {
constexpr int kOurs[] = {ENUMERATORS};

TEST(PjrtAbi, IsThatOfXlasHeader) { EXPECT_THAT(kOurs, testing::ElementsAreArray(kXlas)); }
}  // namespace ours
#endif
