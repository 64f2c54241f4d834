// SPDX-License-Identifier: Apache-2.0
// Copies between the host and the device through pinned memory. Uploads are done when they are
// staged; downloads wait for what came before them. Long ones overlap with the copying on the host.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_RUNTIME_STAGING_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_RUNTIME_STAGING_H_

#include <cstdint>

#include "backends/engine/cuda/runtime/driver.h"

namespace hlocts::cuda {

class Staging {
 public:
  CUresult Open(const Driver& driver, CUstream stream);
  CUresult Upload(CUdeviceptr to, const void* from, int64_t bytes);
  CUresult Download(void* to, CUdeviceptr from, int64_t bytes);

 private:
  // Pinned memory of one direction, used in turn; busy until its event has passed.
  struct Half {
    char* data = nullptr;
    CUevent passed = nullptr;
    bool busy = false;
  };
  CUresult Wait(Half& half);
  CUresult Mark(Half& half);

  const Driver* driver_ = nullptr;
  CUstream stream_ = nullptr;
  Half up_[2], down_[2];
  int current_ = 0;     // of up_
  int64_t filled_ = 0;  // bytes of it that are staged
};

}  // namespace hlocts::cuda

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_RUNTIME_STAGING_H_
