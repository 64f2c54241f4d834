// Every kernel of device/dispatch.h around the interpreter, as the library carries them in PTX.
#include "backends/cuda/device/dispatch.h"

#define HL_GLOBAL(Name, Args, call)                                                                 \
  extern "C" __global__ void Generic##Name(const __grid_constant__ hl::Args a, hl::i64 count) {     \
    using namespace hl;                                                                             \
    HL_BODY                                                                                         \
    const i64 step = static_cast<i64>(gridDim.x) * blockDim.x;                                      \
    for (i64 i = static_cast<i64>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) {   \
      call;                                                                                         \
    }                                                                                               \
  }
#define HL_BODY const Interpreted& f = a.body;
HL_PROGRAM_KERNELS(HL_GLOBAL)
#undef HL_BODY
#define HL_BODY
HL_PLAIN_KERNELS(HL_GLOBAL)
