// SPDX-License-Identifier: Apache-2.0
// The GPU that this process has opened: a context, a stream, a pool of stream-ordered memory, and
// the precompiled kernels.
//
// The engine must start without a driver, so no CUDA library is linked. libcuda, NVRTC, cuBLASLt
// and cuDNN are opened when first used. Environment variables for diagnosis: HLOCTS_CUDA_SYNC=1
// waits after each launch. HLOCTS_CUDA_POISON=1 fills new memory with 0xa5.
// HLOCTS_CUDA_STRICT_LIBRARIES=1 turns a library's failure into an error. HLOCTS_CUDA_PLANT=write
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
  std::string description, architecture;  // architecture: e.g. "sm_90"
  int32_t workers_max = 0;                // number of processes that fit in free memory
  bool waits = false;                     // $HLOCTS_CUDA_SYNC

  // Checks a call that only enqueues work. Returns ResourceExhausted if memory is exhausted, and
  // Internal for other errors. Ends the process if the context is lost.
  absl::Status Check(CUresult result, absl::string_view what) const;
  // Checks a call that waits. Returns ResourceExhausted if memory is exhausted. Any other error was
  // caused by an earlier kernel, and ends the process.
  absl::Status CheckWait(CUresult result, absl::string_view what) const;
  absl::Status Wait(absl::string_view what) const {
    return CheckWait(driver->cuStreamSynchronize_(stream), what);
  }
};

// Returns the driver after cuInit.
absl::StatusOr<const Driver*> InitializedDriver();
// Opens a GPU. Returns Unavailable for every error, because no module has run yet.
absl::StatusOr<Gpu> OpenGpu(int32_t index);
// Returns true if the environment variable is set, not empty and not 0.
bool IsSet(const char* name);

// A fatbin of the kernels in generic.cu: machine code (SASS) for HLOCTS_CUDA_ARCHITECTURES, and PTX
// for all other architectures.
extern "C" const char hlocts_cuda_generic_image[];

}  // namespace hlocts::cuda
