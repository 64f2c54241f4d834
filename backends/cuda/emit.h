// Programs as CUDA C++ for NVRTC: the kernels of device/kernels.h around straight-line code that calls
// the same functions on elements as the interpreter.
#ifndef HLOCTS_BACKENDS_CUDA_EMIT_H_
#define HLOCTS_BACKENDS_CUDA_EMIT_H_

#include <string>

#include "absl/types/span.h"
#include "backends/cuda/device/dispatch.h"

namespace hlocts::cuda {

// The name under which an emitted kernel is found in its module.
inline constexpr char kEmittedName[] = "hl_kernel";

std::string EmitKernel(hl::Kernel kernel, absl::Span<const hl::Instr> code,
                       absl::Span<const hl::View> views);

}  // namespace hlocts::cuda

#endif  // HLOCTS_BACKENDS_CUDA_EMIT_H_
