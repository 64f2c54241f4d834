// SPDX-License-Identifier: Apache-2.0
// Steps that make buffers.
#include <algorithm>
#include <cstring>

#include "backends/adapters/pjrt/walk/walker.h"

namespace hlocts::backends {
namespace {

constexpr size_t kBuffersMax = 40;
constexpr uint8_t kOverwriteByte = 0xa5;

}  // namespace

// Returns random bytes. f32 elements are integers, because a NaN could change in transit.
Bytes Walker::DrawBytes(const WalkShape& shape) {
  Bytes bytes(shape.bytes());
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random_());
  if (shape.type == PrimitiveType::kPred) {
    for (uint8_t& byte : bytes) byte &= 1;
  }
  for (size_t at = 0; shape.type == PrimitiveType::kF32 && at < bytes.size(); at += 4) {
    const float number = static_cast<float>(static_cast<int8_t>(bytes[at]));
    std::memcpy(&bytes[at], &number, sizeof(number));
  }
  for (size_t at = 1; shape.type == PrimitiveType::kBF16 && at < bytes.size(); at += 2)
    bytes[at] &= 0xbf;
  return bytes;
}

absl::Status Walker::Trim() {
  while (buffers_.size() > kBuffersMax) {
    const size_t before = buffers_.size();
    HLOCTS_RETURN_IF_ERROR(Destroy());
    if (buffers_.size() == before) break;  // all have external references
  }
  return absl::OkStatus();
}

WalkBuffer* Walker::Keep(WalkBuffer buffer) {
  buffers_.push_back(std::make_unique<WalkBuffer>(std::move(buffer)));
  return buffers_.back().get();
}

absl::StatusOr<WalkBuffer*> Walker::PickLiveBuffer() {
  if (WalkBuffer* there = PickUsable(buffers_, [](const WalkBuffer&) { return true; }))
    return there;
  HLOCTS_RETURN_IF_ERROR(FromHost());
  return buffers_.back().get();
}

absl::StatusOr<WalkBuffer*> Walker::BufferFor(const WalkShape& shape, size_t client,
                                              PJRT_Device* device) {
  const auto fits = [&](const WalkBuffer& buffer) {
    return buffer.client == client && buffer.device == device && buffer.shape == shape;
  };
  if (WalkBuffer* there = PickUsable(buffers_, fits)) return there;
  return MakeFromHost(PlanBuffer(shape, client, device));
}

WalkBuffer Walker::PlanBuffer(const WalkShape& shape, size_t client, PJRT_Device* device) {
  return {.client = client, .device = device, .shape = shape, .bytes = DrawBytes(shape)};
}

// Uses a statement for each draw, since the evaluation order of a call's arguments is unspecified.
absl::StatusOr<WalkBuffer> Walker::DrawBufferPlan() {
  HLOCTS_RETURN_IF_ERROR(EnsureClient());
  const size_t client = Pick(sessions_.size());
  PJRT_Device* device = DrawDevice(client);
  return PlanBuffer(WalkShapes()[Pick(WalkShapes().size())], client, device);
}

// Makes a buffer from host memory, and overwrites that memory as soon as the semantics allow it.
absl::StatusOr<WalkBuffer*> Walker::MakeFromHost(WalkBuffer buffer) {
  buffer.memory = std::make_shared<HostMemory>(buffer.bytes);
  memories_.push_back(buffer.memory);
  constexpr PJRT_HostBufferSemantics kSemantics[] = {
      PJRT_HostBufferSemantics_kImmutableOnlyDuringCall,
      PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes,
      PJRT_HostBufferSemantics_kImmutableZeroCopy};
  auto args = HLOCTS_PJRT_ARGS(Client_BufferFromHostBuffer);
  args.client = session(buffer.client).client();
  args.type = buffer.shape.buffer_type;
  args.data = buffer.memory->data();
  args.dims = buffer.shape.dimensions.data();
  args.num_dims = buffer.shape.dimensions.size();
  args.host_buffer_semantics = kSemantics[Pick(3)];
  args.device = buffer.device;
  HLOCTS_RETURN_IF_ERROR(HLOCTS_PJRT_CALL(api_, PJRT_Client_BufferFromHostBuffer, &args));
  buffer.handle = OwnBuffer(api_, args.buffer);
  const auto scribble = [&] {
    std::fill(buffer.memory->data(), buffer.memory->data() + buffer.memory->size(), kOverwriteByte);
  };
  if (args.host_buffer_semantics == PJRT_HostBufferSemantics_kImmutableOnlyDuringCall) scribble();
  if (args.host_buffer_semantics == PJRT_HostBufferSemantics_kImmutableZeroCopy) {
    // The event is not awaited, because it may wait for the buffer's destruction. The header says:
    // "The runtime promises not to mutate contents." This is checked at the end.
    HLOCTS_RETURN_IF_ERROR(DestroyEvent(args.done_with_host_buffer));
    promised_.emplace_back(buffer.memory, buffer.bytes);
  } else {
    HLOCTS_RETURN_IF_ERROR(AwaitAndDestroy(args.done_with_host_buffer, "a transfer from the host"));
    scribble();
  }
  return Keep(std::move(buffer));
}

