// SPDX-License-Identifier: Apache-2.0
// The entries of the PJRT table, by file. Each is documented by its namesake in pjrt_c_api.h.
#ifndef HLOCTS_BACKENDS_ADAPTERS_XLA_PJRT_ENTRIES_H_
#define HLOCTS_BACKENDS_ADAPTERS_XLA_PJRT_ENTRIES_H_

#include "backends/adapters/xla/pjrt_objects.h"

// Entry(ClientDevices, PJRT_Client_Devices): the entry's name here and in the table.
#define HLOCTS_XLA_ENTRIES(Entry)                                                                                      \
  /* pjrt_event_entries.cc */                                                                                          \
  Entry(PluginInitialize, PJRT_Plugin_Initialize) Entry(PluginAttributes, PJRT_Plugin_Attributes)                      \
      Entry(EventDestroy, PJRT_Event_Destroy) Entry(EventIsReady, PJRT_Event_IsReady)                                  \
          Entry(EventError, PJRT_Event_Error) Entry(EventAwait, PJRT_Event_Await)                                      \
              Entry(EventOnReady, PJRT_Event_OnReady) Entry(EventCreate, PJRT_Event_Create)                            \
                  Entry(EventSet, PJRT_Event_Set)                                                                      \
                      Entry(ExecuteContextCreate, PJRT_ExecuteContext_Create)                                          \
                          Entry(ExecuteContextDestroy,                                                                 \
                                PJRT_ExecuteContext_Destroy) /* pjrt_client_entries.cc */                              \
      Entry(ClientCreate, PJRT_Client_Create) Entry(ClientDestroy, PJRT_Client_Destroy) Entry(                         \
          ClientPlatformName, PJRT_Client_PlatformName) Entry(ClientProcessIndex,                                      \
                                                              PJRT_Client_ProcessIndex)                                \
          Entry(ClientPlatformVersion, PJRT_Client_PlatformVersion) Entry(                                             \
              ClientDevices, PJRT_Client_Devices) Entry(ClientAddressableDevices,                                      \
                                                        PJRT_Client_AddressableDevices)                                \
              Entry(ClientLookupDevice, PJRT_Client_LookupDevice) Entry(                                               \
                  ClientLookupAddressableDevice, PJRT_Client_LookupAddressableDevice)                                  \
                  Entry(ClientAddressableMemories, PJRT_Client_AddressableMemories) Entry(                             \
                      ClientCompile,                                                                                   \
                      PJRT_Client_Compile) Entry(ClientDefaultDeviceAssignment,                                        \
                                                 PJRT_Client_DefaultDeviceAssignment)                                  \
                      Entry(ClientBufferFromHostBuffer, PJRT_Client_BufferFromHostBuffer) Entry(                       \
                          ClientCreateUninitializedBuffer, PJRT_Client_CreateUninitializedBuffer)                      \
                          Entry(ClientCreateErrorBuffer, PJRT_Client_CreateErrorBuffer) Entry(                         \
                              ClientCreateViewOfDeviceBuffer,                                                          \
                              PJRT_Client_CreateViewOfDeviceBuffer)                                                    \
                              Entry(ClientTopologyDescription, PJRT_Client_TopologyDescription)                        \
                                  Entry(                                                                               \
                                      ExecutableDeserializeAndLoad,                                                    \
                                      PJRT_Executable_DeserializeAndLoad) /* pjrt_device_entries.cc                    \
                                                                           */                                          \
      Entry(DeviceDescriptionId, PJRT_DeviceDescription_Id) Entry(                                                     \
          DeviceDescriptionProcessIndex, PJRT_DeviceDescription_ProcessIndex)                                          \
          Entry(DeviceDescriptionAttributes, PJRT_DeviceDescription_Attributes) Entry(                                 \
              DeviceDescriptionKind,                                                                                   \
              PJRT_DeviceDescription_Kind) Entry(DeviceDescriptionDebugString,                                         \
                                                 PJRT_DeviceDescription_DebugString)                                   \
              Entry(DeviceDescriptionToString, PJRT_DeviceDescription_ToString) Entry(                                 \
                  DeviceGetDescription,                                                                                \
                  PJRT_Device_GetDescription) Entry(DeviceIsAddressable,                                               \
                                                    PJRT_Device_IsAddressable)                                         \
                  Entry(DeviceLocalHardwareId, PJRT_Device_LocalHardwareId) Entry(                                     \
                      DeviceAddressableMemories,                                                                       \
                      PJRT_Device_AddressableMemories) Entry(DeviceDefaultMemory,                                      \
                                                             PJRT_Device_DefaultMemory)                                \
                      Entry(MemoryId, PJRT_Memory_Id) Entry(MemoryKind, PJRT_Memory_Kind) Entry(                       \
                          MemoryKindId, PJRT_Memory_Kind_Id) Entry(MemoryDebugString,                                  \
                                                                   PJRT_Memory_DebugString)                            \
                          Entry(MemoryToString, PJRT_Memory_ToString) Entry(                                           \
                              MemoryAddressableByDevices, PJRT_Memory_AddressableByDevices)                            \
                              Entry(TopologyCreate, PJRT_TopologyDescription_Create)                                   \
                                  Entry(TopologyDestroy, PJRT_TopologyDescription_Destroy) Entry(                      \
                                      TopologyPlatformName, PJRT_TopologyDescription_PlatformName)                     \
                                      Entry(TopologyPlatformVersion,                                                   \
                                            PJRT_TopologyDescription_PlatformVersion)                                  \
                                          Entry(TopologyGetDeviceDescriptions,                                         \
                                                PJRT_TopologyDescription_GetDeviceDescriptions)                        \
                                              Entry(TopologyAttributes,                                                \
                                                    PJRT_TopologyDescription_Attributes)                               \
                                                  Entry(                                                               \
                                                      Compile,                                                         \
                                                      PJRT_Compile) /* pjrt_executable_entries.cc                      \
                                                                     */                                                \
      Entry(ExecutableDestroy, PJRT_Executable_Destroy) Entry(                                                         \
          ExecutableName, PJRT_Executable_Name) Entry(ExecutableNumReplicas,                                           \
                                                      PJRT_Executable_NumReplicas)                                     \
          Entry(ExecutableNumPartitions, PJRT_Executable_NumPartitions) Entry(                                         \
              ExecutableNumOutputs,                                                                                    \
              PJRT_Executable_NumOutputs) Entry(ExecutableSizeOfGeneratedCodeInBytes,                                  \
                                                PJRT_Executable_SizeOfGeneratedCodeInBytes)                            \
              Entry(ExecutableGetCostAnalysis, PJRT_Executable_GetCostAnalysis) Entry(                                 \
                  ExecutableOutputMemoryKinds,                                                                         \
                  PJRT_Executable_OutputMemoryKinds) Entry(ExecutableOptimizedProgram,                                 \
                                                           PJRT_Executable_OptimizedProgram)                           \
                  Entry(ExecutableSerialize, PJRT_Executable_Serialize) Entry(                                         \
                      ExecutableOutputElementTypes,                                                                    \
                      PJRT_Executable_OutputElementTypes) Entry(ExecutableOutputDimensions,                            \
                                                                PJRT_Executable_OutputDimensions)                      \
                      Entry(ExecutableFingerprint, PJRT_Executable_Fingerprint) Entry(                                 \
                          ExecutableGetCompiledMemoryStats,                                                            \
                          PJRT_Executable_GetCompiledMemoryStats)                                                      \
                          Entry(ExecutableGetCompileOptions, PJRT_Executable_GetCompileOptions)                        \
                              Entry(LoadedExecutableDestroy, PJRT_LoadedExecutable_Destroy) Entry(                     \
                                  LoadedExecutableGetExecutable,                                                       \
                                  PJRT_LoadedExecutable_GetExecutable)                                                 \
                                  Entry(LoadedExecutableAddressableDevices,                                            \
                                        PJRT_LoadedExecutable_AddressableDevices)                                      \
                                      Entry(LoadedExecutableGetDeviceAssignment,                                       \
                                            PJRT_LoadedExecutable_GetDeviceAssignment)                                 \
                                          Entry(LoadedExecutableDelete,                                                \
                                                PJRT_LoadedExecutable_Delete)                                          \
                                              Entry(LoadedExecutableIsDeleted,                                         \
                                                    PJRT_LoadedExecutable_IsDeleted)                                   \
                                                  Entry(LoadedExecutableExecute,                                       \
                                                        PJRT_LoadedExecutable_Execute)                                 \
                                                      Entry(                                                           \
                                                          LoadedExecutableFingerprint,                                 \
                                                          PJRT_LoadedExecutable_Fingerprint) /* pjrt_buffer_entries.cc \
                                                                                              */                       \
      Entry(BufferDestroy, PJRT_Buffer_Destroy) Entry(BufferElementType, PJRT_Buffer_ElementType)                      \
          Entry(BufferDimensions, PJRT_Buffer_Dimensions) Entry(BufferUnpaddedDimensions,                              \
                                                                PJRT_Buffer_UnpaddedDimensions)                        \
              Entry(BufferDynamicDimensionIndices, PJRT_Buffer_DynamicDimensionIndices) Entry(                         \
                  BufferGetMemoryLayout, PJRT_Buffer_GetMemoryLayout)                                                  \
                  Entry(BufferOnDeviceSizeInBytes, PJRT_Buffer_OnDeviceSizeInBytes) Entry(                             \
                      BufferDevice, PJRT_Buffer_Device) Entry(BufferMemory, PJRT_Buffer_Memory)                        \
                      Entry(BufferDelete, PJRT_Buffer_Delete)                                                          \
                          Entry(BufferIsDeleted, PJRT_Buffer_IsDeleted) Entry(                                         \
                              BufferCopyToDevice, PJRT_Buffer_CopyToDevice)                                            \
                              Entry(BufferCopyToMemory, PJRT_Buffer_CopyToMemory) Entry(                               \
                                  BufferToHostBuffer, PJRT_Buffer_ToHostBuffer)                                        \
                                  Entry(BufferCopyRawToHost, PJRT_Buffer_CopyRawToHost) Entry(                         \
                                      BufferIsOnCpu, PJRT_Buffer_IsOnCpu)                                              \
                                      Entry(BufferReadyEvent, PJRT_Buffer_ReadyEvent) Entry(                           \
                                          BufferUnsafePointer, PJRT_Buffer_UnsafePointer)                              \
                                          Entry(BufferIncreaseExternalReferenceCount,                                  \
                                                PJRT_Buffer_IncreaseExternalReferenceCount)                            \
                                              Entry(BufferDecreaseExternalReferenceCount,                              \
                                                    PJRT_Buffer_DecreaseExternalReferenceCount)                        \
                                                  Entry(BufferOpaqueDeviceMemoryDataPointer,                           \
                                                        PJRT_Buffer_OpaqueDeviceMemoryDataPointer)

