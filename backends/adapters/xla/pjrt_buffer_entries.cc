// SPDX-License-Identifier: Apache-2.0
// Buffers: what they are, copies, and their bytes on the host.
#include <utility>

#include "backends/adapters/xla/pjrt_entries.h"

namespace hlocts::xla_plugin {
namespace {

// An error where the buffer is there already, as the header has it.
Status CopyTo(PJRT_Buffer* buffer, int memory, PJRT_Buffer** copy) {
  if (buffer->buffer->memory() == memory)
    return {kInvalidArgument, "the buffer is on that device already"};
  std::unique_ptr<Buffer> copied;
  Status status = buffer->buffer->CopyToMemory(memory, &copied);
  if (status.ok()) *copy = MakeBuffer(buffer->client, std::move(copied));
  return status;
}

}  // namespace

Status BufferDestroy(PJRT_Buffer_Destroy_Args& args) {
  delete args.buffer;
  return {};
}

Status BufferElementType(PJRT_Buffer_ElementType_Args& args) {
  args.type = ElementTypeToPjrt(args.buffer->buffer->element_type());
  return {};
}

Status BufferDimensions(PJRT_Buffer_Dimensions_Args& args) {
  args.dims = args.buffer->dimensions.data();
  args.num_dims = args.buffer->dimensions.size();
  return {};
}

Status BufferUnpaddedDimensions(PJRT_Buffer_UnpaddedDimensions_Args& args) {
  std::lock_guard<std::mutex> lock(args.buffer->mutex);
  Status status = args.buffer->buffer->UnpaddedDimensions(&args.buffer->unpadded_dimensions);
  args.unpadded_dims = args.buffer->unpadded_dimensions.data();
  args.num_dims = args.buffer->unpadded_dimensions.size();
  return status;
}

Status BufferDynamicDimensionIndices(PJRT_Buffer_DynamicDimensionIndices_Args& args) {
  args.dynamic_dim_indices = args.buffer->dynamic_dimensions.data();
  args.num_dynamic_dims = args.buffer->dynamic_dimensions.size();
  return {};
}

Status BufferGetMemoryLayout(PJRT_Buffer_GetMemoryLayout_Args& args) {
  PJRT_Buffer* buffer = args.buffer;
  std::lock_guard<std::mutex> lock(buffer->mutex);
  if (Status status = buffer->buffer->Layout(&buffer->layout); !status.ok()) return status;
  buffer->tile_dimensions.clear();
  buffer->tile_sizes.clear();
  for (const std::vector<int64_t>& tile : buffer->layout.tiles) {
    buffer->tile_sizes.push_back(tile.size());
    buffer->tile_dimensions.insert(buffer->tile_dimensions.end(), tile.begin(), tile.end());
  }
  args.layout.struct_size = PJRT_Buffer_MemoryLayout_STRUCT_SIZE;
  args.layout.extension_start = nullptr;
  args.layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  args.layout.tiled = {};
  args.layout.tiled.struct_size = PJRT_Buffer_MemoryLayout_Tiled_STRUCT_SIZE;
  args.layout.tiled.minor_to_major = buffer->layout.minor_to_major.data();
  args.layout.tiled.minor_to_major_size = buffer->layout.minor_to_major.size();
  args.layout.tiled.tile_dims = buffer->tile_dimensions.data();
  args.layout.tiled.tile_dim_sizes = buffer->tile_sizes.data();
  args.layout.tiled.num_tiles = buffer->tile_sizes.size();
  return {};
}

Status BufferOnDeviceSizeInBytes(PJRT_Buffer_OnDeviceSizeInBytes_Args& args) {
  return args.buffer->buffer->OnDeviceSize(&args.on_device_size_in_bytes);
}

Status BufferDevice(PJRT_Buffer_Device_Args& args) {
  args.device = args.buffer->client->devices[args.buffer->buffer->device()];
  return {};
}

Status BufferMemory(PJRT_Buffer_Memory_Args& args) {
  args.memory = args.buffer->client->memories[args.buffer->buffer->memory()];
  return {};
}

Status BufferDelete(PJRT_Buffer_Delete_Args& args) {
  args.buffer->buffer->Delete();
  return {};
}

Status BufferIsDeleted(PJRT_Buffer_IsDeleted_Args& args) {
  args.is_deleted = args.buffer->buffer->IsDeleted();
  return {};
}

Status BufferCopyToDevice(PJRT_Buffer_CopyToDevice_Args& args) {
  if (Status status = CheckPointer(args.dst_device, "dst_device"); !status.ok()) return status;
  return CopyTo(args.buffer, args.dst_device->description->info.default_memory, &args.dst_buffer);
}

Status BufferCopyToMemory(PJRT_Buffer_CopyToMemory_Args& args) {
  if (Status status = CheckPointer(args.dst_memory, "dst_memory"); !status.ok()) return status;
  return CopyTo(args.buffer, args.dst_memory->index, &args.dst_buffer);
}

Status BufferToHostBuffer(PJRT_Buffer_ToHostBuffer_Args& args) {
  if (Status status = CheckPointer(args.src, "src"); !status.ok()) return status;
  Buffer& buffer = *args.src->buffer;
  if (args.dst == nullptr) return buffer.HostSize(&args.dst_size);
  std::vector<int64_t> minor_to_major;
  if (args.host_layout != nullptr) {
    std::vector<int64_t> dimensions;
    Status status = buffer.UnpaddedDimensions(&dimensions);
    if (status.ok()) {
      status = MinorToMajor(*args.host_layout, dimensions, HostElementBytes(buffer.element_type()),
                            &minor_to_major);
    }
    if (!status.ok()) return status;
  }
  std::unique_ptr<Event> done;
  Status status = buffer.ToHost(args.host_layout != nullptr ? &minor_to_major : nullptr, args.dst,
                                args.dst_size, &done);
  if (status.ok()) args.event = MakeEvent(std::move(done));
  return status;
}

Status BufferCopyRawToHost(PJRT_Buffer_CopyRawToHost_Args& args) {
  std::unique_ptr<Event> done;
  Status status =
      args.buffer->buffer->CopyRawToHost(args.dst, args.offset, args.transfer_size, &done);
  if (status.ok()) args.event = MakeEvent(std::move(done));
  return status;
}

Status BufferIsOnCpu(PJRT_Buffer_IsOnCpu_Args& args) {
  args.is_on_cpu = args.buffer->buffer->IsOnCpu();
  return {};
}

Status BufferReadyEvent(PJRT_Buffer_ReadyEvent_Args& args) {
  args.event = MakeEvent(args.buffer->buffer->Ready());
  return {};
}

Status BufferUnsafePointer(PJRT_Buffer_UnsafePointer_Args& args) {
  return args.buffer->buffer->UnsafePointer(&args.buffer_pointer);
}

Status BufferIncreaseExternalReferenceCount(PJRT_Buffer_IncreaseExternalReferenceCount_Args& args) {
  void* ignored = nullptr;
  return args.buffer->buffer->AddExternalReference(&ignored);
}

Status BufferDecreaseExternalReferenceCount(PJRT_Buffer_DecreaseExternalReferenceCount_Args& args) {
  return args.buffer->buffer->DropExternalReference();
}

Status BufferOpaqueDeviceMemoryDataPointer(PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args& args) {
  Status status = args.buffer->buffer->AddExternalReference(&args.device_memory_ptr);
  if (status.ok()) status = args.buffer->buffer->DropExternalReference();
  return status;
}

}  // namespace hlocts::xla_plugin
