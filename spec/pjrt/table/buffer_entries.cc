// SPDX-License-Identifier: Apache-2.0
// Entries for buffers: properties, copies, and transfers to the host.
#include <cstring>
#include <utility>

#include "spec/pjrt/table/entries.h"

namespace hlocts::pjrt {
namespace {

absl::StatusOr<Literal> ValueOf(PJRT_Buffer& buffer) {
  std::lock_guard<std::mutex> lock(buffer.mutex);
  HLOCTS_RETURN_IF_ERROR(CheckAlive(buffer));
  return buffer.literal;
}

absl::StatusOr<PJRT_Buffer*> CopyTo(PJRT_Buffer& buffer, PJRT_Device* device) {
  if (buffer.device == device) return InvalidInput("the buffer is on that device already");
  HLOCTS_ASSIGN_OR_RETURN(Literal literal, ValueOf(buffer));
  PJRT_Buffer* copy = MakeBuffer(device, std::move(literal));
  copy->minor_to_major = buffer.minor_to_major;
  return copy;
}

// Returns the address of a buffer's memory, which does not move while a caller holds the buffer.
absl::StatusOr<void*> Pointer(PJRT_Buffer& buffer) {
  std::lock_guard<std::mutex> lock(buffer.mutex);
  HLOCTS_RETURN_IF_ERROR(CheckAlive(buffer));
  if (buffer.minor_to_major != MajorToMinorOrder(buffer.shape.rank()))
    return Unsupported("a buffer that is not row-major has no raw pointer");
  // An empty buffer has no memory and therefore no address.
  if (buffer.literal.raw_size() == 0) return static_cast<void*>(nullptr);
  return static_cast<void*>(const_cast<uint8_t*>(buffer.literal.raw_data()));
}

}  // namespace

void Entry(PJRT_Buffer_Destroy_Args& args) { delete args.buffer; }

void Entry(PJRT_Buffer_ElementType_Args& args) {
  args.type = BufferTypeOf(args.buffer->shape.element_type());
}

void Entry(PJRT_Buffer_Dimensions_Args& args) {
  args.dims = args.buffer->shape.dimensions().data();
  args.num_dims = args.buffer->shape.dimensions().size();
}

void Entry(PJRT_Buffer_UnpaddedDimensions_Args& args) {
  args.unpadded_dims = args.buffer->unpadded_dimensions.data();
  args.num_dims = args.buffer->unpadded_dimensions.size();
}

void Entry(PJRT_Buffer_DynamicDimensionIndices_Args& args) {
  args.dynamic_dim_indices = args.buffer->dynamic_dimensions.data();
  args.num_dynamic_dims = args.buffer->dynamic_dimensions.size();
}

void Entry(PJRT_Buffer_GetMemoryLayout_Args& args) {
  args.layout = {};
  args.layout.struct_size = PJRT_Buffer_MemoryLayout_STRUCT_SIZE;
  args.layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  args.layout.tiled.struct_size = PJRT_Buffer_MemoryLayout_Tiled_STRUCT_SIZE;
  args.layout.tiled.minor_to_major = args.buffer->minor_to_major.data();
  args.layout.tiled.minor_to_major_size = args.buffer->minor_to_major.size();
}

void Entry(PJRT_Buffer_OnDeviceSizeInBytes_Args& args) {
  args.on_device_size_in_bytes = static_cast<size_t>(args.buffer->shape.StorageSizeBytes());
}

void Entry(PJRT_Buffer_Device_Args& args) { args.device = args.buffer->device; }

void Entry(PJRT_Buffer_Memory_Args& args) { args.memory = &args.buffer->device->memory; }

void Entry(PJRT_Buffer_Delete_Args& args) {
  std::lock_guard<std::mutex> lock(args.buffer->mutex);
  args.buffer->deleted = true;
  args.buffer->literal = Literal();
}

void Entry(PJRT_Buffer_IsDeleted_Args& args) {
  std::lock_guard<std::mutex> lock(args.buffer->mutex);
  args.is_deleted = args.buffer->deleted;
}

absl::Status Entry(PJRT_Buffer_CopyToDevice_Args& args) {
  HLOCTS_RETURN_IF_ERROR(CheckPointer(args.dst_device, "dst_device"));
  HLOCTS_ASSIGN_OR_RETURN(args.dst_buffer, CopyTo(*args.buffer, args.dst_device));
  return absl::OkStatus();
}

absl::Status Entry(PJRT_Buffer_CopyToMemory_Args& args) {
  HLOCTS_RETURN_IF_ERROR(CheckPointer(args.dst_memory, "dst_memory"));
  HLOCTS_ASSIGN_OR_RETURN(args.dst_buffer, CopyTo(*args.buffer, args.dst_memory->device));
  return absl::OkStatus();
}

absl::Status Entry(PJRT_Buffer_ToHostBuffer_Args& args) {
  HLOCTS_RETURN_IF_ERROR(CheckPointer(args.src, "src"));
  HLOCTS_ASSIGN_OR_RETURN(const Literal whole, ValueOf(*args.src));
  const Literal literal = WithinSizes(whole);
  if (args.dst == nullptr) {
    args.dst_size = literal.raw_size();
    return absl::OkStatus();
  }
  std::vector<int64_t> minor_to_major = args.src->minor_to_major;
  if (args.host_layout != nullptr) {
    HLOCTS_ASSIGN_OR_RETURN(minor_to_major, MinorToMajor(*args.host_layout, literal.shape()));
  }
  if (args.dst_size < literal.raw_size()) {
    return InvalidInput("dst_size: expected at least ", literal.raw_size(), " bytes, found ",
                        args.dst_size);
  }
  Layout layout;
  layout.minor_to_major = std::move(minor_to_major);
  if (layout.IsMajorToMinor()) {
    if (literal.raw_size() > 0) std::memcpy(args.dst, literal.raw_data(), literal.raw_size());
  } else {
    const std::string bytes = literal.BytesInLayout(layout);
    std::memcpy(args.dst, bytes.data(), bytes.size());
  }
  args.event = MakeEvent();
  return absl::OkStatus();
}

absl::Status Entry(PJRT_Buffer_CopyRawToHost_Args& args) {
  HLOCTS_ASSIGN_OR_RETURN(const Literal literal, ValueOf(*args.buffer));
  const auto size = static_cast<int64_t>(literal.raw_size());
  if (args.offset < 0 || args.transfer_size < 0 || args.offset > size - args.transfer_size) {
    return InvalidInput("CopyRawToHost: expected a range within ", size, " bytes, found offset ",
                        args.offset, " size ", args.transfer_size);
  }
  Layout layout;
  layout.minor_to_major = args.buffer->minor_to_major;
  const std::string bytes = literal.BytesInLayout(layout);
  std::memcpy(args.dst, bytes.data() + args.offset, static_cast<size_t>(args.transfer_size));
  args.event = MakeEvent();
  return absl::OkStatus();
}

void Entry(PJRT_Buffer_IsOnCpu_Args& args) { args.is_on_cpu = true; }

void Entry(PJRT_Buffer_ReadyEvent_Args& args) {
  std::lock_guard<std::mutex> lock(args.buffer->mutex);
  args.event = MakeEvent(args.buffer->error);
}

absl::Status Entry(PJRT_Buffer_UnsafePointer_Args& args) {
  HLOCTS_ASSIGN_OR_RETURN(void* const pointer, Pointer(*args.buffer));
  args.buffer_pointer = reinterpret_cast<uintptr_t>(pointer);
  return absl::OkStatus();
}

absl::Status Entry(PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args& args) {
  HLOCTS_ASSIGN_OR_RETURN(args.device_memory_ptr, Pointer(*args.buffer));
  return absl::OkStatus();
}

absl::Status Entry(PJRT_Buffer_IncreaseExternalReferenceCount_Args& args) {
  std::lock_guard<std::mutex> lock(args.buffer->mutex);
  HLOCTS_RETURN_IF_ERROR(CheckAlive(*args.buffer));
  ++args.buffer->references;
  return absl::OkStatus();
}

absl::Status Entry(PJRT_Buffer_DecreaseExternalReferenceCount_Args& args) {
  std::lock_guard<std::mutex> lock(args.buffer->mutex);
  if (args.buffer->references == 0)
    return InvalidInput("external references: expected at least one, found none");
  --args.buffer->references;
  return absl::OkStatus();
}

}  // namespace hlocts::pjrt
