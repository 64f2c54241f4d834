// SPDX-License-Identifier: Apache-2.0
// The C ABI of PJRT, version 0.90: the table that a plugin's GetPjrtApi() returns. Names, fields
// and values are facts of the ABI; pjrt_abi_test.cc compares them with XLA's header.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PJRT_API_MAJOR = 0, PJRT_API_MINOR = 90 };

// The value of struct_size in a structure whose last field is `last`.
#define PJRT_STRUCT_SIZE(type, last) (offsetof(type, last) + sizeof(((type*)0)->last))

// Defines the structure `name`, with the two fields that all structures begin with, and its size.
#define HLOCTS_PJRT_STRUCT(name, last, ...) \
  typedef struct name {                     \
    size_t struct_size;                     \
    PJRT_Extension_Base* extension_start;   \
    __VA_ARGS__                             \
  } name;                                   \
  enum { name##_STRUCT_SIZE = PJRT_STRUCT_SIZE(name, last) };

typedef enum PJRT_Extension_Type {
  PJRT_Extension_Type_Gpu_Custom_Call,
  PJRT_Extension_Type_Profiler,
  PJRT_Extension_Type_Custom_Partitioner,
  PJRT_Extension_Type_Stream,
  PJRT_Extension_Type_Layouts,
  PJRT_Extension_Type_FFI,
  PJRT_Extension_Type_MemoryDescriptions,
  PJRT_Extension_Type_Triton,
  PJRT_Extension_Type_RawBuffer,
  PJRT_Extension_Type_PhaseCompile,
  PJRT_Extension_Type_Example,
  PJRT_Extension_Type_Unknown,
  PJRT_Extension_Type_CrossHostTransfers,
  PJRT_Extension_Type_ExecutableMetadata,
  PJRT_Extension_Type_Callback,
  PJRT_Extension_Type_HostAllocator,
  PJRT_Extension_Type_TpuTopology,
  PJRT_Extension_Type_TpuExecutable,
  PJRT_Extension_Type_Megascale,
  // The extension of our own plugins; see hlocts_extension.h.
  HLOCTS_PJRT_EXTENSION_TYPE = 0x484c4f
} PJRT_Extension_Type;

typedef enum PJRT_Error_Code {
  PJRT_Error_Code_OK,
  PJRT_Error_Code_CANCELLED,
  PJRT_Error_Code_UNKNOWN,
  PJRT_Error_Code_INVALID_ARGUMENT,
  PJRT_Error_Code_DEADLINE_EXCEEDED,
  PJRT_Error_Code_NOT_FOUND,
  PJRT_Error_Code_ALREADY_EXISTS,
  PJRT_Error_Code_PERMISSION_DENIED,
  PJRT_Error_Code_RESOURCE_EXHAUSTED,
  PJRT_Error_Code_FAILED_PRECONDITION,
  PJRT_Error_Code_ABORTED,
  PJRT_Error_Code_OUT_OF_RANGE,
  PJRT_Error_Code_UNIMPLEMENTED,
  PJRT_Error_Code_INTERNAL,
  PJRT_Error_Code_UNAVAILABLE,
  PJRT_Error_Code_DATA_LOSS,
  PJRT_Error_Code_UNAUTHENTICATED
} PJRT_Error_Code;

typedef enum PJRT_NamedValue_Type {
  PJRT_NamedValue_kString,
  PJRT_NamedValue_kInt64,
  PJRT_NamedValue_kInt64List,
  PJRT_NamedValue_kFloat,
  PJRT_NamedValue_kBool
} PJRT_NamedValue_Type;

typedef enum PJRT_ProcessState {
  PJRT_ProcessState_kUnspecified,
  PJRT_ProcessState_kUninitialized,
  PJRT_ProcessState_kDisconnected,
  PJRT_ProcessState_kConnected,
  PJRT_ProcessState_kError
} PJRT_ProcessState;

typedef enum PJRT_Buffer_Type {
  PJRT_Buffer_Type_INVALID,
  PJRT_Buffer_Type_PRED,
  PJRT_Buffer_Type_S8,
  PJRT_Buffer_Type_S16,
  PJRT_Buffer_Type_S32,
  PJRT_Buffer_Type_S64,
  PJRT_Buffer_Type_U8,
  PJRT_Buffer_Type_U16,
  PJRT_Buffer_Type_U32,
  PJRT_Buffer_Type_U64,
  PJRT_Buffer_Type_F16,
  PJRT_Buffer_Type_F32,
  PJRT_Buffer_Type_F64,
  PJRT_Buffer_Type_BF16,
  PJRT_Buffer_Type_C64,
  PJRT_Buffer_Type_C128,
  PJRT_Buffer_Type_F8E5M2,
  PJRT_Buffer_Type_F8E4M3FN,
  PJRT_Buffer_Type_F8E4M3B11FNUZ,
  PJRT_Buffer_Type_F8E5M2FNUZ,
  PJRT_Buffer_Type_F8E4M3FNUZ,
  PJRT_Buffer_Type_S4,
  PJRT_Buffer_Type_U4,
  PJRT_Buffer_Type_TOKEN,
  PJRT_Buffer_Type_S2,
  PJRT_Buffer_Type_U2,
  PJRT_Buffer_Type_F8E4M3,
  PJRT_Buffer_Type_F8E3M4,
  PJRT_Buffer_Type_F8E8M0FNU,
  PJRT_Buffer_Type_F4E2M1FN,
  // Types of our own plugins only; see hlocts_extension.h.
  HLOCTS_PJRT_BUFFER_TYPE_S1 = 1001,
  HLOCTS_PJRT_BUFFER_TYPE_U1 = 1002
} PJRT_Buffer_Type;

typedef enum PJRT_HostBufferSemantics {
  PJRT_HostBufferSemantics_kImmutableOnlyDuringCall,
  PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes,
  PJRT_HostBufferSemantics_kImmutableZeroCopy,
  PJRT_HostBufferSemantics_kMutableZeroCopy
} PJRT_HostBufferSemantics;

typedef enum PJRT_Buffer_MemoryLayout_Type {
  PJRT_Buffer_MemoryLayout_Type_Tiled,
  PJRT_Buffer_MemoryLayout_Type_Strides
} PJRT_Buffer_MemoryLayout_Type;

// Opaque handles, whose structures each plugin defines.
typedef struct PJRT_AsyncHostToDeviceTransferManager PJRT_AsyncHostToDeviceTransferManager;
typedef struct PJRT_AsyncTrackingEvent PJRT_AsyncTrackingEvent;
typedef struct PJRT_Buffer PJRT_Buffer;
typedef struct PJRT_Client PJRT_Client;
typedef struct PJRT_CopyToDeviceStream PJRT_CopyToDeviceStream;
typedef struct PJRT_Device PJRT_Device;
typedef struct PJRT_DeviceAssignmentSerialized PJRT_DeviceAssignmentSerialized;
typedef struct PJRT_DeviceDescription PJRT_DeviceDescription;
typedef struct PJRT_Error PJRT_Error;
typedef struct PJRT_Event PJRT_Event;
typedef struct PJRT_Executable PJRT_Executable;
typedef struct PJRT_ExecuteContext PJRT_ExecuteContext;
typedef struct PJRT_FulfillAliasBufferCallback PJRT_FulfillAliasBufferCallback;
typedef struct PJRT_LoadedExecutable PJRT_LoadedExecutable;
typedef struct PJRT_Memory PJRT_Memory;
typedef struct PJRT_SerializedCompileOptions PJRT_SerializedCompileOptions;
typedef struct PJRT_SerializedExecutable PJRT_SerializedExecutable;
typedef struct PJRT_SerializedTopology PJRT_SerializedTopology;
typedef struct PJRT_TopologyDescription PJRT_TopologyDescription;

typedef struct PJRT_Extension_Base {
  size_t struct_size;
  PJRT_Extension_Type type;
  struct PJRT_Extension_Base* next;
} PJRT_Extension_Base;

// Structures of values and programs.
HLOCTS_PJRT_STRUCT(PJRT_Api_Version, minor_version, int major_version; int minor_version;)
HLOCTS_PJRT_STRUCT(
    PJRT_NamedValue, value_size, const char* name; size_t name_size; PJRT_NamedValue_Type type;
    union {
      const char* string_value;
      int64_t int64_value;
      const int64_t* int64_array_value;
      float float_value;
      bool bool_value;
    };
    size_t value_size;)
HLOCTS_PJRT_STRUCT(PJRT_Program, format_size, char* code; size_t code_size; const char* format;
                   size_t format_size;)
HLOCTS_PJRT_STRUCT(PJRT_ShapeSpec, element_type, const int64_t* dims; size_t num_dims;
                   PJRT_Buffer_Type element_type;)
HLOCTS_PJRT_STRUCT(PJRT_Buffer_MemoryLayout_Tiled, num_tiles, const int64_t* minor_to_major;
                   size_t minor_to_major_size; const int64_t* tile_dims;
                   const size_t* tile_dim_sizes; size_t num_tiles;)
HLOCTS_PJRT_STRUCT(PJRT_Buffer_MemoryLayout_Strides, num_byte_strides, const int64_t* byte_strides;
                   size_t num_byte_strides;)
HLOCTS_PJRT_STRUCT(
    PJRT_Buffer_MemoryLayout, type,
    union {
      PJRT_Buffer_MemoryLayout_Tiled tiled;
      PJRT_Buffer_MemoryLayout_Strides strides;
    };
    PJRT_Buffer_MemoryLayout_Type type;)
typedef struct PJRT_ProcessInfo {
  size_t struct_size;
  int task_id;
  uint64_t incarnation_id;
  PJRT_ProcessState state;
  int error_code;
  const char* error_message;
  size_t error_message_size;
} PJRT_ProcessInfo;

// Callbacks.
typedef PJRT_Error* (*PJRT_CallbackError)(PJRT_Error_Code code, const char* message,
                                          size_t message_size);
typedef void (*PJRT_Event_OnReadyCallback)(PJRT_Error* error, void* user_arg);
typedef void (*PJRT_KeyValueGetCallback_ValueDeleter)(char* value);
typedef void (*PJRT_KeyValueTryGetCallback_ValueDeleter)(char* value);
HLOCTS_PJRT_STRUCT(PJRT_KeyValueGetCallback_Args, value_deleter_callback, const char* key;
                   size_t key_size; int timeout_in_ms; PJRT_CallbackError * callback_error;
                   void* user_arg; char* value; size_t value_size;
                   PJRT_KeyValueGetCallback_ValueDeleter value_deleter_callback;)
HLOCTS_PJRT_STRUCT(PJRT_KeyValueTryGetCallback_Args, value_deleter_callback, const char* key;
                   size_t key_size; PJRT_CallbackError * callback_error; void* user_arg;
                   char* value; size_t value_size;
                   PJRT_KeyValueTryGetCallback_ValueDeleter value_deleter_callback;)
HLOCTS_PJRT_STRUCT(PJRT_KeyValuePutCallback_Args, user_arg, const char* key; size_t key_size;
                   const char* value; size_t value_size; PJRT_CallbackError * callback_error;
                   void* user_arg;)
typedef PJRT_Error* (*PJRT_KeyValueGetCallback)(PJRT_KeyValueGetCallback_Args* args);
typedef PJRT_Error* (*PJRT_KeyValueTryGetCallback)(PJRT_KeyValueTryGetCallback_Args* args);
typedef PJRT_Error* (*PJRT_KeyValuePutCallback)(PJRT_KeyValuePutCallback_Args* args);
typedef struct PJRT_Chunk {
  void* data;
  size_t size;
  void (*deleter)(void* data, void* deleter_arg);
  void* deleter_arg;
} PJRT_Chunk;
typedef PJRT_Error* (*PJRT_SendCallback)(PJRT_Chunk* chunk, PJRT_CallbackError* callback_error,
                                         size_t total_size_in_bytes, bool done, void* user_arg);
typedef void (*PJRT_RecvCallback)(PJRT_CopyToDeviceStream* stream, void* user_arg);
typedef struct PJRT_SendCallbackInfo {
  int64_t channel_id;
  void* user_arg;
  PJRT_SendCallback send_callback;
} PJRT_SendCallbackInfo;
typedef struct PJRT_RecvCallbackInfo {
  int64_t channel_id;
  void* user_arg;
  PJRT_RecvCallback recv_callback;
} PJRT_RecvCallbackInfo;
typedef struct PJRT_Buffer_CopyRawToHostFuture_Callback_Args {
  size_t struct_size;
  void* callback_data;
  PJRT_Error_Code error_code;
  const char* error_message;
  size_t error_message_size;
  void* dst;
} PJRT_Buffer_CopyRawToHostFuture_Callback_Args;
typedef struct PJRT_Buffer_DonateWithControlDependency_Callback_Args {
  size_t struct_size;
  void* callback_data;
  PJRT_Error_Code error_code;
  const char* error_message;
  size_t error_message_size;
} PJRT_Buffer_DonateWithControlDependency_Callback_Args;

HLOCTS_PJRT_STRUCT(PJRT_ExecuteOptions, incarnation_ids, PJRT_SendCallbackInfo** send_callbacks;
                   PJRT_RecvCallbackInfo * *recv_callbacks; size_t num_send_ops;
                   size_t num_recv_ops; int launch_id; const int64_t* non_donatable_input_indices;
                   size_t num_non_donatable_input_indices; PJRT_ExecuteContext * context;
                   const char* call_location; size_t num_tasks; int* task_ids;
                   int64_t * incarnation_ids;)

// The arguments of the functions, and the table of functions.
HLOCTS_PJRT_STRUCT(PJRT_Error_Destroy_Args, error, PJRT_Error* error;)
HLOCTS_PJRT_STRUCT(PJRT_Error_Message_Args, message_size, const PJRT_Error* error;
                   const char* message; size_t message_size;)
#define HLOCTS_PJRT_FUNCTION(name, last, ...) HLOCTS_PJRT_STRUCT(name##_Args, last, __VA_ARGS__)
#include "spec/pjrt/pjrt_functions.def"
#undef HLOCTS_PJRT_FUNCTION

#define HLOCTS_PJRT_FUNCTION(name, ...) PJRT_Error* (*name)(name##_Args * args);
typedef struct PJRT_Api {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Api_Version pjrt_api_version;
  void (*PJRT_Error_Destroy)(PJRT_Error_Destroy_Args* args);
  void (*PJRT_Error_Message)(PJRT_Error_Message_Args* args);
#include "spec/pjrt/pjrt_functions.def"
} PJRT_Api;
enum { PJRT_Api_STRUCT_SIZE = sizeof(PJRT_Api) };
#undef HLOCTS_PJRT_FUNCTION
#undef HLOCTS_PJRT_STRUCT

#ifdef __cplusplus
}
#endif
