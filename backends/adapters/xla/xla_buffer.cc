// SPDX-License-Identifier: Apache-2.0
// What a buffer tells of itself, and how its bytes reach the host.
#include "backends/adapters/xla/xla_buffer.h"

#include <cstring>

#include "xla/layout_util.h"
#include "xla/literal.h"
#include "xla/shape_util.h"

namespace hlocts::xla_plugin {

std::vector<size_t> BufferImpl::dynamic_dimensions() {
  std::vector<size_t> indices;
  if (!buffer_->on_device_shape().IsArray()) return indices;
  const auto dynamic = buffer_->is_dynamic_dimension();
  for (size_t i = 0; i < dynamic.size(); ++i) {
    if (dynamic[i]) indices.push_back(i);
  }
  return indices;
}

Status BufferImpl::UnpaddedDimensions(std::vector<int64_t>* dimensions) {
  if (!buffer_->on_device_shape().IsArray() || !buffer_->has_dynamic_dimensions()) {
    *dimensions = this->dimensions();
    return {};
  }
  auto logical = buffer_->logical_dimensions();
  HLOCTS_RETURN_IF_ERROR(logical.status());
  dimensions->assign(logical->begin(), logical->end());
  return {};
}

Status BufferImpl::Layout(LayoutSpec* layout) {
  *layout = {};
  if (!buffer_->on_device_shape().IsArray()) return {};
  const auto shared_layout = buffer_->layout();
  const xla::Layout& found = shared_layout->xla_layout();
  layout->minor_to_major.assign(found.minor_to_major().begin(), found.minor_to_major().end());
  for (const xla::Tile& tile : found.tiles()) {
    layout->tiles.emplace_back(tile.dimensions().begin(), tile.dimensions().end());
  }
  return {};
}

Status BufferImpl::OnDeviceSize(size_t* bytes) {
  auto size = buffer_->GetOnDeviceSizeInBytes();
  HLOCTS_RETURN_IF_ERROR(size.status());
  *bytes = *size;
  return {};
}

std::unique_ptr<Event> BufferImpl::Ready() {
  return std::make_unique<FutureEvent>(buffer_->GetReadyFuture());
}

Status BufferImpl::CopyToMemory(int memory, std::unique_ptr<Buffer>* copy) {
  if (Status alive = CheckAlive(); !alive.ok()) return alive;
  auto copied = buffer_->CopyToMemorySpace(shared_->memory(memory));
  HLOCTS_RETURN_IF_ERROR(copied.status());
  *copy = std::make_unique<BufferImpl>(shared_, *std::move(copied));
  return {};
}

Status BufferImpl::HostShape(const std::vector<int64_t>* minor_to_major, xla::Shape* shape) {
  if (!buffer_->on_device_shape().IsArray()) {
    *shape = buffer_->on_device_shape();
    return {};
  }
  std::vector<int64_t> dimensions;
  if (Status status = UnpaddedDimensions(&dimensions); !status.ok()) return status;
  LayoutSpec own;
  if (minor_to_major == nullptr) {
    if (Status status = Layout(&own); !status.ok()) return status;
    minor_to_major = &own.minor_to_major;
  }
  *shape = MakeShape(element_type(), dimensions, minor_to_major);
  return {};
}

Status BufferImpl::HostSize(size_t* bytes) {
  if (Status alive = CheckAlive(); !alive.ok()) return alive;
  xla::Shape shape;
  if (Status status = HostShape(nullptr, &shape); !status.ok()) return status;
  *bytes = shape.IsArray() ? xla::ShapeUtil::ByteSizeOf(shape) : 0;
  return {};
}

Status BufferImpl::ToHost(const std::vector<int64_t>* minor_to_major, void* destination,
                          size_t bytes, std::unique_ptr<Event>* done) {
  if (Status alive = CheckAlive(); !alive.ok()) return alive;
  xla::Shape shape;
  if (Status status = HostShape(minor_to_major, &shape); !status.ok()) return status;
  if (!shape.IsArray()) {  // A token: nothing to copy, only to wait for.
    *done = Ready();
    return {};
  }
  const size_t needed = xla::ShapeUtil::ByteSizeOf(shape);
  if (bytes < needed) {
    return {kInvalidArgument, "dst_size: expected at least " + std::to_string(needed) +
                                  " bytes, found " + std::to_string(bytes)};
  }
  // XLA:CPU writes a literal row-major whatever its layout says, so that the relaying is ours.
  xla::Shape row_major = shape;
  xla::LayoutUtil::SetToDefaultLayout(&row_major);
  auto literal = std::make_shared<xla::Literal>(row_major);
  SettableEvent finished;
  buffer_->ToLiteral(literal.get())
      .OnReady([literal, finished, shape, destination, needed](const absl::Status& status) mutable {
        if (status.ok() && xla::LayoutUtil::LayoutsInShapesEqual(literal->shape(), shape)) {
          std::memcpy(destination, literal->untyped_data(), needed);
        } else if (status.ok()) {
          std::memcpy(destination, literal->Relayout(shape).untyped_data(), needed);
        }
        finished.Set(FromAbsl(status));
      });
  *done = std::make_unique<SettableEvent>(finished);
  return {};
}

Status BufferImpl::CopyRawToHost(void* destination, int64_t offset, int64_t bytes,
                                 std::unique_ptr<Event>* done) {
  if (Status alive = CheckAlive(); !alive.ok()) return alive;
  size_t size = 0;
  if (Status status = OnDeviceSize(&size); !status.ok()) return status;
  if (offset < 0 || bytes < 0 || static_cast<uint64_t>(offset) + bytes > size) {
    return {kInvalidArgument, "CopyRawToHost: expected a range within " + std::to_string(size) +
                                  " bytes, found offset " + std::to_string(offset) + " size " +
                                  std::to_string(bytes)};
  }
  *done = std::make_unique<FutureEvent>(buffer_->CopyRawToHost(destination, offset, bytes));
  return {};
}

Status BufferImpl::UnsafePointer(uintptr_t* pointer) {
  if (Status alive = CheckAlive(); !alive.ok()) return alive;
  auto found = shared_->client->UnsafeBufferPointer(buffer_.get());
  HLOCTS_RETURN_IF_ERROR(found.status());
  *pointer = *found;
  return {};
}

Status BufferImpl::AddExternalReference(void** data) {
  if (Status alive = CheckAlive(); !alive.ok()) return alive;
  auto reference = buffer_->AcquireExternalReference();
  HLOCTS_RETURN_IF_ERROR(reference.status());
  *data = (*reference)->OpaqueDeviceMemoryDataPointer();
  std::lock_guard<std::mutex> lock(mutex_);
  references_.push_back(*std::move(reference));
  return {};
}

Status BufferImpl::DropExternalReference() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (references_.empty()) {
    return {kInvalidArgument, "external references: expected at least one, found none"};
  }
  references_.pop_back();
  return {};
}

}  // namespace hlocts::xla_plugin
