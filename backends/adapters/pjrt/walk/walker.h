// SPDX-License-Identifier: Apache-2.0
// The state of a walk, and a function for each kind of step. A step returns an error if the plugin
// breaks a promise of the API, and kUnimplemented if the plugin has no such function.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "backends/adapters/pjrt/pjrt_client.h"
#include "backends/adapters/pjrt/walk/walk.h"

namespace hlocts::backends {

using Bytes = std::vector<uint8_t>;

// A shape of a buffer. There are few shapes, so buffers of earlier steps fit later programs.
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
  std::vector<uint8_t> storage_;
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

class Walker {
 public:
  Walker(const PjrtApi& api, const WalkedPlugin& plugin) : api_(api), plugin_(plugin) {}
  ~Walker();

  struct Step {
    const char* name;
    absl::Status (Walker::*make)();
    int weight;
  };
  static absl::Span<const Step> Steps();
  // Chooses the step of the given seed, and seeds its random choices.
  const Step& Begin(uint64_t seed);
  // Destroys some buffers if there are many.
  absl::Status Trim();

  // Steps on clients. There are at most two, which are made on demand.
  absl::Status OpenClient();
  absl::Status AskClient();

  // Steps on buffers.
  absl::Status FromHost();
  absl::Status FromHostInPieces();
  absl::Status ViewOfHost();
  absl::Status Read();
  absl::Status ReadRaw();
  absl::Status BeginRead();
  absl::Status EndRead();
  absl::Status AskBuffer();
  absl::Status CopyToOtherDevice();
  absl::Status CopyToItsOwnDevice();
  absl::Status Delete();
  absl::Status Destroy();
  absl::Status AwaitReady();
  absl::Status AcquireAndReleaseReference();
  absl::Status ReleaseUnheldReference();

  // Steps on programs.
  absl::Status Compile();
  absl::Status Execute();
  absl::Status AskExecutable();
  absl::Status Reload();
  absl::Status DeleteExecutable();

  // Finishes pending work, then destroys all objects, buffers before clients.
  absl::Status End();

 private:
  size_t Pick(size_t count) { return static_cast<size_t>(random_() % count); }
  bool RandomBool() { return (random_() & 1) != 0; }
  Bytes DrawBytes(const WalkShape& shape);
  absl::Status EnsureClient();
  PJRT_Device* DrawDevice(size_t client);
  PjrtSession& session(size_t client) { return *sessions_[client]; }

  // Returns a random live object that satisfies `fits`; nullptr if there is none.
  template <class T, class Fits>
  T* PickUsable(const std::vector<std::unique_ptr<T>>& all, const Fits& fits) {
    std::vector<T*> usable;
    for (const auto& one : all) {
      if (!one->gone && fits(*one)) usable.push_back(one.get());
    }
    return usable.empty() ? nullptr : usable[Pick(usable.size())];
  }

  // Returns a usable buffer; makes one if there is none.
  absl::StatusOr<WalkBuffer*> PickLiveBuffer();
  absl::StatusOr<WalkBuffer*> BufferFor(const WalkShape& shape, size_t client, PJRT_Device* device);
  // Returns a plan of a buffer with random contents; the handle is created later.
  WalkBuffer PlanBuffer(const WalkShape& shape, size_t client, PJRT_Device* device);
  absl::StatusOr<WalkBuffer> DrawBufferPlan();
  absl::StatusOr<WalkBuffer*> MakeFromHost(WalkBuffer buffer);
  WalkBuffer* Keep(WalkBuffer buffer);
  absl::StatusOr<WalkRead> StartRead(const WalkBuffer& buffer);
  absl::Status FinishRead(WalkRead read);
  absl::StatusOr<bool> IsDeleted(const WalkBuffer& buffer);

  // Waits for the event in one of three ways, and destroys it. `what` names the event's owner.
  absl::Status AwaitAndDestroy(PJRT_Event* event, const char* what);
  absl::Status AwaitByCallback(PJRT_Event* event, const char* what);
  absl::Status DestroyEvent(PJRT_Event* event);

  // Makes a buffer and its transfer manager. The caller then sends the bytes in two parts.
  absl::StatusOr<PJRT_AsyncHostToDeviceTransferManager*> RegisterUnchangedMemory(
      WalkBuffer& buffer);
  absl::Status Send(PJRT_AsyncHostToDeviceTransferManager* manager, const Bytes& bytes);

  absl::StatusOr<WalkExecutable*> PickExecutable();
  void KeepResults(const WalkExecutable& executable, PJRT_Device* device,
                   const std::vector<PJRT_Buffer*>& results, const std::vector<Bytes>& expected);
  absl::Status Launch(WalkExecutable& executable, const std::vector<WalkBuffer*>& arguments,
                      bool donate);

  const PjrtApi& api_;
  const WalkedPlugin& plugin_;
  std::mt19937_64 random_;
  std::vector<std::unique_ptr<PjrtSession>> sessions_;
  std::vector<std::unique_ptr<WalkBuffer>> buffers_;
  std::vector<std::unique_ptr<WalkExecutable>> executables_;
  std::vector<WalkRead> reads_;
  // Host memory that transfers may still read after a step.
  std::vector<std::shared_ptr<HostMemory>> memories_;
  std::vector<std::shared_ptr<std::atomic<int>>> released_;
  // Host memory that must not be written, and its contents.
  std::vector<std::pair<std::shared_ptr<HostMemory>, Bytes>> promised_;
};

// Returns the error for a broken promise.
inline absl::Status Differs(const std::string& text) { return absl::DataLossError(text); }

}  // namespace hlocts::backends
