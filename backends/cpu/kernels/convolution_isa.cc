// Direct convolution. Input pixels are read in place where features are adjacent and stored in the
// computing type; otherwise the input is copied so. Weights are packed once. Padding, dilation and
// holes are pointers to a row of zeros.
#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

#include "backends/cpu/kernels/convert_isa.h"
#include "backends/cpu/kernels/convolution.h"
#include "backends/cpu/kernels/convolution_pixels_isa.h"
#include "backends/cpu/kernels/convolution_rows_isa.h"
#include "backends/cpu/kernels/convolution_taps_isa.h"
#include "backends/cpu/kernels/dot_types.h"
#include "backends/cpu/kernels/entries_isa.h"
#include "backends/cpu/kernels/loop_nest.h"
#include "backends/cpu/kernels/scratch.h"
#include "spec/base/status.h"

namespace hlocts::kernels::HLOCTS_ISA {
namespace {

constexpr int64_t kTilesPerBlock = 8;  // that share one pass over a panel of weights
constexpr int64_t kTapsPerBlock = 2048;

int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

template <typename T>
ConvolutionPlan<T> PlanOf(const ConvolutionRequest& request, PrimitiveType compute) {
  ConvolutionPlan<T> plan = {request};
  const bool by_batch = request.batch_groups > 1;
  plan.groups = request.feature_groups * request.batch_groups;
  plan.batch = request.batch / request.batch_groups;
  plan.parts = IsComplex(request.input_type) ? 2 : 1;
  plan.channels = request.kernel_inputs * plan.parts;
  plan.features = request.output_features / plan.groups * plan.parts;
  plan.pixels = plan.batch;
  plan.taps = 1;
  for (const ConvolutionDimension& d : request.spatial) {
    plan.pixels *= d.output_size;
    plan.taps *= d.kernel_size;
  }
  plan.depthwise = plan.channels == 1 && plan.features == 1 && !by_batch && plan.groups > 1;
  plan.panels = CeilDiv(plan.features, kTileColumns<T>);
  plan.direct_output =
      StoredAs(request.output_type, compute) &&
      (request.output_feature_stride == 1 || request.output_features == 1);
  return plan;
}

// The input itself, or a dense copy [batch, spatial..., features].
template <typename T>
absl::Status PrepareInput(const Parallel& parallel, PrimitiveType compute, ConvolutionPlan<T>& plan,
                          std::unique_ptr<Scratch>& copy) {
  const ConvolutionRequest& request = plan.request;
  const int64_t features = request.input_features * plan.parts;
  int64_t image = features;
  const bool in_place = StoredAs(request.input_type, compute) &&
                        (request.input_feature_stride == 1 || request.input_features == 1);
  plan.input_strides.resize(request.spatial.size());
  LoopNest<1> loops = {{request.batch, {request.input_batch_stride}}};
  for (size_t d = request.spatial.size(); d-- > 0;) {
    plan.input_strides[d] = in_place ? request.spatial[d].input_stride * plan.parts : image;
    image *= request.spatial[d].input_size;
  }
  for (const ConvolutionDimension& d : request.spatial) {
    loops.push_back({d.input_size, {d.input_stride}});
  }
  plan.input_batch = in_place ? request.input_batch_stride * plan.parts : image;
  plan.input_group = request.batch_groups > 1 ? plan.batch * plan.input_batch : plan.channels;
  if (in_place) {
    plan.input = static_cast<const T*>(request.input);
    return absl::OkStatus();
  }
  const int64_t bytes = request.batch * image * static_cast<int64_t>(sizeof(T));
  copy = std::make_unique<Scratch>(bytes);
  if (!copy->ok()) return OutOfScratch(bytes);
  T* to = copy->As<T>();
  const int width = StorageBytes(request.input_type);
  parallel.For(LoopCount(loops), 1.5 * features + 5, [&](int64_t pixel, int64_t end) {
    LoopWalk<1> walk(loops, pixel);
    for (; pixel < end; ++pixel, walk.Next()) {
      const char* from = static_cast<const char*>(request.input) + walk.offset(0) * width;
      if (plan.parts == 2) {
        PackRun(width, from, request.input_feature_stride, request.input_features,
                to + pixel * features);
      } else {
        DecodeRun(request.input_type, from, request.input_feature_stride, request.input_features,
                  to + pixel * features);
      }
    }
  });
  plan.input = to;
  return absl::OkStatus();
}

// to[j] = weight of input channel c and output part first + j, for j < count.
template <typename T>
void WeightRow(const ConvolutionPlan<T>& plan, int64_t offset, int64_t c, int64_t first, int64_t count, T* to) {
  const ConvolutionRequest& request = plan.request;
  const int width = StorageBytes(request.kernel_type);
  offset += c / plan.parts * request.kernel_input_stride;
  if (plan.parts == 1) {
    offset += first * request.kernel_output_stride;
    return DecodeRun(request.kernel_type, static_cast<const char*>(request.kernel) + offset * width,
                     request.kernel_output_stride, count, to);
  }
  // (re, im) * (wr, wi): the real part of the input meets (wr, wi), the imaginary one (-wi, wr).
  const T* kernel = static_cast<const T*>(request.kernel);
  for (int64_t j = 0; j < count; ++j) {
    const int64_t out = first + j;
    const T* w = kernel + 2 * (offset + out / 2 * request.kernel_output_stride);
    const bool imaginary_in = c % 2 == 1, imaginary_out = out % 2 == 1;
    const T x = w[imaginary_in != imaginary_out];
    to[j] = imaginary_in && !imaginary_out ? static_cast<T>(-x) : x;
  }
}

template <typename T>
absl::Status PackWeights(const Parallel& parallel, ConvolutionPlan<T>& plan, std::unique_ptr<Scratch>& packed) {
  const std::vector<int64_t> offsets = KernelOffsets(plan.request);
  constexpr int64_t kWidth = kTileColumns<T>;
  const int64_t rows = plan.taps * plan.channels;
  const int64_t elements =
      plan.depthwise ? plan.taps * plan.groups : plan.groups * plan.panels * rows * kWidth;
  const int64_t bytes = elements * static_cast<int64_t>(sizeof(T));
  packed = std::make_unique<Scratch>(bytes);
  if (!packed->ok()) return OutOfScratch(bytes);
  T* to = packed->As<T>();
  plan.weights = to;
  if (plan.depthwise) {
    for (int64_t t = 0; t < plan.taps; ++t) {
      WeightRow(plan, offsets[t], 0, 0, plan.groups, to + t * plan.groups);
    }
    return absl::OkStatus();
  }
  parallel.For(plan.groups * plan.panels, 30.0 * rows, [&](int64_t unit, int64_t end) {
    for (; unit < end; ++unit) {
      const int64_t group = unit / plan.panels, first = unit % plan.panels * kWidth;
      const int64_t count = std::min(kWidth, plan.features - first);
      for (int64_t row = 0; row < rows; ++row) {
        T* line = to + (unit * rows + row) * kWidth;
        WeightRow(plan, offsets[row / plan.channels], row % plan.channels,
                  group * plan.features + first, count, line);
        std::fill(line + count, line + kWidth, T(0));
      }
    }
  });
  return absl::OkStatus();
}

// Stores `count` parts of one pixel, from part `first` of all features on.
template <typename T>
void StorePixel(const ConvolutionPlan<T>& plan, int64_t pixel_offset, int64_t first, int64_t count,
                const T* from) {
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
void RunPanel(const ConvolutionPlan<T>& plan, const PixelBlock<T>& block, int64_t group, int64_t panel) {
  constexpr int64_t kWidth = kTileColumns<T>;
  const int64_t in_group = panel * kWidth, first = group * plan.features + in_group;
  const int64_t count = std::min(kWidth, plan.features - in_group);
  const T* weights =
      plan.weights + (group * plan.panels + panel) * plan.taps * plan.channels * kWidth;
  alignas(64) T tile[kPixels * kWidth];
  const bool direct = plan.direct_output && count == kWidth;
  for (int64_t i = 0; i < block.count; i += kPixels) {
    const int pixels = static_cast<int>(std::min<int64_t>(kPixels, block.count - i));
    T* outputs[kPixels];
    for (int p = 0; p < pixels; ++p) {
      outputs[p] = direct ? static_cast<T*>(plan.request.output) +
                                block.outputs[i + p] * plan.parts + first
                          : tile + p * kWidth;
    }
    if (panel == 0 && i + 2 * kPixels <= block.count) {
      FetchPixels(block.rows.data() + (i + 2 * kPixels) * plan.taps - kPixels, plan.channels);
    }
    RunConvolutionTile<T>(pixels, plan.taps, plan.channels, block.rows.data() + i * plan.taps,
                          weights, outputs);
    for (int p = 0; p < pixels && !direct; ++p) {
      StorePixel(plan, block.outputs[i + p], first, count, tile + p * kWidth);
    }
  }
}

template <typename T>
void RunDepthwise(const ConvolutionPlan<T>& plan, const PixelBlock<T>& block, T* line) {
  for (int64_t i = 0; i < block.count; ++i) {
    const T* const* rows = block.rows.data() + i / kPixels * kPixels * plan.taps + i % kPixels;
    T* output = plan.direct_output ? static_cast<T*>(plan.request.output) + block.outputs[i] : line;
    DepthwisePixel(plan.taps, plan.groups, rows, plan.weights, output);
    if (!plan.direct_output) StorePixel(plan, block.outputs[i], 0, plan.groups, line);
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
      if (plan.depthwise) {
        RunDepthwise(plan, block, line.data());
        continue;
      }
      for (int64_t panel = 0; panel < plan.panels; ++panel) RunPanel(plan, block, group, panel);
    }
  });
}

template <typename T>
absl::Status Run(const Parallel& parallel, const ConvolutionRequest& request,
                 PrimitiveType compute) {
  ConvolutionPlan<T> plan = PlanOf<T>(request, compute);
  const int64_t bytes =
      std::max(request.input_features * plan.parts, plan.channels) * static_cast<int64_t>(sizeof(T));
  const Scratch zeros(bytes);
  if (!zeros.ok()) return OutOfScratch(bytes);
  std::fill(zeros.As<char>(), zeros.As<char>() + bytes, 0);
  plan.zeros = zeros.As<T>();
  std::unique_ptr<Scratch> input, weights;
  HLOCTS_RETURN_IF_ERROR(PrepareInput(parallel, compute, plan, input));
  HLOCTS_RETURN_IF_ERROR(PackWeights(parallel, plan, weights));
  RunBlocks(parallel, plan);
  return absl::OkStatus();
}

}  // namespace

absl::Status ConvolutionKernel(const Parallel& parallel, const ConvolutionRequest& request) {
  const PrimitiveType compute =
      ProductType(request.input_type, request.kernel_type, request.output_type);
  if (IsFloat(compute) && PrefersRows(request, compute)) {
    return compute == PrimitiveType::kF32 ? ConvolutionByRows<float>(parallel, request)
                                          : ConvolutionByRows<double>(parallel, request);
  }
  switch (compute) {
    case PrimitiveType::kF32: return Run<float>(parallel, request, compute);
    case PrimitiveType::kF64: return Run<double>(parallel, request, compute);
    case PrimitiveType::kU32: return Run<uint32_t>(parallel, request, compute);
    default: return Run<uint64_t>(parallel, request, compute);
  }
}

}  // namespace hlocts::kernels::HLOCTS_ISA