// Missing(entry of the table, why).
#define HLOCTS_XLA_MISSING(Missing)                                                                                  \
  Missing(PJRT_Device_MemoryStats, "XLA:CPU keeps no allocator statistics") Missing(                                 \
      PJRT_Device_PoisonExecution, "XLA:CPU here runs in one process")                                               \
      Missing(PJRT_Device_CreateAsyncTrackingEvent, "async tracking is left out") Missing(                           \
          PJRT_AsyncTrackingEvent_Destroy,                                                                           \
          "async "                                                                                                   \
          "tracking"                                                                                                 \
          " is "                                                                                                     \
          "left "                                                                                                    \
          "out") Missing(PJRT_Client_UpdateGlobalProcessInfo, "XLA:CPU here runs in one process")                    \
          Missing(PJRT_Client_DmaMap, "XLA:CPU has no DMA") Missing(                                                 \
              PJRT_Client_DmaUnmap,                                                                                  \
              "XLA:CPU has no DMA") Missing(PJRT_Client_CreateAliasBuffer,                                           \
                                            "alias buffers are left "                                                \
                                            "out") Missing(PJRT_Client_FulfillAliasBuffer,                           \
                                                           "alias buffers are left out")                             \
              Missing(PJRT_Buffer_CopyRawToHostFuture, "use PJRT_Buffer_CopyRawToHost") Missing(                     \
                  PJRT_Buffer_DonateWithControlDependency,                                                           \
                  "donate through "                                                                                  \
                  "PJRT_LoadedExecutable_Execute") Missing(PJRT_CopyToDeviceStream_Destroy,                          \
                                                           "XLA:CPU has no send "                                    \
                                                           "and recv callbacks")                                     \
                  Missing(PJRT_CopyToDeviceStream_AddChunk,                                                          \
                          "XLA:CPU has no send and recv "                                                            \
                          "callbacks") Missing(PJRT_CopyToDeviceStream_TotalBytes,                                   \
                                               "XLA:CPU has no send and "                                            \
                                               "recv callbacks")                                                     \
                      Missing(PJRT_CopyToDeviceStream_GranuleSize,                                                   \
                              "XLA:CPU has no send and "                                                             \
                              "recv callbacks") Missing(PJRT_CopyToDeviceStream_CurrentBytes,                        \
                                                        "XLA:CPU has no send and recv callbacks")                    \
                          Missing(PJRT_TopologyDescription_Serialize,                                                \
                                  "topologies are not "                                                              \
                                  "serialized") Missing(PJRT_TopologyDescription_Deserialize,                        \
                                                        "topologies are not "                                        \
                                                        "serialized")                                                \
                              Missing(                                                                               \
                                  PJRT_Client_CreateBuffersForAsyncHostToDevice,                                     \
                                  "use BufferFromHostBuffer") Missing(PJRT_AsyncHostToDeviceTransferManager_Destroy, \
                                                                      "use BufferFromHostBuffer")                    \
                                  Missing(PJRT_AsyncHostToDeviceTransferManager_TransferData,                        \
                                          "use BufferFromHostBuffer")                                                \
                                      Missing(                                                                       \
                                          PJRT_AsyncHostToDeviceTransferManager_TransferLiteral,                     \
                                          "use BufferFromHostBuffer")                                                \
                                          Missing(                                                                   \
                                              PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer,                  \
                                              "use BufferFromHostBuffer")                                            \
                                              Missing(                                                               \
                                                  PJRT_AsyncHostToDeviceTransferManager_Device,                      \
                                                  "use BufferFromHostBuffer")                                        \
                                                  Missing(                                                           \
                                                      PJRT_AsyncHostToDeviceTransferManager_BufferCount,             \
                                                      "use BufferFromHostBuffer")                                    \
                                                      Missing(                                                       \
                                                          PJRT_AsyncHostToDeviceTransferManager_BufferSize,          \
                                                          "use BufferFromHostBuffer")                                \
                                                          Missing(                                                   \
                                                              PJRT_AsyncHostToDeviceTransferManager_SetBufferError,  \
                                                              "use BufferFromHostBuffer")                            \
                                                              Missing(                                               \
                                                                  PJRT_AsyncHostToDeviceTransferManager_AddMetadata, \
                                                                  "use BufferFromHostBuffer")

namespace hlocts::xla_plugin {

#define HLOCTS_XLA_DECLARE(name, entry) Status name(entry##_Args& args);
HLOCTS_XLA_ENTRIES(HLOCTS_XLA_DECLARE)
#undef HLOCTS_XLA_DECLARE

}  // namespace hlocts::xla_plugin

#endif  // HLOCTS_BACKENDS_ADAPTERS_XLA_PJRT_ENTRIES_H_
