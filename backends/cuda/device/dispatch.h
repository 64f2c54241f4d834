// All kernels: what a launch needs to know of them, and their code.
#ifndef HLOCTS_BACKENDS_CUDA_DEVICE_DISPATCH_H_
#define HLOCTS_BACKENDS_CUDA_DEVICE_DISPATCH_H_

#include "backends/cuda/device/block_rows.h"
#include "backends/cuda/device/block_scan.h"
#include "backends/cuda/device/dispatch_names.h"
#include "backends/cuda/device/library_steps.h"
#include "backends/cuda/device/random.h"
#include "backends/cuda/device/sort.h"
#include "backends/cuda/device/top_k.h"

namespace hl {

// Of each kernel's arguments.
constexpr i64 kArgumentBytes[] = {
#define HL_BYTES(Name, Args, call) sizeof(Args),
    HL_ALL_KERNELS(HL_BYTES)
#undef HL_BYTES
};

}  // namespace hl

#endif  // HLOCTS_BACKENDS_CUDA_DEVICE_DISPATCH_H_