absl::Status Walker::FromHost() {
  HLOCTS_ASSIGN_OR_RETURN(WalkBuffer buffer, DrawBufferPlan());
  return MakeFromHost(std::move(buffer)).status();
}

absl::StatusOr<PJRT_AsyncHostToDeviceTransferManager*> Walker::RegisterUnchangedMemory(
    WalkBuffer& buffer) {
  HLOCTS_PJRT_ASK(api_, Device_DefaultMemory, memory, device, buffer.device);
  PJRT_ShapeSpec spec{};
  spec.struct_size = PJRT_ShapeSpec_STRUCT_SIZE;
  spec.dims = buffer.shape.dimensions.data();
  spec.num_dims = buffer.shape.dimensions.size();
  spec.element_type = buffer.shape.buffer_type;
  auto made = HLOCTS_PJRT_ARGS(Client_CreateBuffersForAsyncHostToDevice);
  made.client = session(buffer.client).client();
  made.shape_specs = &spec;
  made.num_shape_specs = 1;
  made.memory = memory.memory;
  HLOCTS_RETURN_IF_ERROR(
      HLOCTS_PJRT_CALL(api_, PJRT_Client_CreateBuffersForAsyncHostToDevice, &made));
  HLOCTS_PJRT_ASK(api_, AsyncHostToDeviceTransferManager_RetrieveBuffer, retrieved,
                  transfer_manager, made.transfer_manager);
  buffer.handle = OwnBuffer(api_, retrieved.buffer_out);
  return made.transfer_manager;
}

absl::Status Walker::Send(PJRT_AsyncHostToDeviceTransferManager* manager, const Bytes& bytes) {
  auto from = std::make_shared<HostMemory>(bytes);
  memories_.push_back(from);
  const int64_t size = static_cast<int64_t>(bytes.size());
  const int64_t first = static_cast<int64_t>(Pick(bytes.size()));
  for (const bool last : {false, true}) {
    auto piece = HLOCTS_PJRT_ARGS(AsyncHostToDeviceTransferManager_TransferData);
    piece.transfer_manager = manager;
    piece.offset = last ? first : 0;
    piece.data = from->data() + piece.offset;
    piece.transfer_size = last ? size - first : first;
    piece.is_last_transfer = last;
    HLOCTS_RETURN_IF_ERROR(
        HLOCTS_PJRT_CALL(api_, PJRT_AsyncHostToDeviceTransferManager_TransferData, &piece));
    HLOCTS_RETURN_IF_ERROR(AwaitAndDestroy(piece.done_with_h2d_transfer, "a piece of a transfer"));
  }
  auto destroyed = HLOCTS_PJRT_ARGS(AsyncHostToDeviceTransferManager_Destroy);
  destroyed.transfer_manager = manager;
  return HLOCTS_PJRT_CALL(api_, PJRT_AsyncHostToDeviceTransferManager_Destroy, &destroyed);
}

