// SPDX-License-Identifier: Apache-2.0
// Where the tests of the engine's steps run: the host's loops, or, with HLOCTS_TEST_ENGINE=cuda, a
// GPU, which must then be there.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_RUN_TEST_DEVICE_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_RUN_TEST_DEVICE_H_

#include <cstdio>
#include <cstdlib>
#include <string>

#include "backends/engine/cuda/run/cuda_device.h"

namespace hlocts::cuda {

inline bool TestsOnDevice() {
  const char* engine = std::getenv("HLOCTS_TEST_ENGINE");
  return engine != nullptr && std::string(engine) == "cuda";
}
// The engine by name, in this process; options follow after '&'.
inline std::string TestEngine() {
  return TestsOnDevice() ? "cuda?isolation=none" : "cuda-host?isolation=none";
}
inline std::shared_ptr<Device> TestDevice() {
  if (!TestsOnDevice()) return MakeHostDevice();
  auto device = OpenCudaDevice(/*fast_math=*/false);
  if (!device.ok()) std::fprintf(stderr, "%s\n", device.status().ToString().c_str());
  HLOCTS_CHECK(device.ok());
  return *std::move(device);
}

}  // namespace hlocts::cuda

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_RUN_TEST_DEVICE_H_
