// SPDX-License-Identifier: Apache-2.0
// Every kernel of device/dispatch.h, precompiled. A kernel with a program interprets it.
#include "backends/engine/cuda/device/dispatch.h"

#define HL_GLOBAL(Name, Args, call)                                                               \
  extern "C" __global__ void Generic##Name(const __grid_constant__ hl::Args a, hl::i64 count) {   \
    using namespace hl;                                                                           \
    HL_BODY                                                                                       \
    const i64 step = static_cast<i64>(gridDim.x) * blockDim.x;                                    \
    for (i64 i = static_cast<i64>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) { \
      call;                                                                                       \
    }                                                                                             \
  }
// Writes out of bounds under $HLOCTS_CUDA_PLANT=write. A sanitizer must report it.
extern "C" __global__ void OutOfBoundsWrite(unsigned char* array, long long bytes) {
  array[bytes + threadIdx.x] = 1;
}

#define HL_BODY const Interpreted& f = a.body;
HL_PROGRAM_KERNELS(HL_GLOBAL)
#undef HL_BODY

// Minimum number of blocks per multiprocessor. A transposition needs many outstanding loads.
constexpr int BlocksAtOnce(hl::Kernel kernel) { return kernel == hl::kTransposeKernel ? 5 : 1; }
#define HL_GLOBAL_BLOCK(Name, Args, call)                                         \
  extern "C" __global__ void __launch_bounds__(hl::kBlockThreads,                 \
                                               BlocksAtOnce(hl::k##Name##Kernel)) \
      Generic##Name(const __grid_constant__ hl::Args a, hl::i64 count) {          \
    using namespace hl;                                                           \
    const auto& f = a.body;                                                       \
    __shared__ Value shared[kBlockThreads * kSharedPlaces];                       \
    for (i64 block = blockIdx.x; block < count; block += gridDim.x) {             \
      for (int phase = 0; phase < a.phases; ++phase) {                            \
        HL_THREADS(thread) { call; }                                              \
        HL_BARRIER;                                                               \
      }                                                                           \
    }                                                                             \
  }
HL_BLOCK_KERNELS(HL_GLOBAL_BLOCK)

#define HL_BODY
HL_PLAIN_KERNELS(HL_GLOBAL)
