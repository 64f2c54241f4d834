// SPDX-License-Identifier: Apache-2.0
// The host as a device: each kernel of dispatch.h runs as a loop over its threads.
#include <cstdlib>
#include <cstring>
#include <vector>

#include "backends/engine/cuda/base/device.h"

namespace hlocts::cuda {
namespace {

#define HL_LOOP(Name, Args, call)                                 \
  void Loop##Name(const void* arguments, hl::i64 count) {         \
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
  void Loop##Name(const void* arguments, hl::i64 count) {                \
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
#define HL_NAME(Name, Args, call) Loop##Name,
    HL_ALL_KERNELS(HL_NAME)
#undef HL_NAME
};

class HostDevice : public Device {
 public:
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
  absl::Status Launch(hl::Kernel kernel, const void* arguments, int64_t count, int64_t) override {
    kLoops[kernel](arguments, count);
    return absl::OkStatus();
  }
  absl::StatusOr<int64_t> Compile(hl::Kernel, const std::string&, bool) override { return -1; }
  absl::Status Synchronize() override { return absl::OkStatus(); }

 private:
  // The value of each byte of new memory if $HLOCTS_CUDA_POISON is set, as on a GPU.
  static constexpr int kPoison = 0xa5;
  const bool poisons_ = std::getenv("HLOCTS_CUDA_POISON") != nullptr;
};

}  // namespace

std::unique_ptr<Device> MakeHostDevice() { return std::make_unique<HostDevice>(); }
Device& SharedHostDevice() {
  static Device* device = MakeHostDevice().release();
  return *device;
}

}  // namespace hlocts::cuda
