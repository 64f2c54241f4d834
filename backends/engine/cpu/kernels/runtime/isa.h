// SPDX-License-Identifier: Apache-2.0
// The table of entry points that exists once per instruction set.
//
// Every *_isa.cc is compiled once for each instruction set, in a namespace of its own (HLOCTS_ISA);
// the objects of one set are then joined and all their symbols but the table made local, so that
// no inline function of the standard library compiled for AVX-512 can end up in a plain object.
// The best set that the machine has is chosen when the first kernel is called.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_RUNTIME_ISA_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_RUNTIME_ISA_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "backends/engine/cpu/kernels/runtime/thread_pool.h"
#include "spec/ir/primitive_type.h"

namespace hlocts::kernels {

struct ConvolutionRequest;
struct DotRequest;
struct FftRequest;
struct IndexedLine;
struct RandomBitsRequest;
struct RandomDrawsRequest;
struct ReduceRequest;
struct RowReduceRequest;
struct ReduceWindowRequest;
struct TransposeRequest;
enum class ReduceKind : uint8_t;
enum class ScatterKind : uint8_t;
struct CombineArgs;
using CombineFunction = void (*)(ReduceKind kind, const CombineArgs& args);

template <typename Request>
using Kernel = absl::Status (*)(const Parallel&, const Request&);

struct KernelTable {
  Kernel<ReduceRequest> reduce;
  Kernel<RowReduceRequest> row_reduce;
  Kernel<DotRequest> dot;
  Kernel<ConvolutionRequest> convolution;
  Kernel<ReduceWindowRequest> reduce_window;
  Kernel<FftRequest> fft;
  Kernel<RandomBitsRequest> random_bits;
  Kernel<RandomDrawsRequest> random_draws;
  Kernel<TransposeRequest> transpose;
  bool (*gather_line)(const Parallel&, const IndexedLine&, int bytes, const void* operand,
                      void* output);
  bool (*scatter_line)(const Parallel&, const IndexedLine&, ScatterKind, PrimitiveType,
                       const void* updates, void* output);
  CombineFunction (*combine)(ReduceKind, PrimitiveType);
};

// kAvx512Bf16: AVX-512 and products of pairs of bf16; only dot and convolution differ.
enum class Isa : uint8_t { kBase, kAvx2, kAvx512, kAvx512Bf16 };

const KernelTable& Kernels();

const char* IsaName(Isa isa);
std::vector<Isa> SupportedIsas();
// For tests and benchmarks, while no kernel runs.
void SetIsa(Isa isa);

}  // namespace hlocts::kernels

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_RUNTIME_ISA_H_
