// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cuda/runtime/staging.h"

#include <algorithm>
#include <cstring>

namespace hlocts::cuda {
namespace {

constexpr int64_t kHalfBytes = int64_t{4} << 20;
constexpr int64_t kAlignment = 256;

}  // namespace

CUresult Staging::Open(const Driver& driver, CUstream stream) {
  driver_ = &driver;
  stream_ = stream;
  void* memory = nullptr;
  CUresult result = driver.cuMemHostAlloc_(&memory, 4 * static_cast<size_t>(kHalfBytes), 0);
  char* next = static_cast<char*>(memory);
  for (Half* half : {&up_[0], &up_[1], &down_[0], &down_[1]}) {
    if (result != CUDA_SUCCESS) return result;
    half->data = next;
    next += kHalfBytes;
    result = driver.cuEventCreate_(&half->passed, CU_EVENT_DISABLE_TIMING);
  }
  return result;
}

CUresult Staging::Wait(Half& half) {
  if (!half.busy) return CUDA_SUCCESS;
  half.busy = false;
  return driver_->cuEventSynchronize_(half.passed);
}
CUresult Staging::Mark(Half& half) {
  half.busy = true;
  return driver_->cuEventRecord_(half.passed, stream_);
}

// Small pieces share a half; it is marked when it is full, and waited for when its turn comes
// again.
CUresult Staging::Upload(CUdeviceptr to, const void* from, int64_t bytes) {
  for (int64_t at = 0; at < bytes;) {
    if (filled_ >= kHalfBytes) {
      if (const CUresult result = Mark(up_[current_]); result != CUDA_SUCCESS) return result;
      current_ = 1 - current_;
      filled_ = 0;
      if (const CUresult result = Wait(up_[current_]); result != CUDA_SUCCESS) return result;
    }
    const int64_t size = std::min(kHalfBytes - filled_, bytes - at);
    char* staged = up_[current_].data + filled_;
    std::memcpy(staged, static_cast<const char*>(from) + at, static_cast<size_t>(size));
    const CUresult result = driver_->cuMemcpyHtoDAsync_(to + static_cast<CUdeviceptr>(at), staged,
                                                        static_cast<size_t>(size), stream_);
    if (result != CUDA_SUCCESS) return result;
    filled_ += (size + kAlignment - 1) / kAlignment * kAlignment;
    at += size;
  }
  return CUDA_SUCCESS;
}

// While one half is copied out, the other is on its way.
CUresult Staging::Download(void* to, CUdeviceptr from, int64_t bytes) {
  const int64_t pieces = (bytes + kHalfBytes - 1) / kHalfBytes;
  for (int64_t piece = 0; piece <= pieces; ++piece) {
    if (piece < pieces) {
      Half& half = down_[piece % 2];
      const int64_t at = piece * kHalfBytes;
      const size_t size = static_cast<size_t>(std::min(kHalfBytes, bytes - at));
      CUresult result = driver_->cuMemcpyDtoHAsync_(half.data, from + static_cast<CUdeviceptr>(at),
                                                    size, stream_);
      if (result == CUDA_SUCCESS) result = Mark(half);
      if (result != CUDA_SUCCESS) return result;
    }
    if (piece == 0) continue;
    const int64_t at = (piece - 1) * kHalfBytes;
    if (const CUresult result = Wait(down_[(piece - 1) % 2]); result != CUDA_SUCCESS) return result;
    std::memcpy(static_cast<char*>(to) + at, down_[(piece - 1) % 2].data,
                static_cast<size_t>(std::min(kHalfBytes, bytes - at)));
  }
  return CUDA_SUCCESS;
}

}  // namespace hlocts::cuda
