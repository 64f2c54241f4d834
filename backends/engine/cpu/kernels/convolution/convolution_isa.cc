// SPDX-License-Identifier: Apache-2.0
// Direct convolution. Input pixels are read in place where features are adjacent and stored in the
// computing type; otherwise the input is copied so. Weights are packed once. Padding, dilation and
// holes are pointers to a row of zeros.
#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

#include "backends/engine/cpu/kernels/convolution/convolution.h"
#include "backends/engine/cpu/kernels/convolution/convolution_pack_isa.h"
#include "backends/engine/cpu/kernels/convolution/convolution_pixels_isa.h"
#include "backends/engine/cpu/kernels/convolution/convolution_rows_isa.h"
#include "backends/engine/cpu/kernels/gemm/dot_pairs_isa.h"
#include "backends/engine/cpu/kernels/gemm/dot_types.h"
#include "backends/engine/cpu/kernels/runtime/convert_isa.h"
#include "backends/engine/cpu/kernels/runtime/division_isa.h"
#include "backends/engine/cpu/kernels/runtime/entries_isa.h"
#include "backends/engine/cpu/kernels/runtime/narrower_tables_isa.h"
#include "backends/engine/cpu/kernels/runtime/scratch.h"
#include "spec/base/status.h"

namespace hlocts::kernels::HLOCTS_ISA {
namespace {

constexpr int64_t kTilesPerBlock = 8;  // that share one pass over a panel of weights
constexpr int64_t kTapsPerBlock = 2048;

template <typename T>
ConvolutionPlan<T> PlanOf(const ConvolutionRequest& request, PrimitiveType compute) {
  ConvolutionPlan<T> plan = {request};
  const bool by_batch = request.batch_groups > 1;
  plan.groups = request.feature_groups * request.batch_groups;
  plan.batch = request.batch / request.batch_groups;
  plan.parts = IsComplex(request.input_type) ? 2 : 1;
  plan.channels = request.kernel_inputs * plan.parts / kFeaturesAtOnce<T>;
  plan.features = request.output_features / plan.groups * plan.parts;
  plan.pixels = plan.batch;
  plan.taps = 1;
  for (const ConvolutionDimension& d : request.spatial) {
    plan.pixels *= d.output_size;
    plan.taps *= d.kernel_size;
  }
  plan.depthwise = request.kernel_inputs == 1 && plan.features == 1 && !by_batch && plan.groups > 1;
  plan.panels = CeilDiv(plan.features, kTileColumns<T>);
  plan.direct_output = StoredAs(request.output_type, compute) &&
                       (request.output_feature_stride == 1 || request.output_features == 1);
  return plan;
}

// Stores `count` parts of one pixel, from part `first` of all features on.
template <typename T>
void StorePixel(const ConvolutionPlan<T>& plan, int64_t pixel_offset, int64_t first, int64_t count,
                const SumOf<T>* from) {
  const ConvolutionRequest& request = plan.request;
  const int width = StorageBytes(request.output_type);
  const int64_t feature = first / plan.parts;
  char* to = static_cast<char*>(request.output) +
             (pixel_offset + feature * request.output_feature_stride) * width;
  if (plan.parts == 1) {
    return EncodeRun(request.output_type, from, count, request.output_feature_stride, to);
  }
  for (int64_t j = 0; j < count / 2; ++j) {
    __builtin_memcpy(to + j * request.output_feature_stride * width, from + 2 * j, width);
  }
}

// A tile's pixels under its last tap, which no tile before it has read.
template <typename T>
void FetchPixels(const T* const* pixels, int64_t channels) {
  constexpr int64_t kLine = Ahead::kLine / static_cast<int64_t>(sizeof(T));
  for (int i = 0; i < kPixels; ++i) {
    for (int64_t c = 0; c < channels; c += kLine) __builtin_prefetch(pixels[i] + c, 0, 2);
  }
}

template <typename T>
void RunPanel(const ConvolutionPlan<T>& plan, const PixelBlock<T>& block, int64_t group,
              int64_t panel) {
  constexpr int64_t kWidth = kTileColumns<T>;
  const int64_t in_group = panel * kWidth, first = group * plan.features + in_group;
  const int64_t count = std::min(kWidth, plan.features - in_group);
  const T* weights =
      plan.weights + (group * plan.panels + panel) * plan.taps * plan.channels * kWidth;
  alignas(64) SumOf<T> tile[kPixels * kWidth];
  const bool direct = plan.direct_output && count == kWidth;
  for (int64_t i = 0; i < block.count; i += kPixels) {
    const int pixels = static_cast<int>(std::min<int64_t>(kPixels, block.count - i));
    SumOf<T>* outputs[kPixels];
    for (int p = 0; p < pixels; ++p) {
      outputs[p] = direct ? static_cast<SumOf<T>*>(plan.request.output) +
                                block.outputs[i + p] * plan.parts + first
                          : tile + p * kWidth;
    }
    if (panel == 0 && i + 2 * kPixels <= block.count) {
      FetchPixels(block.rows.data() + (i + 2 * kPixels) * plan.taps - kPixels, plan.channels);
    }
    RunConvolutionTile<T>(pixels, plan.taps, plan.channels, block.rows.data() + i * plan.taps,
                          weights, outputs);
    for (int p = 0; p < pixels && !direct; ++p) {
      StorePixel<T>(plan, block.outputs[i + p], first, count, tile + p * kWidth);
    }
  }
}

template <typename T>
void RunDepthwise(const ConvolutionPlan<T>& plan, const PixelBlock<T>& block, T* line) {
  for (int64_t i = 0; i < block.count; ++i) {
    const T* const* rows = block.rows.data() + i / kPixels * kPixels * plan.taps + i % kPixels;
    T* output = plan.direct_output ? static_cast<T*>(plan.request.output) + block.outputs[i] : line;
    DepthwisePixel(plan.taps, plan.groups, rows, plan.weights, output);
    if (!plan.direct_output) StorePixel<T>(plan, block.outputs[i], 0, plan.groups, line);
  }
}

template <typename T>
void RunBlocks(const Parallel& parallel, const ConvolutionPlan<T>& plan) {
  const int64_t tiles = std::clamp<int64_t>(kTapsPerBlock / plan.taps, 1, kTilesPerBlock);
  const int64_t size = tiles * kPixels, blocks = CeilDiv(plan.pixels, size);
  const int64_t groups = plan.depthwise ? 1 : plan.groups;
  const double work = static_cast<double>(plan.taps) * plan.channels *
                      (plan.depthwise ? plan.groups : plan.panels * kTileColumns<T>);
  const double cost = size * (work * sizeof(T) / kVectorBytes * 0.3 + 3 * plan.taps + 20);
  parallel.For(blocks * groups, cost, [&](int64_t unit, int64_t end) {
    PixelBlock<T> block;
    std::vector<T> line(plan.depthwise ? plan.groups : 0);
    for (; unit < end; ++unit) {
      const int64_t group = unit / blocks, first = unit % blocks * size;
      block.Fill(plan, first, std::min(size, plan.pixels - first), group * plan.input_group);
      if constexpr (kFeaturesAtOnce<T> == 1) {
        if (plan.depthwise) {
          RunDepthwise(plan, block, line.data());
          continue;
        }
      }
      for (int64_t panel = 0; panel < plan.panels; ++panel) RunPanel(plan, block, group, panel);
    }
  });
}

template <typename T>
absl::Status Run(const Parallel& parallel, const ConvolutionRequest& request,
                 PrimitiveType compute) {
  ConvolutionPlan<T> plan = PlanOf<T>(request, compute);
  const int64_t bytes = std::max(request.input_features * plan.parts, plan.channels) *
                        static_cast<int64_t>(sizeof(T));
  const Scratch zeros(bytes);
  if (!zeros.ok()) return OutOfScratch(bytes);
  std::fill(zeros.As<char>(), zeros.As<char>() + bytes, 0);
  plan.zeros = zeros.As<T>();
  std::unique_ptr<Scratch> input, weights;
  HLOCTS_RETURN_IF_ERROR(PrepareInput(parallel, compute, plan, input));
  HLOCTS_RETURN_IF_ERROR(PackWeights(parallel, compute, plan, weights));
  RunBlocks(parallel, plan);
  return absl::OkStatus();
}

}  // namespace

#if defined(__AVX512BF16__)

// Products of pairs of bf16; all others are those of AVX-512.
absl::Status ConvolutionKernel(const Parallel& parallel, const ConvolutionRequest& request) {
  const PrimitiveType compute =
      ProductType(request.input_type, request.kernel_type, request.output_type);
  if ((IsFloat(compute) && PrefersRows(request, compute)) || request.kernel_inputs % 2 != 0 ||
      !MultipliesPairsOfBf16(request.input_type, request.kernel_type)) {
    return hlocts_kernels_avx512()->convolution(parallel, request);
  }
  return Run<PairBf16>(parallel, request, compute);
}

#else

absl::Status ConvolutionKernel(const Parallel& parallel, const ConvolutionRequest& request) {
  const PrimitiveType compute =
      ProductType(request.input_type, request.kernel_type, request.output_type);
  if (IsFloat(compute) && PrefersRows(request, compute)) {
    return compute == PrimitiveType::kF32 ? ConvolutionByRows<float>(parallel, request)
                                          : ConvolutionByRows<double>(parallel, request);
  }
  switch (compute) {
    case PrimitiveType::kF32:
      return Run<float>(parallel, request, compute);
    case PrimitiveType::kF64:
      return Run<double>(parallel, request, compute);
#if defined(__AVX512F__)
    default:
      return hlocts_kernels_avx2()->convolution(parallel, request);
#else
    case PrimitiveType::kU32:
      return Run<uint32_t>(parallel, request, compute);
    default:
      return Run<uint64_t>(parallel, request, compute);
#endif
  }
}

#endif

}  // namespace hlocts::kernels::HLOCTS_ISA
