// dot as matrix products: each group of dimensions (batch, free of lhs, free of rhs, contracting)
// becomes one strided loop, or else the operand is copied so that it does; operands stored in
// another type than the computing one are copied converted.
#include <algorithm>
#include <complex>

#include "backends/cpu/kernels/convert_isa.h"
#include "backends/cpu/kernels/dot.h"
#include "backends/cpu/kernels/dot_pairs_isa.h"
#include "backends/cpu/kernels/dot_stack_isa.h"
#include "backends/cpu/kernels/dot_types.h"
#include "backends/cpu/kernels/entries_isa.h"
#include "backends/cpu/kernels/gemm_isa.h"
#include "backends/cpu/kernels/loop_nest.h"
#include "backends/cpu/kernels/processor.h"
#include "backends/cpu/kernels/scratch.h"
#include "spec/base/status.h"

namespace hlocts::kernels::HLOCTS_ISA {
namespace {

constexpr int64_t kSplitDepth = kDeepSum / 2;
constexpr int64_t kSplitOutputs = 4096;

struct OperandLoops {
  LoopNest<1> batch, free, contracting;
};

OperandLoops LoopsOf(const DotOperand& operand) {
  OperandLoops loops;
  auto loop = [&](int64_t d) {
    return LoopDimension<1>{operand.dimensions[d], {operand.strides[d]}};
  };
  for (int64_t d : operand.batch) loops.batch.push_back(loop(d));
  for (int64_t d : operand.contracting) loops.contracting.push_back(loop(d));
  for (int64_t d = 0; d < static_cast<int64_t>(operand.dimensions.size()); ++d) {
    const bool taken = std::count(operand.batch.begin(), operand.batch.end(), d) +
                           std::count(operand.contracting.begin(), operand.contracting.end(), d) > 0;
    if (!taken) loops.free.push_back(loop(d));
  }
  return loops;
}

Sizes SizesOf(const OperandLoops& lhs, const OperandLoops& rhs) {
  return {LoopCount(lhs.batch), LoopCount(lhs.free), LoopCount(rhs.free),
          LoopCount(lhs.contracting)};
}

// The one stride of a group of loops; false if it has none.
bool OneStride(const LoopNest<1>& loops, int64_t& stride) {
  const LoopNest<1> merged = MergedLoops(loops);
  if (merged.size() > 1) return false;
  stride = merged.empty() ? 0 : merged[0].stride[0];
  return true;
}

// Complex numbers as real matrices: (re, im) along the sum on the left; on the right
// {{re, im}, {-im, re}} for each element.
template <typename T>
void ExpandComplexRight(const std::complex<T>* from, int64_t stride, int64_t count, T* even, T* odd) {
  for (int64_t j = 0; j < count; ++j) {
    const std::complex<T> x = from[j * stride];
    even[2 * j] = x.real();
    even[2 * j + 1] = x.imag();
    odd[2 * j] = -x.imag();
    odd[2 * j + 1] = x.real();
  }
}

// One line of an operand into the computing type.
template <typename T>
void CopyLine(PrimitiveType type, const char* from, int64_t stride, int64_t count, T* to) {
  if (IsComplex(type)) {
    PackRun(2 * sizeof(T), from, stride, count, to);
  } else {
    DecodeRun(type, from, stride, count, to);
  }
}

// Copies an operand dense as [batch, contracting, free] or [batch, free, contracting].
template <typename T>
absl::Status CopyOperand(const Parallel& parallel, const DotOperand& operand,
                         const OperandLoops& loops, bool expand, Scratch& to, Matrices& matrices) {
  const bool is_complex = IsComplex(operand.type);
  const int64_t free = LoopCount(loops.free), depth = LoopCount(loops.contracting);
  LoopNest<1> outer = loops.batch;
  // The right operand's rows run along the sum; otherwise whichever has unit stride is innermost.
  const LoopNest<1> free_loops = MergedLoops(loops.free);
  const bool free_inner =
      expand || (!is_complex && !free_loops.empty() && free_loops.back().stride[0] == 1);
  const LoopNest<1>&rows = free_inner ? loops.contracting : loops.free,
             &line = free_inner ? loops.free : loops.contracting;
  outer.insert(outer.end(), rows.begin(), rows.end());
  const LoopNest<1> inner = MergedLoops(line);
  const LoopDimension<1> run = inner.empty() ? LoopDimension<1>{} : inner.back();
  LoopNest<1> middle(inner.begin(), inner.empty() ? inner.end() : inner.end() - 1);
  outer.insert(outer.end(), middle.begin(), middle.end());
  const int64_t width = LoopCount(line), runs = width / run.size, bytes = StorageBytes(operand.type);
  const int64_t parts = is_complex ? (expand ? 4 : 2) : 1;
  const auto copy_run = [&](int64_t number, int64_t offset) {
    const char* from = static_cast<const char*>(operand.data) + offset * bytes;
    const int64_t row = number / runs, at = number % runs * run.size;
    if (expand) {
      T* even = to.As<T>() + row * width * 4 + 2 * at;
      ExpandComplexRight(reinterpret_cast<const std::complex<T>*>(from), run.stride[0], run.size,
                         even, even + 2 * width);
    } else {
      CopyLine(operand.type, from, run.stride[0], run.size,
               to.As<T>() + (row * width + at) * parts);
    }
  };
  parallel.For(LoopCount(outer), run.size * 1.0 + 5, [&](int64_t number, int64_t end) {
    LoopWalk<1> walk(outer, number);
    for (; number < end; ++number, walk.Next()) copy_run(number, walk.offset(0));
  });
  matrices.data = to.As<char>();
  matrices.batch_stride = free * depth * parts;
  matrices.free_stride = free_inner ? 1 : depth * (is_complex ? 2 : 1);
  matrices.depth_stride = free_inner ? free * (is_complex ? 2 : 1) : 1;
  return absl::OkStatus();
}

// An operand in place if its loops and type allow, otherwise copied into `copy`.
template <typename T>
absl::Status Prepare(const Parallel& parallel, const DotOperand& operand, const OperandLoops& loops,
                     bool right, bool native, int64_t elements, std::unique_ptr<Scratch>& copy,
                     Matrices& matrices) {
  const bool is_complex = IsComplex(operand.type);
  if (native && !is_complex && OneStride(loops.batch, matrices.batch_stride) &&
      OneStride(loops.free, matrices.free_stride) &&
      OneStride(loops.contracting, matrices.depth_stride)) {
    matrices.data = static_cast<const char*>(operand.data);
    return absl::OkStatus();
  }
  const int64_t parts = is_complex ? (right ? 4 : 2) : 1;
  const int64_t bytes = elements * parts * static_cast<int64_t>(sizeof(T));
  copy = std::make_unique<Scratch>(bytes);
  if (!copy->ok()) return OutOfScratch(bytes);
  return CopyOperand<T>(parallel, operand, loops, right && is_complex, *copy, matrices);
}

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

// The processor's products of bf16 take subnormals for zeros, whatever the mode.
bool MultipliesPairsOfBf16(const DotRequest& request) {
  return kPairsOfBf16 && request.lhs.type == PrimitiveType::kBF16 &&
         request.rhs.type == PrimitiveType::kBF16 && FlushesSubnormals();
}

template <typename T>
absl::Status Product(const Parallel& parallel, const DotRequest& request, PrimitiveType compute,
                     T* output) {
  const OperandLoops lhs = LoopsOf(request.lhs), rhs = LoopsOf(request.rhs);
  Sizes sizes = SizesOf(lhs, rhs);
  if constexpr (std::is_same_v<T, uint32_t>) {
    if (FitsPairs(request.lhs.type) && FitsPairs(request.rhs.type)) {
      // Sums modulo 2^32, in a type of their own.
      return ProductOfPairs<Pair16>(parallel, request, sizes, reinterpret_cast<Pair16*>(output));
    }
  }
  if constexpr (kPairsOfBf16 && std::is_same_v<T, float>) {
    if (MultipliesPairsOfBf16(request)) {
      return ProductOfPairs<PairBf16>(parallel, request, sizes, output);
    }
  }
  std::unique_ptr<Scratch> lhs_copy, rhs_copy;
  Matrices left, right;
  const auto native = [&](PrimitiveType t) { return StoredAs(t, compute); };
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

template <typename T>
absl::Status DotIn(const Parallel& parallel, const DotRequest& request, PrimitiveType compute) {
  if (StoredAs(request.output_type, compute)) {
    return Product(parallel, request, compute, static_cast<T*>(request.output));
  }
  const Sizes sizes = SizesOf(LoopsOf(request.lhs), LoopsOf(request.rhs));
  const int64_t count = sizes.batch * sizes.m * sizes.n;
  const int64_t bytes = count * static_cast<int64_t>(sizeof(T));
  const Scratch product(bytes);
  if (!product.ok()) return OutOfScratch(bytes);
  HLOCTS_RETURN_IF_ERROR(Product(parallel, request, compute, product.As<T>()));
  const int width = StorageBytes(request.output_type);
  parallel.For(count, 1.0, [&](int64_t begin, int64_t end) {
    EncodeRun(request.output_type, product.As<T>() + begin, end - begin, 1,
              static_cast<char*>(request.output) + begin * width);
  });
  return absl::OkStatus();
}

}  // namespace

absl::Status DotKernel(const Parallel& parallel, const DotRequest& request) {
  const PrimitiveType compute =
      ProductType(request.lhs.type, request.rhs.type, request.output_type);
  switch (compute) {
    case PrimitiveType::kF32: return DotIn<float>(parallel, request, compute);
    case PrimitiveType::kF64: return DotIn<double>(parallel, request, compute);
    case PrimitiveType::kU32: return DotIn<uint32_t>(parallel, request, compute);
    default: return DotIn<uint64_t>(parallel, request, compute);
  }
}

}  // namespace hlocts::kernels::HLOCTS_ISA
