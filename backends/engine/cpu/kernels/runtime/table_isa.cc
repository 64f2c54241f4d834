// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/kernels/runtime/avx512_table_isa.h"
#include "backends/engine/cpu/kernels/runtime/entries_isa.h"

#define HLOCTS_PASTE_INNER(a, b) a##b
#define HLOCTS_PASTE(a, b) HLOCTS_PASTE_INNER(a, b)

extern "C" const hlocts::kernels::KernelTable* HLOCTS_PASTE(hlocts_kernels_, HLOCTS_ISA)();

#if defined(__AVX512BF16__)
const hlocts::kernels::KernelTable* HLOCTS_PASTE(hlocts_kernels_, HLOCTS_ISA)() {
  static const hlocts::kernels::KernelTable table = [] {
    hlocts::kernels::KernelTable other = *hlocts_kernels_avx512();
    other.dot = hlocts::kernels::HLOCTS_ISA::DotKernel;
    other.convolution = hlocts::kernels::HLOCTS_ISA::ConvolutionKernel;
    return other;
  }();
  return &table;
}
#else
const hlocts::kernels::KernelTable* HLOCTS_PASTE(hlocts_kernels_, HLOCTS_ISA)() {
  namespace isa = hlocts::kernels::HLOCTS_ISA;
  static const hlocts::kernels::KernelTable table = {
      isa::ReduceKernel,           isa::RowReduceKernel,
      isa::ArgReduceKernel,        isa::DotKernel,
      isa::ConvolutionKernel,      isa::ReduceWindowKernel,
      isa::SelectAndScatterKernel, isa::FftKernel,
      isa::CholeskyKernel,         isa::TriangularSolveKernel,
      isa::RandomBitsKernel,       isa::RandomDrawsKernel,
      isa::TransposeKernel,        isa::GatherLineKernel,
      isa::ScatterLineKernel,      isa::CombineOf,
  };
  return &table;
}
#endif
