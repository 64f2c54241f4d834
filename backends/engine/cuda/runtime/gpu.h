// SPDX-License-Identifier: Apache-2.0
// One opened GPU of this process: a context, one stream, memory in the order of the stream, the
// precompiled kernels.
//
// No CUDA library is linked, since the engine must start without a driver: libcuda, NVRTC, cuBLASLt
// and cuDNN are opened when first used. Diagnosis by environment variables: HLOCTS_CUDA_SYNC=1
// waits after each launch, HLOCTS_CUDA_POISON=1 fills new memory with 0xa5,
// HLOCTS_CUDA_STRICT_LIBRARIES=1 makes a refusal of a library a failure, HLOCTS_CUDA_PLANT=write
// makes one write out of bounds (a sanitizer must report it), HLOCTS_CUDA_SPIN=1 spins while
// waiting, HLOCTS_TEST_ENGINE=cuda runs the engine's tests on the GPU.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_RUNTIME_GPU_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_RUNTIME_GPU_H_

#include <cstdint>
#include <string>

#include "backends/engine/cuda/runtime/driver.h"
#include "spec/base/status.h"

namespace hlocts::cuda {

struct Gpu {
  const Driver* driver = nullptr;
  CUdevice device = 0;
  CUcontext context = nullptr;
  CUstream stream = nullptr;
  CUmemoryPool pool = nullptr;
  CUevent started = nullptr, stopped = nullptr;
  CUmodule carried = nullptr;             // the precompiled kernels
  std::string description, architecture;  // "sm_90"
  int32_t workers_max = 0;                // processes that fit the free memory
  bool waits = false;                     // $HLOCTS_CUDA_SYNC

  // ResourceExhausted for lack of memory. Any other error of a call that only enqueues fails that
  // call alone, unless it reports that the context is lost: that ends the process.
  absl::Status Check(CUresult result, absl::string_view what) const;
  // An error that is reported while the host waits was caused by an earlier kernel: it ends the
  // process.
  absl::Status CheckWait(CUresult result, absl::string_view what) const;
  absl::Status Wait(absl::string_view what) const {
    return CheckWait(driver->cuStreamSynchronize_(stream), what);
  }
};

// The driver, initialized.
absl::StatusOr<const Driver*> InitializedDriver();
// Every error is Unavailable: nothing has run yet, so nothing is lost.
absl::StatusOr<Gpu> OpenGpu(int32_t index);
// True if the environment variable is set to anything but 0.
bool IsSet(const char* name);

// All kernels of device/dispatch.h around the interpreter: SASS of HLOCTS_CUDA_ARCHITECTURES, and
// PTX for all others.
extern "C" const char hlocts_cuda_generic_image[];

}  // namespace hlocts::cuda

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_RUNTIME_GPU_H_
