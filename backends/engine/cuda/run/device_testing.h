// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "backends/engine/cuda/run/cuda_device.h"

namespace hlocts::cuda {

inline bool TestsOnDevice() {
  const char* engine = std::getenv("HLOCTS_TEST_ENGINE");
  return engine != nullptr && std::string(engine) == "cuda";
}

// Returns the host device. If HLOCTS_TEST_ENGINE=cuda, returns the GPU, which must then exist.
inline std::shared_ptr<Device> TestDevice() {
  if (!TestsOnDevice()) return MakeHostDevice();
  auto device = OpenCudaDevice();
  if (!device.ok()) std::fprintf(stderr, "%s\n", device.status().ToString().c_str());
  HLOCTS_CHECK(device.ok());
  return *std::move(device);
}

}  // namespace hlocts::cuda
