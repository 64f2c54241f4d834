// SPDX-License-Identifier: Apache-2.0
// The host as a device: every kernel of dispatch.h compiled by this compiler, run thread by thread.
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "backends/engine/cuda/base/device.h"

namespace hlocts::cuda {
namespace {

#define HL_LOOP(Name, Args, call)                                 \
  void Run##Name(const void* arguments, hl::i64 count) {          \
    const hl::Args& a = *static_cast<const hl::Args*>(arguments); \
    HL_BODY                                                       \
    for (hl::i64 i = 0; i < count; ++i) hl::call;                 \
  }
#define HL_BODY const hl::Interpreted& f = a.body;
HL_PROGRAM_KERNELS(HL_LOOP)
#undef HL_BODY
#define HL_BODY
HL_PLAIN_KERNELS(HL_LOOP)
#undef HL_BODY
#undef HL_LOOP

#define HL_BLOCKS(Name, Args, call)                                      \
  void Run##Name(const void* arguments, hl::i64 count) {                 \
    const hl::Args& a = *static_cast<const hl::Args*>(arguments);        \
    const auto& f = a.body;                                              \
    std::vector<hl::Value> memory(hl::kBlockThreads* hl::kSharedPlaces); \
    hl::Value* const shared = memory.data();                             \
    for (hl::i64 block = 0; block < count; ++block) {                    \
      for (int phase = 0; phase < a.phases; ++phase) {                   \
        HL_THREADS(thread) hl::call;                                     \
      }                                                                  \
    }                                                                    \
  }
HL_BLOCK_KERNELS(HL_BLOCKS)
#undef HL_BLOCKS

using Loop = void (*)(const void* arguments, hl::i64 count);
constexpr Loop kLoops[] = {
#define HL_NAME(Name, Args, call) Run##Name,
    HL_ALL_KERNELS(HL_NAME)
#undef HL_NAME
};

class HostDevice : public Device {
 public:
  explicit HostDevice(int32_t index) : index_(index) {}
  absl::StatusOr<void*> Allocate(int64_t bytes) override {
    void* data = std::malloc(bytes > 0 ? static_cast<size_t>(bytes) : 1);
    if (data == nullptr) return absl::ResourceExhaustedError("out of memory");
    if (poisons_) std::memset(data, kPoison, static_cast<size_t>(bytes));
    return data;
  }
  void Release(void* data) override { std::free(data); }
  absl::Status Upload(void* to, const void* from, int64_t bytes) override {
    return Copy(to, from, bytes);
  }
  absl::Status Download(void* to, const void* from, int64_t bytes) override {
    return Copy(to, from, bytes);
  }
  absl::Status Copy(void* to, const void* from, int64_t bytes) override {
    if (bytes > 0) std::memcpy(to, from, static_cast<size_t>(bytes));
    return absl::OkStatus();
  }
  absl::Status Launch(hl::Kernel kernel, const void* arguments, int64_t, int64_t count,
                      int64_t) override {
    kLoops[kernel](arguments, count);
    return absl::OkStatus();
  }
  absl::StatusOr<int64_t> Compile(hl::Kernel, const std::string&) override { return -1; }
  absl::Status Synchronize() override { return absl::OkStatus(); }
  absl::StatusOr<bool> CallLibrary(Library library, const void* plan, int64_t,
                                   const void* const* in, void* const* out) override {
    return RunHostLibrary(library, plan, in, out);
  }
  absl::StatusOr<bool> Keeps(Library library, const void* plan, int64_t bytes,
                             const void* const* in, void* const* out) override {
    if (library == Library::kCublasLt) return HostTakes(*static_cast<const GemmPlan*>(plan));
    return Device::Keeps(library, plan, bytes, in, out);
  }
  absl::StatusOr<int64_t> Keep(const LaunchGraph& graph) override {
    std::lock_guard<std::mutex> lock(mutex_);
    graphs_[next_graph_] = std::make_shared<const LaunchGraph>(graph);
    return next_graph_++;
  }
  absl::Status Replay(int64_t number) override {
    std::shared_ptr<const LaunchGraph> graph;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      graph = graphs_.at(number);
    }
    if (graph->again == nullptr) return RunOnce(*graph);
    while (*graph->again != 0 && *graph->left > 0) {
      --*graph->left;
      HLOCTS_RETURN_IF_ERROR(RunOnce(*graph));
    }
    return absl::OkStatus();
  }
  void Forget(int64_t number) override {
    std::lock_guard<std::mutex> lock(mutex_);
    graphs_.erase(number);
  }
  int32_t index() const override { return index_; }
  absl::Status Collect(const CollectiveCall& plan, const int32_t*, const void* const* in,
                       void* const* out) override {
    RunHostCollective(plan, in, out);
    return absl::OkStatus();
  }

 private:
  absl::Status RunOnce(const LaunchGraph& graph) {
    for (const KeptLaunch& l : graph.launches) HLOCTS_RETURN_IF_ERROR(RunKept(l));
    return absl::OkStatus();
  }
  absl::Status RunKept(const KeptLaunch& l) {
    const void* const in[] = {l.from, l.second};
    switch (l.kind) {
      case Kept::kKernel:
        return Launch(l.kernel, l.arguments.data(), 0, l.count, l.code);
      case Kept::kCopy:
        return Copy(l.to, l.from, l.count);
      case Kept::kProduct:
        RunHostLibrary(Library::kCublasLt, l.arguments.data(), in, &l.to);
    }
    return absl::OkStatus();
  }

  const int32_t index_;
  // What nobody wrote, where $HLOCTS_CUDA_POISON is set; the same as on a GPU.
  static constexpr int kPoison = 0xa5;
  const bool poisons_ = std::getenv("HLOCTS_CUDA_POISON") != nullptr;
  std::mutex mutex_;
  std::map<int64_t, std::shared_ptr<const LaunchGraph>> graphs_;
  int64_t next_graph_ = 0;
};

}  // namespace

std::unique_ptr<Device> MakeHostDevice(int32_t index) {
  return std::make_unique<HostDevice>(index);
}
Device& TheHost() {
  static Device* device = MakeHostDevice().release();
  return *device;
}

}  // namespace hlocts::cuda
