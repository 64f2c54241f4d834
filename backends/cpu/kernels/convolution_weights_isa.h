// Weights of a convolution in the order in which its tiles read them. Only for *_isa.cc.
#ifndef HLOCTS_BACKENDS_CPU_KERNELS_CONVOLUTION_WEIGHTS_ISA_H_
#define HLOCTS_BACKENDS_CPU_KERNELS_CONVOLUTION_WEIGHTS_ISA_H_

#include <algorithm>
#include <memory>
#include <vector>

#include "backends/cpu/kernels/convert_isa.h"
#include "backends/cpu/kernels/convolution_pixels_isa.h"
#include "backends/cpu/kernels/scratch.h"

namespace hlocts::kernels::HLOCTS_ISA {

// Offset in the kernel of each tap, in window order.
inline std::vector<int64_t> KernelOffsets(const ConvolutionRequest& request, int64_t taps) {
  std::vector<int64_t> offsets(taps, 0);
  int64_t repeat = 1;
  for (size_t d = request.spatial.size(); d-- > 0;) {
    const ConvolutionDimension& s = request.spatial[d];
    for (int64_t t = 0; t < taps; ++t) {
      const int64_t k = t / repeat % s.kernel_size;
      offsets[t] += (s.reversal ? s.kernel_size - 1 - k : k) * s.kernel_stride;
    }
    repeat *= s.kernel_size;
  }
  return offsets;
}

// to[j] = weight of input channel c and output part first + j, for j < count.
template <typename T>
void WeightRow(const ConvolutionPlan<T>& plan, int64_t offset, int64_t c, int64_t first,
               int64_t count, T* to) {
  const ConvolutionRequest& request = plan.request;
  const int width = StorageBytes(request.kernel_type);
  offset += c * kFeaturesAtOnce<T> / plan.parts * request.kernel_input_stride;
  if constexpr (std::is_same_v<T, PairBf16>) {
    const int64_t stride = request.kernel_output_stride;
    const auto* kernel = static_cast<const uint16_t*>(request.kernel) + offset + first * stride;
    const uint16_t* next = kernel + request.kernel_input_stride;
    for (int64_t j = 0; j < count; ++j) {
      to[j] = static_cast<T>(kernel[j * stride] | static_cast<uint32_t>(next[j * stride]) << 16);
    }
    return;
  }
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
absl::Status PackWeights(const Parallel& parallel, ConvolutionPlan<T>& plan,
                         std::unique_ptr<Scratch>& packed) {
  const std::vector<int64_t> offsets = KernelOffsets(plan.request, plan.taps);
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

}  // namespace hlocts::kernels::HLOCTS_ISA

#endif  // HLOCTS_BACKENDS_CPU_KERNELS_CONVOLUTION_WEIGHTS_ISA_H_
