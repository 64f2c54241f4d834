// SPDX-License-Identifier: Apache-2.0
// The CUDA driver, which is opened at run time. No program of this project links libcuda.
#pragma once

#include <cuda.h>

#include <string>

#include "spec/base/status.h"

namespace hlocts::cuda {

#define HLOCTS_TEXT_INNER(x) #x
#define HLOCTS_TEXT(x) HLOCTS_TEXT_INNER(x)

// The driver's functions that the runtime uses. cuda.h maps some names to newer versions.
// clang-format off
#define HLOCTS_DRIVER_FUNCTIONS(F)                                 \
  F(cuInit) F(cuDeviceGetCount) F(cuDeviceGet) F(cuDeviceGetName)  \
  F(cuDeviceGetAttribute) F(cuDriverGetVersion)                    \
  F(cuDevicePrimaryCtxRetain) F(cuDevicePrimaryCtxSetFlags)        \
  F(cuCtxSetCurrent) F(cuStreamCreate) F(cuStreamSynchronize)      \
  F(cuEventCreate) F(cuEventRecord) F(cuEventSynchronize)          \
  F(cuEventElapsedTime)                                            \
  F(cuDeviceGetDefaultMemPool) F(cuMemPoolSetAttribute)            \
  F(cuMemPoolTrimTo) F(cuMemGetInfo)                               \
  F(cuMemAllocAsync) F(cuMemFreeAsync) F(cuMemsetD8Async)          \
  F(cuMemcpyHtoDAsync) F(cuMemcpyDtoHAsync) F(cuMemcpyDtoDAsync)   \
  F(cuModuleLoadDataEx) F(cuModuleUnload) F(cuModuleGetFunction)   \
  F(cuLaunchKernel) F(cuGetErrorName) F(cuGetErrorString)
// clang-format on

struct Driver {
#define HLOCTS_MEMBER(name) decltype(&::name) name##_ = nullptr;
  HLOCTS_DRIVER_FUNCTIONS(HLOCTS_MEMBER)
#undef HLOCTS_MEMBER
};

// Returns Unavailable, with the reason, if there is no driver.
absl::StatusOr<const Driver*> OpenDriver();
std::string ErrorText(const Driver& driver, CUresult result);

}  // namespace hlocts::cuda
