// SPDX-License-Identifier: Apache-2.0
// All kernels by number and name: HL_KERNEL(Name, Args, call). In a call, `a` is the arguments, `f`
// the program, and `i` the thread's number. Block kernels have `shared`, `block`, `phase` and
// `thread` instead of `i`.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_DISPATCH_NAMES_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_DISPATCH_NAMES_H_

// clang-format off
// Kernels with a program, which can also be emitted for NVRTC.
#define HL_PROGRAM_KERNELS(HL_KERNEL)                        \
  HL_KERNEL(Loop, LoopArgs, LoopAt(a, f, i))                 \
  HL_KERNEL(Reduce, ReduceArgs, ReduceAt(a, f, i))           \
  HL_KERNEL(ReduceWindow, ReduceWindowArgs, ReduceWindowAt(a, f, i)) \
  HL_KERNEL(Select, SelectArgs, SelectAt(a, f, i))           \
  HL_KERNEL(Scatter, ScatterArgs, ScatterAt(a, f, i))        \
  HL_KERNEL(ScatterDirect, ScatterDirectArgs, ScatterDirectAt(a, f, i)) \
  HL_KERNEL(SortSplit, SortArgs, SortSplitAt(a, f, i))       \
  HL_KERNEL(SortMerge, SortArgs, SortMergeAt(a, f, i))       \
  HL_KERNEL(ScanLine, ScanArgs, ScanLineAt(a, f, i))

// Block kernels: the kBlockThreads threads of a block work together. They may have programs.
#define HL_BLOCK_KERNELS(HL_KERNEL)                                                        \
  HL_KERNEL(ReduceBlock, ReduceBlockArgs, ReduceBlockAt(a, f, shared, block, phase, thread)) \
  HL_KERNEL(RowBlock, RowArgs, RowBlockAt(a, f, shared, block, phase, thread))              \
  HL_KERNEL(ScanBlock, ScanArgs, ScanBlockAt(a, f, shared, block, phase, thread))           \
  HL_KERNEL(TopKBlock, TopKArgs, TopKAt(a, f, shared, block, phase, thread))              \
  HL_KERNEL(NormSums, NormArgs, NormSumsAt(a, f, shared, block, phase, thread))            \
  HL_KERNEL(Transpose, TransposeArgs, TransposeAt(a, f, shared, block, phase, thread))    \
  HL_KERNEL(Cholesky, CholeskyArgs, CholeskyAt(a, f, shared, block, phase, thread))       \
  HL_KERNEL(DotTile, DotTileArgs, DotTileAt(a, f, shared, block, phase, thread))

#define HL_PLAIN_KERNELS(HL_KERNEL)                          \
  HL_KERNEL(Box, BoxArgs, BoxAt(a, i))                       \
  HL_KERNEL(Pad, PadArgs, PadAt(a, i))                       \
  HL_KERNEL(Gather, GatherArgs, GatherAt(a, i))              \
  HL_KERNEL(Target, TargetArgs, TargetAt(a, i))              \
  HL_KERNEL(Fill, FillArgs, FillAt(a, i))                    \
  HL_KERNEL(Repack, RepackArgs, RepackAt(a, i))              \
  HL_KERNEL(SortStart, SortArgs, SortStartAt(a, i))          \
  HL_KERNEL(SortRepair, SortArgs, SortRepairAt(a, i))        \
  HL_KERNEL(Permute, PermuteArgs, PermuteAt(a, i))           \
  HL_KERNEL(Positions, PermuteArgs, PositionsAt(a, a.bytes, i)) \
  HL_KERNEL(Dot, DotArgs, DotAt(a, i))                       \
  HL_KERNEL(Convolution, ConvolutionArgs, ConvolutionAt(a, i)) \
  HL_KERNEL(Solve, SolveArgs, SolveAt(a, i))                 \
  HL_KERNEL(Fourier, FourierArgs, FourierAt(a, i))           \
  HL_KERNEL(Spectrum, SpectrumArgs, SpectrumAt(a, i))        \
  HL_KERNEL(Norm, NormArgs, NormAt(a, i))                    \
  HL_KERNEL(Bits, BitsArgs, BitsAt(a, i))                    \
  HL_KERNEL(NextState, BitsArgs, NextStateAt(a, i))          \
  HL_KERNEL(Draw, DrawArgs, DrawAt(a, i))                    \
  HL_KERNEL(Cast, CastArgs, CastAt(a, i))                    \
  HL_KERNEL(SortKeys, SortKeyArgs, SortKeyAt(a, i))          \
  HL_KERNEL(SortRows, SortKeyArgs, SortRowAt(a, i))          \
  HL_KERNEL(HasNan, SortKeyArgs, HasNanAt(a, i))             \
  HL_KERNEL(SortedOrder, SortKeyArgs, SortedOrderAt(a, i))

#define HL_ALL_KERNELS(HL_KERNEL) \
  HL_PROGRAM_KERNELS(HL_KERNEL) HL_BLOCK_KERNELS(HL_KERNEL) HL_PLAIN_KERNELS(HL_KERNEL)
// clang-format on

namespace hl {

enum Kernel : int {
#define HL_NAME(Name, Args, call) k##Name##Kernel,
  HL_ALL_KERNELS(HL_NAME)
#undef HL_NAME
};

// Block kernels have the numbers kBlockKernels .. kPlainKernels - 1.
#define HL_ONE(Name, Args, call) +1
constexpr int kBlockKernels = 0 HL_PROGRAM_KERNELS(HL_ONE);
constexpr int kPlainKernels = kBlockKernels HL_BLOCK_KERNELS(HL_ONE);
#undef HL_ONE

constexpr const char* kKernelNames[] = {
#define HL_NAME(Name, Args, call) #Name,
    HL_ALL_KERNELS(HL_NAME)
#undef HL_NAME
};

}  // namespace hl

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_DISPATCH_NAMES_H_
