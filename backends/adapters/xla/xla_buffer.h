// SPDX-License-Identifier: Apache-2.0
// Buffers over xla::PjRtBuffer, and what stands for a token.
#ifndef HLOCTS_BACKENDS_ADAPTERS_XLA_XLA_BUFFER_H_
#define HLOCTS_BACKENDS_ADAPTERS_XLA_XLA_BUFFER_H_

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "backends/adapters/xla/xla_shared.h"
#include "xla/pjrt/pjrt_client.h"
#include "xla/shape.h"

namespace hlocts::xla_plugin {

class BufferImpl : public Buffer {
 public:
  BufferImpl(std::shared_ptr<Shared> shared, std::unique_ptr<xla::PjRtBuffer> buffer)
      : shared_(std::move(shared)), buffer_(std::move(buffer)) {}
  ~BufferImpl() override {
    references_.clear();
    buffer_.reset();
  }

  xla::PjRtBuffer* get() { return buffer_.get(); }
  int element_type() override { return buffer_->element_type(); }
  std::vector<int64_t> dimensions() override {
    const auto dimensions = buffer_->dimensions();
    return {dimensions.begin(), dimensions.end()};
  }
  std::vector<size_t> dynamic_dimensions() override;
  Status UnpaddedDimensions(std::vector<int64_t>* dimensions) override;
  Status Layout(LayoutSpec* layout) override;
  Status OnDeviceSize(size_t* bytes) override;
  int device() override { return shared_->device_index[buffer_->device()]; }
  int memory() override { return shared_->memory_index[buffer_->memory_space()]; }
  bool IsOnCpu() override { return buffer_->IsOnCpu(); }
  void Delete() override { buffer_->Delete(); }
  bool IsDeleted() override { return buffer_->IsDeleted(); }
  std::unique_ptr<Event> Ready() override;
  Status CopyToMemory(int memory, std::unique_ptr<Buffer>* copy) override;
  Status HostSize(size_t* bytes) override;
  Status ToHost(const std::vector<int64_t>* minor_to_major, void* destination, size_t bytes,
                std::unique_ptr<Event>* done) override;
  Status CopyRawToHost(void* destination, int64_t offset, int64_t bytes,
                       std::unique_ptr<Event>* done) override;
  Status UnsafePointer(uintptr_t* pointer) override;
  Status AddExternalReference(void** data) override;
  Status DropExternalReference() override;

 private:
  Status HostShape(const std::vector<int64_t>* minor_to_major, xla::Shape* shape);
  Status CheckAlive() {
    if (!buffer_->IsDeleted()) return {};
    return {kInvalidArgument, "buffer: expected a live one, found one deleted or donated"};
  }

  std::shared_ptr<Shared> shared_;
  std::unique_ptr<xla::PjRtBuffer> buffer_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<xla::PjRtBuffer::ExternalReference>> references_;
};

// A token argument. XLA:CPU has no token buffers, and the entry computation makes its own tokens
// (xla_flatten.h), so that this one stands for nothing but its place in the list.
class TokenBuffer : public Buffer {
 public:
  TokenBuffer(int device, int memory) : device_(device), memory_(memory) {}
  int element_type() override { return xla::TOKEN; }
  std::vector<int64_t> dimensions() override { return {}; }
  std::vector<size_t> dynamic_dimensions() override { return {}; }
  Status UnpaddedDimensions(std::vector<int64_t>* dimensions) override {
    dimensions->clear();
    return {};
  }
  Status Layout(LayoutSpec* layout) override {
    *layout = {};
    return {};
  }
  Status OnDeviceSize(size_t* bytes) override {
    *bytes = 0;
    return {};
  }
  int device() override { return device_; }
  int memory() override { return memory_; }
  bool IsOnCpu() override { return true; }
  void Delete() override { deleted_ = true; }
  bool IsDeleted() override { return deleted_; }
  std::unique_ptr<Event> Ready() override {
    auto ready = std::make_unique<SettableEvent>();
    ready->Set({});
    return ready;
  }
  Status CopyToMemory(int memory, std::unique_ptr<Buffer>* copy) override {
    *copy = std::make_unique<TokenBuffer>(device_, memory);
    return {};
  }
  Status HostSize(size_t* bytes) override { return OnDeviceSize(bytes); }
  Status ToHost(const std::vector<int64_t>*, void*, size_t, std::unique_ptr<Event>* done) override {
    *done = Ready();
    return {};
  }
  Status CopyRawToHost(void*, int64_t, int64_t, std::unique_ptr<Event>*) override { return None(); }
  Status UnsafePointer(uintptr_t*) override { return None(); }
  Status AddExternalReference(void**) override { return None(); }
  Status DropExternalReference() override { return None(); }

 private:
  static Status None() { return {kUnimplemented, "a token has no memory"}; }
  const int device_, memory_;
  std::atomic<bool> deleted_{false};
};

}  // namespace hlocts::xla_plugin

#endif  // HLOCTS_BACKENDS_ADAPTERS_XLA_XLA_BUFFER_H_
