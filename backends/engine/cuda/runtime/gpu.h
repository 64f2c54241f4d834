// SPDX-License-Identifier: Apache-2.0
// One opened GPU of this process: a context, one stream, stream-ordered memory, and the precompiled
// kernels.
//
// No CUDA library is linked, because the engine must start without a driver: libcuda, NVRTC,
// cuBLASLt and cuDNN are opened when first used. Environment variables for diagnosis:
// HLOCTS_CUDA_SYNC=1 waits after each launch. HLOCTS_CUDA_POISON=1 fills new memory with 0xa5.
// HLOCTS_CUDA_STRICT_LIBRARIES=1 makes the failure of a library an error. HLOCTS_CUDA_PLANT=write
// writes once out of bounds, which a sanitizer must report. HLOCTS_CUDA_SPIN=1 spins while waiting.
// HLOCTS_TEST_ENGINE=cuda runs the engine's tests on the GPU.
#pragma once

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
  std::string description, architecture;  // architecture: for example "sm_90"
  int32_t workers_max = 0;                // processes that fit the free memory
  bool waits = false;                     // $HLOCTS_CUDA_SYNC

  // Checks a call that only enqueues work. Returns ResourceExhausted if memory is exhausted and
  // Internal for any other error. An error that reports a lost context ends the process.
  absl::Status Check(CUresult result, absl::string_view what) const;
  // Checks a call that waits. Returns ResourceExhausted if memory is exhausted. Any other error was
  // caused by an earlier kernel and ends the process.
  absl::Status CheckWait(CUresult result, absl::string_view what) const;
  absl::Status Wait(absl::string_view what) const {
    return CheckWait(driver->cuStreamSynchronize_(stream), what);
  }
};

// Returns the driver, initialized.
absl::StatusOr<const Driver*> InitializedDriver();
// Every error is Unavailable: nothing has run yet, so nothing is lost.
absl::StatusOr<Gpu> OpenGpu(int32_t index);
// Returns true if the environment variable is set, not empty and not 0.
bool IsSet(const char* name);

// The image of all kernels of device/dispatch.h with the interpreter: SASS for
// HLOCTS_CUDA_ARCHITECTURES, and PTX for all other architectures.
extern "C" const char hlocts_cuda_generic_image[];

}  // namespace hlocts::cuda
