// SPDX-License-Identifier: Apache-2.0
// Computes dot by matrix products. The dimensions of each role (batch, free of lhs, free of rhs,
// contracting) must form one strided loop. Otherwise the operand is copied to a layout in which
// they do. The copy also converts operands whose type is not the type of the computation.
#include "backends/engine/cpu/kernels/gemm/dot.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "backends/engine/cpu/kernels/gemm/dot_groups.h"
#include "backends/engine/cpu/kernels/gemm/dot_operand.h"
#include "backends/engine/cpu/kernels/gemm/gemm.h"
#include "backends/engine/cpu/kernels/runtime/checks.h"
#include "backends/engine/cpu/kernels/runtime/convert.h"
#include "backends/engine/cpu/kernels/runtime/scratch.h"

namespace hlocts::kernels {
namespace {

bool IsExact(PrimitiveType type) { return IsInteger(type) || type == PrimitiveType::kPred; }

// Returns the type in which products and sums are computed: f32, f64, u32 or u64, or kInvalid for
// unsupported combinations. Complex numbers are computed in the type of their parts. Integers of 32
// bits or more with a float output are computed in f64.
PrimitiveType ProductType(PrimitiveType lhs, PrimitiveType rhs, PrimitiveType output) {
  const bool is_complex = IsComplex(output);
  if (IsComplex(lhs) != is_complex || IsComplex(rhs) != is_complex) return PrimitiveType::kInvalid;
  if (is_complex)
    return lhs == output && rhs == output ? ComponentType(output) : PrimitiveType::kInvalid;
  for (PrimitiveType type : {lhs, rhs, output}) {
    if (!IsArrayType(type)) return PrimitiveType::kInvalid;
  }
  if (IsExact(lhs) && IsExact(rhs) && IsExact(output)) {
    return BitWidth(output) == 64 ? PrimitiveType::kU64 : PrimitiveType::kU32;
  }
  if (!IsFloat(output)) return PrimitiveType::kInvalid;
  const auto wide = [](PrimitiveType type) { return BitWidth(type) >= (IsExact(type) ? 32 : 64); };
  return wide(lhs) || wide(rhs) || wide(output) ? PrimitiveType::kF64 : PrimitiveType::kF32;
}

// Returns true if elements of `type` can be read and written in place as `compute`: it is the same
// type, an integer of the same width, or complex with such parts.
bool StoredAs(PrimitiveType type, PrimitiveType compute) {
  if (IsFloat(compute)) return ComponentType(type) == compute;
  return IsInteger(type) && BitWidth(type) == BitWidth(compute);
}

absl::Status Check(const DotRequest& request) {
  const DotOperand &lhs = request.lhs, &rhs = request.rhs;
  if (!DotSupported(lhs.type, rhs.type, request.output_type)) {
    return Unsupported("dot of ", PrimitiveTypeName(lhs.type), " and ", PrimitiveTypeName(rhs.type),
                       " to ", PrimitiveTypeName(request.output_type), " is not supported");
  }
  if (lhs.batch.size() != rhs.batch.size() || lhs.contracting.size() != rhs.contracting.size() ||
      lhs.strides.size() != lhs.dimensions.size() || rhs.strides.size() != rhs.dimensions.size()) {
    return InvalidInput("dot: the dimension numbers or strides do not match");
  }
  for (size_t i = 0; i < lhs.batch.size(); ++i) {
    if (lhs.dimensions[lhs.batch[i]] != rhs.dimensions[rhs.batch[i]]) {
      return InvalidInput("dot: batch dimension ", i, " has different sizes in lhs and rhs");
    }
  }
  for (size_t i = 0; i < lhs.contracting.size(); ++i) {
    if (lhs.dimensions[lhs.contracting[i]] != rhs.dimensions[rhs.contracting[i]]) {
      return InvalidInput("dot: contracting dimension ", i, " has different sizes in lhs and rhs");
    }
  }
  return absl::OkStatus();
}

absl::Status OutputCount(const DotRequest& request, int64_t& count) {
  std::vector<int64_t> sizes;
  const auto add = [&](const DotOperand& operand, bool with_batch) {
    for (size_t d = 0; d < operand.dimensions.size(); ++d) {
      const auto in = [&](absl::Span<const int64_t> list) {
        return std::count(list.begin(), list.end(), static_cast<int64_t>(d)) > 0;
      };
      if (in(operand.contracting) || (in(operand.batch) && !with_batch)) continue;
      sizes.push_back(operand.dimensions[d]);
    }
  };
  add(request.lhs, true);
  add(request.rhs, false);
  return CountElements(sizes, count);
}

template <typename T>
GemmArgs<T> ArgsOf(const Sizes& sizes, const Matrices& lhs, const Matrices& rhs, SumOf<T>* output) {
  GemmArgs<T> args;
  args.m = sizes.m;
  args.n = sizes.n;
  args.k = sizes.k;
  args.a = reinterpret_cast<const T*>(lhs.data);
  args.a_row = lhs.free_stride;
  args.a_column = lhs.depth_stride;
  args.b = reinterpret_cast<const T*>(rhs.data);
  args.b_row = rhs.depth_stride;
  args.b_column = rhs.free_stride;
  args.c = output;
  args.c_row = sizes.n;
  return args;
}

// Computes every product of the batch. If products are many and small, each runs on one thread. The
// results are `c_stride` apart and need not be contiguous.
template <typename T>
absl::Status MultiplyAll(const Parallel& parallel, const GemmArgs<T>& first, int64_t count,
                         int64_t a_stride, int64_t b_stride, int64_t c_stride) {
  const auto number = [&](int64_t i) {
    GemmArgs<T> args = first;
    args.a += i * a_stride;
    args.b += i * b_stride;
    args.c += i * c_stride;
    return args;
  };
  const double cost = GemmNanoseconds(first.m, first.n, first.k, sizeof(T));
  if (count < parallel.threads() || cost > 5e6) {
    for (int64_t i = 0; i < count; ++i) HLOCTS_RETURN_IF_ERROR(Gemm(parallel, number(i)));
    return absl::OkStatus();
  }
  std::atomic<bool> failed{false};
  const Parallel one(1);
  parallel.For(count, cost, [&](int64_t i, int64_t end) {
    for (; i < end; ++i) {
      if (!Gemm(one, number(i)).ok()) failed = true;
    }
  });
  return failed ? OutOfScratch(0) : absl::OkStatus();
}

constexpr int64_t kSplitDepth = kDeepSum / 2;
constexpr int64_t kSplitOutputs = 4096;

// Computes long sums of few outputs in parts of a fixed length, then adds the parts.
template <typename T>
absl::Status MultiplySplit(const Parallel& parallel, const GemmArgs<T>& args) {
  const int64_t parts = args.k / kSplitDepth, outputs = args.m * args.n;
  const int64_t bytes = (parts + 1) * outputs * static_cast<int64_t>(sizeof(T));
  const Scratch partial(bytes);
  if (!partial.ok()) return OutOfScratch(bytes);
  GemmArgs<T> part = args;
  part.k = kSplitDepth;
  part.c = partial.As<T>();
  HLOCTS_RETURN_IF_ERROR(MultiplyAll(parallel, part, parts, kSplitDepth * args.a_column,
                                     kSplitDepth * args.b_row, outputs));
  GemmArgs<T> rest = args;
  rest.k = args.k - parts * kSplitDepth;
  rest.a += parts * kSplitDepth * args.a_column;
  rest.b += parts * kSplitDepth * args.b_row;
  rest.c = partial.As<T>() + parts * outputs;
  HLOCTS_RETURN_IF_ERROR(Gemm(parallel, rest));
  std::fill(args.c, args.c + outputs, T(0));
  for (int64_t p = 0; p <= parts; ++p) {
    const T* from = partial.As<T>() + p * outputs;
    for (int64_t i = 0; i < outputs; ++i) args.c[i] += from[i];
  }
  return absl::OkStatus();
}

template <typename T>
absl::Status Multiply(const Parallel& parallel, const Sizes& sizes, const Matrices& lhs,
                      const Matrices& rhs, SumOf<T>* output) {
  const GemmArgs<T> args = ArgsOf<T>(sizes, lhs, rhs, output);
  const int64_t outputs = sizes.m * sizes.n;
  if constexpr (!kIsGroup<T>) {
    if (sizes.batch == 1 && outputs <= kSplitOutputs && sizes.k >= kDeepSum) {
      return MultiplySplit(parallel, args);
    }
  }
  return MultiplyAll(parallel, args, sizes.batch, lhs.batch_stride, rhs.batch_stride, outputs);
}

// Calls product(memory of type T), then converts the elements to the output's type if necessary.
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
  const PrimitiveType type = request.output_type;
  const bool is_bf16 = std::is_same_v<T, float> && type == PrimitiveType::kBF16;
  parallel.For(count, is_bf16 ? 0.1 : 1.0, [&](int64_t begin, int64_t end) {
    const T* from = memory.As<T>() + begin;
    char* to = static_cast<char*>(request.output) + begin * StorageBytes(type);
    if constexpr (std::is_same_v<T, float>) {
      if (is_bf16) return EncodeBf16(from, end - begin, reinterpret_cast<uint16_t*>(to));
    }
    EncodeRun(type, from, end - begin, 1, to);
  });
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
  HLOCTS_RETURN_IF_ERROR(Prepare<T>(parallel, request.lhs, lhs, false, native(request.lhs.type),
                                    sizes.batch * sizes.m * sizes.k, lhs_copy, left));
  HLOCTS_RETURN_IF_ERROR(Prepare<T>(parallel, request.rhs, rhs, true, native(request.rhs.type),
                                    sizes.batch * sizes.n * sizes.k, rhs_copy, right));
  if (IsComplex(request.output_type)) {
    sizes.n *= 2;
    sizes.k *= 2;
  }
  return Multiply<T>(parallel, sizes, left, right, output);
}

// Returns true if f32 represents every sum of these integers exactly. An f32 product takes a sixth
// of the time of a 32-bit integer product.
bool IsExactInF32(const DotRequest& request) {
  if (request.output_type != PrimitiveType::kS32) return false;
  int bits = 0;
  for (const PrimitiveType type : {request.lhs.type, request.rhs.type}) {
    bits += type == PrimitiveType::kPred ? 1 : BitWidth(type) - (IsSigned(type) ? 1 : 0);
  }
  const int64_t depth = LoopCount(LoopsOf(request.lhs).contracting);
  return bits <= 24 && depth <= (int64_t{1} << (24 - bits));
}

template <typename T>
absl::Status DotIn(const Parallel& parallel, const DotRequest& request, PrimitiveType compute) {
  return IntoStored<T>(parallel, request, compute,
                       [&](T* output) { return Product(parallel, request, compute, output); });
}

// The least rows, columns and terms for which forming groups (gemm.h) saves time.
constexpr int64_t kGroupSizeMin = 4, kGroupDepthMin = 16;

bool SizesSuitGroups(const Sizes& sizes) {
  return sizes.m >= kGroupSizeMin && sizes.n >= kGroupSizeMin && sizes.k >= kGroupDepthMin &&
         sizes.k < kDeepSum;
}

// Returns true if all values of the type are 8-bit integers, signed if `with_sign`, else unsigned.
bool FitsQuads(PrimitiveType type, bool with_sign) {
  if (type == PrimitiveType::kPred) return true;
  return IsInteger(type) && BitWidth(type) <= (with_sign && !IsSigned(type) ? 4 : 8) &&
         (with_sign || !IsSigned(type));
}

// Prepares an operand as groups (gemm.h) of elements of type `Element`.
template <typename Element>
absl::Status PrepareGroups(const Parallel& parallel, const DotOperand& operand, const Sizes& sizes,
                           bool right, uint32_t flip, std::unique_ptr<Scratch>& copy,
                           Matrices& matrices) {
  DotOperand bits = operand;
  if (bits.type == PrimitiveType::kBF16) bits.type = PrimitiveType::kU16;
  const OperandLoops loops = LoopsOf(bits);
  const auto contiguous = [](const LoopNest<1>& group) {
    const LoopNest<1> merged = MergedLoops(group);
    return merged.empty() || merged.back().stride[0] == 1;
  };
  const bool native = BitWidth(bits.type) == 8 * sizeof(Element) &&
                      (contiguous(loops.free) || contiguous(loops.contracting));
  const int64_t free = right ? sizes.n : sizes.m;
  HLOCTS_RETURN_IF_ERROR(Prepare<Element>(parallel, bits, loops, right, native,
                                          sizes.batch * free * sizes.k, copy, matrices));
  return MakeGroups(parallel, sizeof(Element), sizes.batch, free, sizes.k, flip, copy, matrices);
}

absl::Status ProductOfPairs(const Parallel& parallel, const DotRequest& request, Sizes sizes,
                            float* output) {
  std::unique_ptr<Scratch> lhs_copy, rhs_copy;
  Matrices left, right;
  HLOCTS_RETURN_IF_ERROR(
      PrepareGroups<uint16_t>(parallel, request.lhs, sizes, false, 0, lhs_copy, left));
  HLOCTS_RETURN_IF_ERROR(
      PrepareGroups<uint16_t>(parallel, request.rhs, sizes, true, 0, rhs_copy, right));
  sizes.k = (sizes.k + 1) / 2;
  return Multiply<PairBf16>(parallel, sizes, left, right, output);
}

// A signed left operand `a` is used as the unsigned a + 128, so sums begin with -128 * (sum of b).
absl::Status ProductOfQuads(const Parallel& parallel, const DotRequest& request, Sizes sizes,
                            uint32_t* output) {
  constexpr QuadInt8 kSigns = 0x80808080;
  const bool flips = IsSigned(request.lhs.type);
  std::unique_ptr<Scratch> lhs_copy, rhs_copy;
  Matrices left, right;
  HLOCTS_RETURN_IF_ERROR(PrepareGroups<uint8_t>(parallel, request.lhs, sizes, false,
                                                flips ? kSigns : 0, lhs_copy, left));
  HLOCTS_RETURN_IF_ERROR(
      PrepareGroups<uint8_t>(parallel, request.rhs, sizes, true, 0, rhs_copy, right));
  sizes.k = (sizes.k + 3) / 4;
  GemmArgs<QuadInt8> args = ArgsOf<QuadInt8>(sizes, left, right, output);
  args.adds = flips;
  if (flips) {
    const std::vector<QuadInt8> halves(sizes.k, kSigns);
    std::vector<uint32_t> sums(sizes.batch * sizes.n);
    const Sizes one = {.batch = sizes.batch, .m = 1, .n = sizes.n, .k = sizes.k};
    const Matrices row = {.data = reinterpret_cast<const char*>(halves.data()), .depth_stride = 1};
    HLOCTS_RETURN_IF_ERROR(Multiply<QuadInt8>(parallel, one, row, right, sums.data()));
    for (uint32_t& x : sums) x = -x;
    for (int64_t r = 0; r < sizes.batch * sizes.m; ++r) {
      std::copy_n(sums.data() + r / sizes.m * sizes.n, sizes.n, output + r * sizes.n);
    }
  }
  return MultiplyAll(parallel, args, sizes.batch, left.batch_stride, right.batch_stride,
                     sizes.m * sizes.n);
}

absl::Status DotInF32(const Parallel& parallel, const DotRequest& request) {
  const Sizes sizes = SizesOf(LoopsOf(request.lhs), LoopsOf(request.rhs));
  if (request.lhs.type != PrimitiveType::kBF16 || request.rhs.type != PrimitiveType::kBF16 ||
      !SizesSuitGroups(sizes) || !MultipliesPairs()) {
    return DotIn<float>(parallel, request, PrimitiveType::kF32);
  }
  return IntoStored<float>(parallel, request, PrimitiveType::kF32, [&](float* output) {
    return ProductOfPairs(parallel, request, sizes, output);
  });
}

absl::Status DotInU32(const Parallel& parallel, const DotRequest& request) {
  const Sizes sizes = SizesOf(LoopsOf(request.lhs), LoopsOf(request.rhs));
  const bool fits = FitsQuads(request.rhs.type, true) &&
                    (FitsQuads(request.lhs.type, true) || FitsQuads(request.lhs.type, false));
  if (fits && SizesSuitGroups(sizes) && MultipliesQuads()) {
    return IntoStored<uint32_t>(parallel, request, PrimitiveType::kU32, [&](uint32_t* output) {
      return ProductOfQuads(parallel, request, sizes, output);
    });
  }
  return IsExactInF32(request) ? DotIn<float>(parallel, request, PrimitiveType::kF32)
                               : DotIn<uint32_t>(parallel, request, PrimitiveType::kU32);
}

}  // namespace

