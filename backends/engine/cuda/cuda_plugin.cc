// SPDX-License-Identifier: Apache-2.0
// libhlocts_cuda.so: the engine as a PJRT plugin.
#include "backends/engine/cuda/cuda_engine.h"

namespace {

constexpr hlocts::pjrt::Plugin kPlugin = {"cuda", hlocts::cuda::Opcodes, hlocts::cuda::MakeEngine};

}  // namespace

extern "C" const PJRT_Api* GetPjrtApi() { return hlocts::pjrt::Table(kPlugin); }
