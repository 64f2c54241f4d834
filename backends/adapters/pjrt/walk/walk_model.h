// SPDX-License-Identifier: Apache-2.0
// The walk's model of the PJRT objects that the walk has created.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "backends/adapters/pjrt/pjrt_client.h"

namespace hlocts::backends {

using Bytes = std::vector<uint8_t>;

// A shape of a buffer. Few shapes exist, so that buffers of earlier steps fit later programs.
struct WalkShape {
  PrimitiveType type;
  PJRT_Buffer_Type buffer_type;
  std::vector<int64_t> dimensions;

  size_t width() const { return static_cast<size_t>(StorageBytes(type)); }
  size_t bytes() const {
    size_t n = width();
    for (int64_t d : dimensions) n *= static_cast<size_t>(d);
    return n;
  }
  bool operator==(const WalkShape& other) const {
    return type == other.type && dimensions == other.dimensions;
  }
};
absl::Span<const WalkShape> WalkShapes();
std::string WalkShapeText(const WalkShape& shape);

// A program with a few lines of C++ that compute its expected results.
struct WalkProgram {
  const char* name;
  const char* module;
  std::vector<WalkShape> arguments, results;
  std::function<std::vector<Bytes>(const std::vector<Bytes>&)> run;
  bool donates = false;  // argument 0 may become result 0
};
absl::Span<const WalkProgram> WalkPrograms();

// Host memory with the alignment that a device needs.
class HostMemory {
 public:
  explicit HostMemory(const Bytes& bytes);
  uint8_t* data() { return data_; }
  size_t size() const { return size_; }

 private:
  std::vector<uint8_t> room_;
  uint8_t* data_;
  size_t size_;
};

struct WalkBuffer {
  PjrtBuffer handle;
  size_t client = 0;
  PJRT_Device* device = nullptr;
  WalkShape shape;
  Bytes bytes;  // contents
  // The host memory that the buffer may read during its lifetime.
  std::shared_ptr<HostMemory> memory;
  // For a view of host memory: how often the owner was notified of its release.
  std::shared_ptr<std::atomic<int>> released;
  int references = 0;
  bool gone = false;  // deleted or donated: may only be destroyed
};

// A pending copy to the host.
struct WalkRead {
  size_t client = 0;
  PJRT_Event* event = nullptr;
  std::shared_ptr<HostMemory> to;
  Bytes expected;
  std::string what;
};

struct WalkExecutable {
  PjrtLoadedExecutable handle;
  size_t client = 0;
  const WalkProgram* program = nullptr;
  bool gone = false;
};

}  // namespace hlocts::backends
