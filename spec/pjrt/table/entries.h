// SPDX-License-Identifier: Apache-2.0
// The entries of the PJRT table that our plugins implement, by file. The table checks struct_size
// before it calls an entry. An entry fills the output fields and returns the error, if any. An
// entry that returns nothing cannot fail. Functions without an entry are kUnimplemented.
#pragma once

#include "spec/pjrt/table/objects.h"

namespace hlocts::pjrt {

// event.cc
absl::Status Entry(PJRT_Plugin_Initialize_Args& args);
void Entry(PJRT_Plugin_Attributes_Args& args);
void Entry(PJRT_Event_Destroy_Args& args);
absl::Status Entry(PJRT_Event_IsReady_Args& args);
absl::Status Entry(PJRT_Event_Error_Args& args);
absl::Status Entry(PJRT_Event_Await_Args& args);
absl::Status Entry(PJRT_Event_OnReady_Args& args);
void Entry(PJRT_ExecuteContext_Create_Args& args);
void Entry(PJRT_ExecuteContext_Destroy_Args& args);
void Entry(PJRT_Event_Create_Args& args);
absl::Status Entry(PJRT_Event_Set_Args& args);

// client_entries.cc
absl::Status Entry(PJRT_Client_Create_Args& args);
void Entry(PJRT_Client_Destroy_Args& args);
void Entry(PJRT_Client_PlatformName_Args& args);
void Entry(PJRT_Client_ProcessIndex_Args& args);
void Entry(PJRT_Client_PlatformVersion_Args& args);
void Entry(PJRT_Client_Devices_Args& args);
void Entry(PJRT_Client_AddressableDevices_Args& args);
absl::Status Entry(PJRT_Client_LookupDevice_Args& args);
absl::Status Entry(PJRT_Client_LookupAddressableDevice_Args& args);
void Entry(PJRT_Client_AddressableMemories_Args& args);
absl::Status Entry(PJRT_Client_Compile_Args& args);
absl::Status Entry(PJRT_Client_DefaultDeviceAssignment_Args& args);
absl::Status Entry(PJRT_Client_BufferFromHostBuffer_Args& args);
absl::Status Entry(PJRT_Executable_DeserializeAndLoad_Args& args);
absl::Status Entry(PJRT_Client_CreateViewOfDeviceBuffer_Args& args);
void Entry(PJRT_Client_TopologyDescription_Args& args);
absl::Status Entry(PJRT_Client_CreateUninitializedBuffer_Args& args);
absl::Status Entry(PJRT_Client_CreateErrorBuffer_Args& args);

// device_entries.cc
void Entry(PJRT_DeviceDescription_Id_Args& args);
void Entry(PJRT_DeviceDescription_ProcessIndex_Args& args);
void Entry(PJRT_DeviceDescription_Attributes_Args& args);
void Entry(PJRT_DeviceDescription_Kind_Args& args);
void Entry(PJRT_DeviceDescription_DebugString_Args& args);
void Entry(PJRT_DeviceDescription_ToString_Args& args);
void Entry(PJRT_Device_GetDescription_Args& args);
void Entry(PJRT_Device_IsAddressable_Args& args);
void Entry(PJRT_Device_LocalHardwareId_Args& args);
void Entry(PJRT_Device_AddressableMemories_Args& args);
void Entry(PJRT_Device_DefaultMemory_Args& args);
void Entry(PJRT_Memory_Id_Args& args);
void Entry(PJRT_Memory_Kind_Args& args);
void Entry(PJRT_Memory_DebugString_Args& args);
void Entry(PJRT_Memory_ToString_Args& args);
void Entry(PJRT_Memory_AddressableByDevices_Args& args);
void Entry(PJRT_TopologyDescription_PlatformName_Args& args);
void Entry(PJRT_TopologyDescription_PlatformVersion_Args& args);
void Entry(PJRT_TopologyDescription_GetDeviceDescriptions_Args& args);
void Entry(PJRT_TopologyDescription_Attributes_Args& args);
void Entry(PJRT_Memory_Kind_Id_Args& args);

// executable_entries.cc
void Entry(PJRT_Executable_Destroy_Args& args);
void Entry(PJRT_Executable_Name_Args& args);
void Entry(PJRT_Executable_NumReplicas_Args& args);
void Entry(PJRT_Executable_NumPartitions_Args& args);
void Entry(PJRT_Executable_NumOutputs_Args& args);
void Entry(PJRT_Executable_SizeOfGeneratedCodeInBytes_Args& args);
void Entry(PJRT_Executable_OutputMemoryKinds_Args& args);
absl::Status Entry(PJRT_Executable_OptimizedProgram_Args& args);
void Entry(PJRT_Executable_Serialize_Args& args);
void Entry(PJRT_LoadedExecutable_Destroy_Args& args);
void Entry(PJRT_LoadedExecutable_GetExecutable_Args& args);
void Entry(PJRT_LoadedExecutable_AddressableDevices_Args& args);
void Entry(PJRT_LoadedExecutable_Delete_Args& args);
void Entry(PJRT_LoadedExecutable_IsDeleted_Args& args);
absl::Status Entry(PJRT_LoadedExecutable_Execute_Args& args);
void Entry(PJRT_LoadedExecutable_Fingerprint_Args& args);
void Entry(PJRT_Executable_OutputElementTypes_Args& args);
void Entry(PJRT_Executable_OutputDimensions_Args& args);
void Entry(PJRT_Executable_Fingerprint_Args& args);
void Entry(PJRT_Executable_GetCompiledMemoryStats_Args& args);
void Entry(PJRT_LoadedExecutable_GetDeviceAssignment_Args& args);
void Entry(PJRT_Executable_GetCompileOptions_Args& args);

// buffer_entries.cc
void Entry(PJRT_Buffer_Destroy_Args& args);
void Entry(PJRT_Buffer_ElementType_Args& args);
void Entry(PJRT_Buffer_Dimensions_Args& args);
void Entry(PJRT_Buffer_UnpaddedDimensions_Args& args);
void Entry(PJRT_Buffer_DynamicDimensionIndices_Args& args);
void Entry(PJRT_Buffer_GetMemoryLayout_Args& args);
void Entry(PJRT_Buffer_OnDeviceSizeInBytes_Args& args);
void Entry(PJRT_Buffer_Device_Args& args);
void Entry(PJRT_Buffer_Memory_Args& args);
void Entry(PJRT_Buffer_Delete_Args& args);
void Entry(PJRT_Buffer_IsDeleted_Args& args);
absl::Status Entry(PJRT_Buffer_CopyToDevice_Args& args);
absl::Status Entry(PJRT_Buffer_ToHostBuffer_Args& args);
void Entry(PJRT_Buffer_IsOnCpu_Args& args);
void Entry(PJRT_Buffer_ReadyEvent_Args& args);
absl::Status Entry(PJRT_Buffer_UnsafePointer_Args& args);
absl::Status Entry(PJRT_Buffer_IncreaseExternalReferenceCount_Args& args);
absl::Status Entry(PJRT_Buffer_DecreaseExternalReferenceCount_Args& args);
absl::Status Entry(PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args& args);
absl::Status Entry(PJRT_Buffer_CopyToMemory_Args& args);
absl::Status Entry(PJRT_Buffer_CopyRawToHost_Args& args);

// table.cc
absl::Status Words(Hlocts_Pjrt_Words_Args& args);
absl::Status Infeed(Hlocts_Pjrt_Feed_Args& args);
absl::Status Outfeed(Hlocts_Pjrt_Feed_Args& args);

}  // namespace hlocts::pjrt
