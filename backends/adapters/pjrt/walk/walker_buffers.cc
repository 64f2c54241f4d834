// SPDX-License-Identifier: Apache-2.0
// Steps on buffers: reads, queries, external references and deletion.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "backends/adapters/pjrt/walk/walker.h"

namespace hlocts::backends {
namespace {

constexpr uint8_t kGuard = 0xa5;
constexpr size_t kGuarded = 32;

}  // namespace

absl::StatusOr<WalkRead> Walker::StartRead(const WalkBuffer& buffer) {
  WalkRead read{
      .client = buffer.client, .expected = buffer.bytes, .what = WalkShapeText(buffer.shape)};
  std::vector<int64_t> order =
      MajorToMinorOrder(static_cast<int64_t>(buffer.shape.dimensions.size()));
  PJRT_Buffer_MemoryLayout layout = RowMajorLayout(order);
  auto args = HLOCTS_PJRT_ARGS(Buffer_ToHostBuffer);
  args.src = buffer.handle.get();
  args.host_layout = &layout;
  HLOCTS_RETURN_IF_ERROR(HLOCTS_PJRT_CALL(api_, PJRT_Buffer_ToHostBuffer, &args));
  if (args.event != nullptr)
    HLOCTS_RETURN_IF_ERROR(AwaitAndDestroy(args.event, "a query of the size"));
  if (args.dst_size < buffer.bytes.size())
    return Differs(absl::StrCat("expected at least ", buffer.bytes.size(), " bytes for ", read.what,
                                ", found ", args.dst_size));
  read.to = std::make_shared<HostMemory>(Bytes(args.dst_size + kGuarded, kGuard));
  memories_.push_back(read.to);
  args.event = nullptr;
  args.dst = read.to->data();
  HLOCTS_RETURN_IF_ERROR(HLOCTS_PJRT_CALL(api_, PJRT_Buffer_ToHostBuffer, &args));
  read.event = args.event;
  return read;
}

absl::Status Walker::FinishRead(WalkRead read) {
  HLOCTS_RETURN_IF_ERROR(AwaitAndDestroy(read.event, "a copy to the host"));
  const uint8_t* got = read.to->data();
  if (!std::equal(read.expected.begin(), read.expected.end(), got)) {
    size_t at = 0;
    while (read.expected[at] == got[at]) ++at;
    return Differs(absl::StrCat(read.what, ": byte ", at, " of ", read.expected.size(), " is ",
                                got[at], " where ", read.expected[at], " was written"));
  }
  const uint8_t* end = got + read.to->size();
  if (std::any_of(end - kGuarded, end, [](uint8_t byte) { return byte != kGuard; }))
    return Differs(absl::StrCat(read.what, ": bytes beyond the end of the buffer were written"));
  return absl::OkStatus();
}

absl::Status Walker::Read() {
  HLOCTS_ASSIGN_OR_RETURN(WalkBuffer * buffer, PickLiveBuffer());
  HLOCTS_ASSIGN_OR_RETURN(WalkRead read, StartRead(*buffer));
  return FinishRead(std::move(read));
}

absl::Status Walker::BeginRead() {
  HLOCTS_ASSIGN_OR_RETURN(WalkBuffer * buffer, PickLiveBuffer());
  HLOCTS_ASSIGN_OR_RETURN(WalkRead read, StartRead(*buffer));
  reads_.push_back(std::move(read));
  return absl::OkStatus();
}

absl::Status Walker::EndRead() {
  if (reads_.empty()) return absl::OkStatus();
  std::swap(reads_[Pick(reads_.size())], reads_.back());
  WalkRead read = std::move(reads_.back());
  reads_.pop_back();
  return FinishRead(std::move(read));
}

// Reads a buffer of one dimension, because its bytes are the same in any layout.
absl::Status Walker::ReadRaw() {
  HLOCTS_ASSIGN_OR_RETURN(WalkBuffer * buffer, PickLiveBuffer());
  if (buffer->shape.dimensions.size() != 1 || buffer->bytes.empty()) return absl::OkStatus();
  const size_t offset = Pick(buffer->bytes.size());
  const size_t size = Pick(buffer->bytes.size() - offset) + 1;
  WalkRead read;
  read.expected.assign(buffer->bytes.begin() + static_cast<int64_t>(offset),
                       buffer->bytes.begin() + static_cast<int64_t>(offset + size));
  read.what = absl::StrCat(size, " bytes from ", offset, " on of ", WalkShapeText(buffer->shape));
  read.to = std::make_shared<HostMemory>(Bytes(size + kGuarded, kGuard));
  memories_.push_back(read.to);
  auto args = HLOCTS_PJRT_ARGS(Buffer_CopyRawToHost);
  args.buffer = buffer->handle.get();
  args.dst = read.to->data();
  args.offset = static_cast<int64_t>(offset);
  args.transfer_size = static_cast<int64_t>(size);
  HLOCTS_RETURN_IF_ERROR(HLOCTS_PJRT_CALL(api_, PJRT_Buffer_CopyRawToHost, &args));
  read.event = args.event;
  return FinishRead(std::move(read));
}

absl::Status Walker::AskBuffer() {
  HLOCTS_ASSIGN_OR_RETURN(WalkBuffer * buffer, PickLiveBuffer());
  const WalkShape& shape = buffer->shape;
  HLOCTS_PJRT_ASK(api_, Buffer_ElementType, type, buffer, buffer->handle.get());
  HLOCTS_PJRT_ASK(api_, Buffer_Dimensions, sizes, buffer, buffer->handle.get());
  const std::vector<int64_t> dimensions(sizes.dims, sizes.dims + sizes.num_dims);
  if (type.type != shape.buffer_type || dimensions != shape.dimensions)
    return Differs(absl::StrCat(WalkShapeText(shape), " is reported with a wrong type or size"));
  HLOCTS_PJRT_ASK(api_, Buffer_Device, device, buffer, buffer->handle.get());
  if (device.device != buffer->device) return Differs("a buffer is reported on a wrong device");
  HLOCTS_PJRT_ASK(api_, Buffer_OnDeviceSizeInBytes, bytes, buffer, buffer->handle.get());
  if (bytes.on_device_size_in_bytes < shape.bytes())
    return Differs(absl::StrCat(WalkShapeText(shape), " is reported to need ",
                                bytes.on_device_size_in_bytes, " bytes"));
  HLOCTS_ASSIGN_OR_RETURN(const bool deleted, IsDeleted(*buffer));
  return deleted ? Differs("IsDeleted is true, but the buffer exists") : absl::OkStatus();
}

absl::StatusOr<bool> Walker::IsDeleted(const WalkBuffer& buffer) {
  HLOCTS_PJRT_ASK(api_, Buffer_IsDeleted, args, buffer, buffer.handle.get());
  return args.is_deleted;
}

absl::Status Walker::Delete() {
  HLOCTS_ASSIGN_OR_RETURN(WalkBuffer * buffer, PickLiveBuffer());
  if (buffer->references > 0) return absl::OkStatus();
  HLOCTS_PJRT_ASK(api_, Buffer_Delete, args, buffer, buffer->handle.get());
  buffer->gone = true;
  HLOCTS_ASSIGN_OR_RETURN(const bool deleted, IsDeleted(*buffer));
  return deleted ? absl::OkStatus() : Differs("IsDeleted is false after Delete");
}

absl::Status Walker::Destroy() {
  std::vector<size_t> free;
  for (size_t i = 0; i < buffers_.size(); ++i) {
    if (buffers_[i]->references == 0) free.push_back(i);
  }
  if (free.empty()) return absl::OkStatus();
  std::swap(buffers_[free[Pick(free.size())]], buffers_.back());
  buffers_.pop_back();
  return absl::OkStatus();
}

absl::Status Walker::AwaitReady() {
  HLOCTS_ASSIGN_OR_RETURN(WalkBuffer * buffer, PickLiveBuffer());
  HLOCTS_PJRT_ASK(api_, Buffer_ReadyEvent, args, buffer, buffer->handle.get());
  return AwaitAndDestroy(args.event, "a buffer");
}

absl::Status Walker::AcquireAndReleaseReference() {
  HLOCTS_ASSIGN_OR_RETURN(WalkBuffer * buffer, PickLiveBuffer());
  const auto release = [&]() -> absl::Status {
    HLOCTS_PJRT_ASK(api_, Buffer_DecreaseExternalReferenceCount, args, buffer,
                    buffer->handle.get());
    --buffer->references;
    return absl::OkStatus();
  };
  if (buffer->references > 1 || (buffer->references > 0 && RandomBool())) return release();
  HLOCTS_PJRT_ASK(api_, Buffer_IncreaseExternalReferenceCount, args, buffer, buffer->handle.get());
  ++buffer->references;
  return absl::OkStatus();
}

absl::Status Walker::ReleaseUnheldReference() {
  HLOCTS_ASSIGN_OR_RETURN(WalkBuffer * buffer, PickLiveBuffer());
  if (buffer->references > 0) return absl::OkStatus();
  auto args = HLOCTS_PJRT_ARGS(Buffer_DecreaseExternalReferenceCount);
  args.buffer = buffer->handle.get();
  const absl::Status released =
      HLOCTS_PJRT_CALL(api_, PJRT_Buffer_DecreaseExternalReferenceCount, &args);
  if (absl::IsUnimplemented(released)) return released;
  if (!released.ok()) return absl::OkStatus();
  return Differs(
      "the release of a reference that does not exist returned no error; pjrt_c_api.h says: "
      "\"Returns an error if the reference count is zero.\"");
}

}  // namespace hlocts::backends
