// SPDX-License-Identifier: Apache-2.0
// dot as matrix products: each group of dimensions (batch, free of lhs, free of rhs, contracting)
// becomes one strided loop, or else the operand is copied so that it does; operands stored in
// another type than the computing one are copied converted.
#include <algorithm>

#include "backends/engine/cpu/kernels/gemm/dot.h"
#include "backends/engine/cpu/kernels/gemm/dot_operand_isa.h"
#include "backends/engine/cpu/kernels/gemm/dot_pairs_isa.h"
#include "backends/engine/cpu/kernels/gemm/dot_stack_isa.h"
#include "backends/engine/cpu/kernels/gemm/dot_types.h"
#include "backends/engine/cpu/kernels/gemm/gemm_isa.h"
#include "backends/engine/cpu/kernels/gemm/gemm_vector_isa.h"
#include "backends/engine/cpu/kernels/runtime/convert_isa.h"
#include "backends/engine/cpu/kernels/runtime/entries_isa.h"
#include "backends/engine/cpu/kernels/runtime/narrower_tables_isa.h"
#include "backends/engine/cpu/kernels/runtime/scratch.h"
#include "spec/base/status.h"

namespace hlocts::kernels::HLOCTS_ISA {
namespace {

constexpr int64_t kSplitDepth = kDeepSum / 2;
constexpr int64_t kSplitOutputs = 4096;

// Long sums of few outputs: the sum is cut into parts of fixed length, then the parts are added.
template <typename T>
absl::Status MultiplySplit(const Parallel& parallel, const GemmArgs<T>& args) {
  const int64_t parts = args.k / kSplitDepth, outputs = args.m * args.n;
  const int64_t bytes = (parts + 1) * outputs * static_cast<int64_t>(sizeof(SumOf<T>));
  const Scratch partial(bytes);
  if (!partial.ok()) return OutOfScratch(bytes);
  GemmArgs<T> part = args;
  part.done = nullptr;
  part.k = kSplitDepth;
  part.c = partial.As<SumOf<T>>();
  HLOCTS_RETURN_IF_ERROR(MultiplyAll(parallel, part, parts, kSplitDepth * args.a_column,
                                     kSplitDepth * args.b_row, outputs));
  GemmArgs<T> rest = args;
  rest.done = nullptr;
  rest.k = args.k - parts * kSplitDepth;
  rest.a += parts * kSplitDepth * args.a_column;
  rest.b += parts * kSplitDepth * args.b_row;
  rest.c = partial.As<SumOf<T>>() + parts * outputs;
  HLOCTS_RETURN_IF_ERROR(Gemm(parallel, rest));
  std::fill(args.c, args.c + outputs, SumOf<T>(0));
  for (int64_t p = 0; p <= parts; ++p) {
    const SumOf<T>* from = partial.As<SumOf<T>>() + p * outputs;
    for (int64_t i = 0; i < outputs; ++i) args.c[i] += from[i];
  }
  if (args.done != nullptr) (*args.done)(0, args.m, 0, args.n);
  return absl::OkStatus();
}

template <typename T>
absl::Status Multiply(const Parallel& parallel, const Sizes& sizes, const Matrices& lhs,
                      const Matrices& rhs, SumOf<T>* output, const PartDone* done) {
  GemmArgs<T> args = ArgsOf<T>(sizes, lhs, rhs, output);
  args.done = done;
  const int64_t outputs = sizes.m * sizes.n;
  if (sizes.batch == 1 && outputs <= kSplitOutputs && sizes.k >= kDeepSum) {
    return MultiplySplit(parallel, args);
  }
  return MultiplyAll(parallel, args, sizes.batch, lhs.batch_stride, rhs.batch_stride, outputs);
}

bool HasRuns(const LoopNest<1>& loops) {
  const LoopNest<1> merged = MergedLoops(loops);
  return !merged.empty() && merged.back().stride[0] == 1;
}

// An operand of 16-bit elements, or of small integers, in pairs along the sum.
absl::Status PreparePairs(const Parallel& parallel, DotOperand operand, const Sizes& sizes,
                          bool right, std::unique_ptr<Scratch>& copy, Matrices& matrices) {
  if (operand.type == PrimitiveType::kBF16) operand.type = PrimitiveType::kS16;  // the same bits
  const OperandLoops loops = LoopsOf(operand);
  const bool native =
      operand.type == PrimitiveType::kS16 && (HasRuns(loops.free) || HasRuns(loops.contracting));
  const int64_t free = right ? sizes.n : sizes.m;
  HLOCTS_RETURN_IF_ERROR(Prepare<int16_t>(parallel, operand, loops, right, native,
                                          sizes.batch * free * sizes.k, copy, matrices));
  return MakePairs(parallel, {sizes.batch, free, sizes.k, matrices}, copy, matrices);
}

template <typename Pair>
absl::Status ProductOfPairs(const Parallel& parallel, const DotRequest& request, Sizes sizes,
                            SumOf<Pair>* output) {
  std::unique_ptr<Scratch> lhs_copy, rhs_copy;
  Matrices left, right;
  HLOCTS_RETURN_IF_ERROR(PreparePairs(parallel, request.lhs, sizes, false, lhs_copy, left));
  HLOCTS_RETURN_IF_ERROR(PreparePairs(parallel, request.rhs, sizes, true, rhs_copy, right));
  sizes.k = (sizes.k + 1) / 2;
  return Multiply<Pair>(parallel, sizes, left, right, output, request.done);
}

// Whether a few rows meet rows of bf16 that are contiguous: read once, where they stand.
bool ReadsRowsOfBf16(const DotRequest& request, const OperandLoops& rhs, const Sizes& sizes,
                     Matrices& right) {
  right.data = static_cast<const char*>(request.rhs.data);
  return request.rhs.type == PrimitiveType::kBF16 && sizes.batch == 1 && sizes.m <= kFewRows &&
         sizes.n >= kFewRowsColumns<float> && sizes.k < kDeepSum &&
         OneStride(rhs.free, right.free_stride) && right.free_stride == 1 &&
         OneStride(rhs.contracting, right.depth_stride);
}

// product(where its elements of type T go), which become those of the output's type.
template <typename T, typename Product>
absl::Status IntoStored(const Parallel& parallel, const DotRequest& request, PrimitiveType compute,
                        Product product) {
  if (StoredAs(request.output_type, compute)) return product(static_cast<T*>(request.output));
  const Sizes sizes = SizesOf(LoopsOf(request.lhs), LoopsOf(request.rhs));
  const int64_t count = sizes.batch * sizes.m * sizes.n;
  const int64_t bytes = count * static_cast<int64_t>(sizeof(T));
  const Scratch memory(bytes);
  if (!memory.ok()) return OutOfScratch(bytes);
  HLOCTS_RETURN_IF_ERROR(product(memory.As<T>()));
  const int width = StorageBytes(request.output_type);
  parallel.For(count, 1.0, [&](int64_t begin, int64_t end) {
    EncodeRun(request.output_type, memory.As<T>() + begin, end - begin, 1,
              static_cast<char*>(request.output) + begin * width);
  });
  return absl::OkStatus();
}

}  // namespace

#if defined(__AVX512BF16__)

// Products of pairs of bf16; all others are those of AVX-512.
absl::Status DotKernel(const Parallel& parallel, const DotRequest& request) {
  const OperandLoops lhs = LoopsOf(request.lhs), rhs = LoopsOf(request.rhs);
  const Sizes sizes = SizesOf(lhs, rhs);
  const PrimitiveType compute =
      ProductType(request.lhs.type, request.rhs.type, request.output_type);
  Matrices right;
  if (compute != PrimitiveType::kF32 ||
      !MultipliesPairsOfBf16(request.lhs.type, request.rhs.type) ||
      ReadsRowsOfBf16(request, rhs, sizes, right)) {
    return hlocts_kernels_avx512()->dot(parallel, request);
  }
  return IntoStored<float>(parallel, request, compute, [&](float* output) {
    return ProductOfPairs<PairBf16>(parallel, request, sizes, output);
  });
}

#else

namespace {

absl::Status ProductWithRowsOfBf16(const Parallel& parallel, const DotRequest& request,
                                   const Sizes& sizes, const Matrices& right, float* output) {
  std::unique_ptr<Scratch> copy;
  Matrices left;
  HLOCTS_RETURN_IF_ERROR(Prepare<float>(parallel, request.lhs, LoopsOf(request.lhs), false,
                                        request.lhs.type == PrimitiveType::kF32, sizes.m * sizes.k,
                                        copy, left));
  GemmArgs<float> args = ArgsOf<float>(sizes, left, right, output);
  args.done = request.done;
  MultiplyFewRows(parallel, args, reinterpret_cast<const Bf16Bits*>(right.data));
  return absl::OkStatus();
}

template <typename T>
absl::Status Product(const Parallel& parallel, const DotRequest& request, PrimitiveType compute,
                     T* output) {
  const OperandLoops lhs = LoopsOf(request.lhs), rhs = LoopsOf(request.rhs);
  Sizes sizes = SizesOf(lhs, rhs);
  std::unique_ptr<Scratch> lhs_copy, rhs_copy;
  Matrices left, right;
  const auto native = [&](PrimitiveType t) { return StoredAs(t, compute); };
  if constexpr (std::is_same_v<T, float>) {
    if (ReadsRowsOfBf16(request, rhs, sizes, right)) {
      return ProductWithRowsOfBf16(parallel, request, sizes, right, output);
    }
  }
  HLOCTS_RETURN_IF_ERROR(Prepare<T>(parallel, request.lhs, lhs, false, native(request.lhs.type),
                                    sizes.batch * sizes.m * sizes.k, lhs_copy, left));
  HLOCTS_RETURN_IF_ERROR(Prepare<T>(parallel, request.rhs, rhs, true, native(request.rhs.type),
                                    sizes.batch * sizes.n * sizes.k, rhs_copy, right));
  if (IsComplex(request.output_type)) {
    sizes.n *= 2;
    sizes.k *= 2;
  }
  return Multiply<T>(parallel, sizes, left, right, output, request.done);
}

// Sums modulo 2^32, in a type of their own.
absl::Status DotOfSmallIntegers(const Parallel& parallel, const DotRequest& request) {
  const Sizes sizes = SizesOf(LoopsOf(request.lhs), LoopsOf(request.rhs));
  return IntoStored<uint32_t>(parallel, request, PrimitiveType::kU32, [&](uint32_t* output) {
    return ProductOfPairs<Pair16>(parallel, request, sizes, reinterpret_cast<Pair16*>(output));
  });
}

template <typename T>
absl::Status DotIn(const Parallel& parallel, const DotRequest& request, PrimitiveType compute) {
  return IntoStored<T>(parallel, request, compute,
                       [&](T* output) { return Product(parallel, request, compute, output); });
}

// AVX-512 has none of its own: AVX2's are as fast, or not needed often.
absl::Status OtherIntegers(const Parallel& parallel, const DotRequest& request,
                           PrimitiveType compute) {
#if defined(__AVX512F__)
  (void)compute;
  return hlocts_kernels_avx2()->dot(parallel, request);
#else
  return compute == PrimitiveType::kU32 ? DotIn<uint32_t>(parallel, request, compute)
                                        : DotIn<uint64_t>(parallel, request, compute);
#endif
}

}  // namespace

absl::Status DotKernel(const Parallel& parallel, const DotRequest& request) {
  const PrimitiveType compute =
      ProductType(request.lhs.type, request.rhs.type, request.output_type);
  switch (compute) {
    case PrimitiveType::kF32:
      return DotIn<float>(parallel, request, compute);
    case PrimitiveType::kF64:
      return DotIn<double>(parallel, request, compute);
    case PrimitiveType::kU32:
      if (FitsPairs(request.lhs.type) && FitsPairs(request.rhs.type)) {
        return DotOfSmallIntegers(parallel, request);
      }
      return OtherIntegers(parallel, request, compute);
    default:
      return OtherIntegers(parallel, request, compute);
  }
}

#endif

}  // namespace hlocts::kernels::HLOCTS_ISA
