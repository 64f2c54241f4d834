// SPDX-License-Identifier: Apache-2.0
// The entry points of one instruction set, as table_isa.cc lists them. Requests are checked before
// they come here: counts fit, no dimension is 0, the type is supported. Only for *_isa.cc.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_RUNTIME_ENTRIES_ISA_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_RUNTIME_ENTRIES_ISA_H_

#include "backends/engine/cpu/kernels/runtime/isa.h"
#include "backends/engine/cpu/kernels/runtime/vector_isa.h"

namespace hlocts::kernels::HLOCTS_ISA {

absl::Status ReduceKernel(const Parallel& parallel, const ReduceRequest& request);
absl::Status RowReduceKernel(const Parallel& parallel, const RowReduceRequest& request);
absl::Status DotKernel(const Parallel& parallel, const DotRequest& request);
absl::Status ConvolutionKernel(const Parallel& parallel, const ConvolutionRequest& request);
absl::Status ReduceWindowKernel(const Parallel& parallel, const ReduceWindowRequest& request);
absl::Status FftKernel(const Parallel& parallel, const FftRequest& request);
absl::Status RandomBitsKernel(const Parallel& parallel, const RandomBitsRequest& request);
absl::Status RandomDrawsKernel(const Parallel& parallel, const RandomDrawsRequest& request);
absl::Status TransposeKernel(const Parallel& parallel, const TransposeRequest& request);
CombineFunction CombineOf(ReduceKind kind, PrimitiveType type);
bool GatherLineKernel(const Parallel& parallel, const IndexedLine& line, int bytes,
                      const void* operand, void* output);
bool ScatterLineKernel(const Parallel& parallel, const IndexedLine& line, ScatterKind kind,
                       PrimitiveType type, const void* updates, void* output);

}  // namespace hlocts::kernels::HLOCTS_ISA

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_RUNTIME_ENTRIES_ISA_H_
