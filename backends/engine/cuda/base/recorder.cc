// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cuda/base/recorder.h"

namespace hlocts::cuda {
namespace {

absl::Status CannotKeep() { return absl::UnimplementedError("only launches can be kept"); }

}  // namespace

Recorder::~Recorder() {
  for (const auto& [data, bytes] : sizes_) device_.Release(data);
}

absl::StatusOr<void*> Recorder::Allocate(int64_t bytes) {
  const auto found = free_.find(bytes);
  if (found != free_.end()) {
    void* data = found->second;
    free_.erase(found);
    return data;
  }
  HLOCTS_ASSIGN_OR_RETURN(void* data, device_.Allocate(bytes));
  sizes_[data] = bytes;
  return data;
}

absl::StatusOr<void*> Recorder::AllocatePinned(int64_t bytes) {
  HLOCTS_ASSIGN_OR_RETURN(void* data, Allocate(bytes));
  pinned_.insert(data);
  return data;
}

void Recorder::Release(void* data) {
  if (!pinned_.contains(data)) free_.insert({sizes_.at(data), data});
}

absl::Status Recorder::Copy(void* to, const void* from, int64_t bytes) {
  if (bytes <= 0) return absl::OkStatus();
  KeptLaunch& kept = graph_.launches.emplace_back();
  kept.kind = Kept::kCopy;
  kept.count = bytes;
  kept.to = to;
  kept.from = from;
  return absl::OkStatus();
}

absl::Status Recorder::Launch(hl::Kernel kernel, const void* arguments, int64_t bytes,
                              int64_t count, int64_t code) {
  KeptLaunch& kept = graph_.launches.emplace_back();
  kept.kernel = kernel;
  kept.count = count;
  kept.code = code;
  const auto* data = static_cast<const uint8_t*>(arguments);
  kept.arguments.assign(data, data + bytes);
  return absl::OkStatus();
}

absl::Status Recorder::Upload(void*, const void*, int64_t) { return CannotKeep(); }
absl::Status Recorder::Download(void*, const void*, int64_t) { return CannotKeep(); }
absl::StatusOr<int64_t> Recorder::Compile(hl::Kernel, const std::string&) { return CannotKeep(); }
absl::Status Recorder::Synchronize() { return CannotKeep(); }
absl::StatusOr<bool> Recorder::CallLibrary(Library library, const void* plan, int64_t bytes,
                                           const void* const* in, void* const* out) {
  HLOCTS_ASSIGN_OR_RETURN(const bool keeps, device_.Keeps(library, plan, bytes, in, out));
  if (!keeps) return false;
  KeptLaunch& kept = graph_.launches.emplace_back();
  kept.kind = Kept::kProduct;
  const auto* data = static_cast<const uint8_t*>(plan);
  kept.arguments.assign(data, data + bytes);
  kept.from = in[0];
  kept.second = in[1];
  kept.to = out[0];
  return true;
}

}  // namespace hlocts::cuda