// Makes a buffer before its bytes exist. The bytes are then sent in two parts.
absl::Status Walker::FromHostInPieces() {
  HLOCTS_ASSIGN_OR_RETURN(WalkBuffer buffer, DrawBufferPlan());
  if (buffer.bytes.empty()) return absl::OkStatus();
  HLOCTS_ASSIGN_OR_RETURN(PJRT_AsyncHostToDeviceTransferManager * manager,
                          RegisterUnchangedMemory(buffer));
  // A read may already wait for the bytes.
  if (RandomBool()) {
    HLOCTS_ASSIGN_OR_RETURN(WalkRead read, StartRead(buffer));
    reads_.push_back(std::move(read));
  }
  HLOCTS_RETURN_IF_ERROR(Send(manager, buffer.bytes));
  Keep(std::move(buffer));
  return absl::OkStatus();
}

// Makes a buffer that views host memory. The memory's owner is notified once, after the last use.
absl::Status Walker::ViewOfHost() {
  HLOCTS_ASSIGN_OR_RETURN(WalkBuffer buffer, DrawBufferPlan());
  if (buffer.bytes.empty()) return absl::OkStatus();
  buffer.memory = std::make_shared<HostMemory>(buffer.bytes);
  buffer.released = std::make_shared<std::atomic<int>>(0);
  memories_.push_back(buffer.memory);
  std::vector<int64_t> order =
      MajorToMinorOrder(static_cast<int64_t>(buffer.shape.dimensions.size()));
  PJRT_Buffer_MemoryLayout layout = RowMajorLayout(order);
  auto args = HLOCTS_PJRT_ARGS(Client_CreateViewOfDeviceBuffer);
  args.client = session(buffer.client).client();
  args.device_buffer_ptr = buffer.memory->data();
  args.dims = buffer.shape.dimensions.data();
  args.num_dims = buffer.shape.dimensions.size();
  args.element_type = buffer.shape.buffer_type;
  args.layout = &layout;
  args.device = buffer.device;
  args.on_delete_callback = [](void*, void* user) { ++*static_cast<std::atomic<int>*>(user); };
  args.on_delete_callback_arg = buffer.released.get();
  HLOCTS_RETURN_IF_ERROR(HLOCTS_PJRT_CALL(api_, PJRT_Client_CreateViewOfDeviceBuffer, &args));
  buffer.handle = OwnBuffer(api_, args.buffer);
  released_.push_back(buffer.released);
  Keep(std::move(buffer));
  return absl::OkStatus();
}

absl::Status Walker::CopyToOtherDevice() {
  HLOCTS_ASSIGN_OR_RETURN(WalkBuffer * buffer, PickLiveBuffer());
  const auto& devices = session(buffer->client).devices();
  if (devices.size() < 2) return absl::OkStatus();
  WalkBuffer copy{.client = buffer->client,
                  .device = devices[buffer->device == devices[0] ? 1 : 0],
                  .shape = buffer->shape,
                  .bytes = buffer->bytes};
  auto args = HLOCTS_PJRT_ARGS(Buffer_CopyToDevice);
  args.buffer = buffer->handle.get();
  args.dst_device = copy.device;
  HLOCTS_RETURN_IF_ERROR(HLOCTS_PJRT_CALL(api_, PJRT_Buffer_CopyToDevice, &args));
  copy.handle = OwnBuffer(api_, args.dst_buffer);
  Keep(std::move(copy));
  return absl::OkStatus();
}

absl::Status Walker::CopyToItsOwnDevice() {
  HLOCTS_ASSIGN_OR_RETURN(WalkBuffer * buffer, PickLiveBuffer());
  auto args = HLOCTS_PJRT_ARGS(Buffer_CopyToDevice);
  args.buffer = buffer->handle.get();
  args.dst_device = buffer->device;
  const absl::Status copied = HLOCTS_PJRT_CALL(api_, PJRT_Buffer_CopyToDevice, &args);
  if (absl::IsUnimplemented(copied)) return copied;
  if (!copied.ok()) return absl::OkStatus();
  OwnBuffer(api_, args.dst_buffer);
  return Differs(
      "the copy of a buffer to its own device returned no error; pjrt_c_api.h says of "
      "PJRT_Buffer_CopyToDevice: \"Returns an error if the buffer is already on dst_device.\"");
}

}  // namespace hlocts::backends
