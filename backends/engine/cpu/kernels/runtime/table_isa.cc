// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/kernels/runtime/entries_isa.h"
#include "backends/engine/cpu/kernels/runtime/narrower_tables_isa.h"

#define HLOCTS_PASTE_INNER(a, b) a##b
#define HLOCTS_PASTE(a, b) HLOCTS_PASTE_INNER(a, b)

namespace hlocts::kernels::HLOCTS_ISA {
namespace {

// Which files a set has of its own says ../CMakeLists.txt.
KernelTable Table() {
#if defined(__AVX512BF16__)
  KernelTable table = *hlocts_kernels_avx512();
#elif defined(__AVX512F__)
  KernelTable table = *hlocts_kernels_avx2();
#else
  KernelTable table;
  table.reduce = ReduceKernel;
  table.row_reduce = RowReduceKernel;
  table.combine = CombineOf;
  table.reduce_window = ReduceWindowKernel;
  table.gather_line = GatherLineKernel;
#endif
#if !defined(__AVX512BF16__)
  table.scatter_line = ScatterLineKernel;
  table.fft = FftKernel;
  table.random_bits = RandomBitsKernel;
  table.random_draws = RandomDrawsKernel;
  table.transpose = TransposeKernel;
#endif
  table.dot = DotKernel;
  table.convolution = ConvolutionKernel;
  return table;
}

}  // namespace
}  // namespace hlocts::kernels::HLOCTS_ISA

extern "C" const hlocts::kernels::KernelTable* HLOCTS_PASTE(hlocts_kernels_, HLOCTS_ISA)();
const hlocts::kernels::KernelTable* HLOCTS_PASTE(hlocts_kernels_, HLOCTS_ISA)() {
  static const hlocts::kernels::KernelTable table = hlocts::kernels::HLOCTS_ISA::Table();
  return &table;
}