bool DotSupported(PrimitiveType lhs, PrimitiveType rhs, PrimitiveType output) {
  return ProductType(lhs, rhs, output) != PrimitiveType::kInvalid;
}

absl::Status Dot(const Parallel& parallel, const DotRequest& request) {
  HLOCTS_RETURN_IF_ERROR(Check(request));
  int64_t outputs = 0, lhs_count = 0, rhs_count = 0;
  HLOCTS_RETURN_IF_ERROR(OutputCount(request, outputs));
  HLOCTS_RETURN_IF_ERROR(CountElements(request.lhs.dimensions, lhs_count));
  HLOCTS_RETURN_IF_ERROR(CountElements(request.rhs.dimensions, rhs_count));
  if (outputs == 0) return absl::OkStatus();
  if (lhs_count == 0 || rhs_count == 0) {  // empty sums; 0 has zero bits in every type
    if (request.output_type == PrimitiveType::kF8E8M0FNU) {
      return Unsupported("dot: f8e8m0fnu cannot represent an empty sum");
    }
    std::memset(request.output, 0, outputs * StorageBytes(request.output_type));
    return absl::OkStatus();
  }
  const PrimitiveType compute =
      ProductType(request.lhs.type, request.rhs.type, request.output_type);
  switch (compute) {
    case PrimitiveType::kF32:
      return DotInF32(parallel, request);
    case PrimitiveType::kF64:
      return DotIn<double>(parallel, request, compute);
    case PrimitiveType::kU32:
      return DotInU32(parallel, request);
    default:
      return DotIn<uint64_t>(parallel, request, compute);
  }
}

}  // namespace hlocts::kernels
