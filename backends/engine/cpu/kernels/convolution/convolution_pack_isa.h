// SPDX-License-Identifier: Apache-2.0
// The copies that a convolution by pixels makes: of the input, where features are not adjacent or
// not of the computing type, and of the weights. Only for *_isa.cc.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_CONVOLUTION_CONVOLUTION_PACK_ISA_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_CONVOLUTION_CONVOLUTION_PACK_ISA_H_

#include <algorithm>
#include <memory>
#include <vector>

#include "backends/engine/cpu/kernels/convolution/convolution_pixels_isa.h"
#include "backends/engine/cpu/kernels/convolution/convolution_taps_isa.h"
#include "backends/engine/cpu/kernels/gemm/dot_types.h"
#include "backends/engine/cpu/kernels/runtime/convert_isa.h"
#include "backends/engine/cpu/kernels/runtime/entries_isa.h"
#include "backends/engine/cpu/kernels/runtime/loop_nest.h"
#include "backends/engine/cpu/kernels/runtime/scratch.h"
#include "backends/engine/cpu/kernels/transpose/transpose.h"
#include "spec/base/status.h"

namespace hlocts::kernels::HLOCTS_ISA {

// `row` elements of the source, which lie apart there, side by side in the copy, for every step of
// `loops` (source, copy) and of `neighbours`, which are adjacent in the source: these change places
// with the row a square at a time.
struct RowCopies {
  PrimitiveType type;
  bool stored;  // as the computing type
  int64_t apart;
  LoopNest<2> loops;
  LoopDimension<2> neighbours = {};

  // Takes the neighbours out of the loops, if there are any and the kernel can turn them.
  void FindNeighbours() {
    if (!stored || apart == 1) return;
    const auto found = std::find_if(loops.begin(), loops.end(), [](const LoopDimension<2>& loop) {
      return loop.stride[0] == 1 && loop.size > 1;
    });
    if (found == loops.end()) return;
    neighbours = *found;
    loops.erase(found);
  }

  // One step of the loops.
  template <typename T>
  void Copy(const Parallel& parallel, const void* source, int64_t offset, int64_t row,
            T* to) const {
    const char* from = static_cast<const char*>(source) + offset * StorageBytes(type);
    if (neighbours.size == 1) return DecodeRun(type, from, apart, row, to);
    const TransposeRequest request = {
        static_cast<int>(sizeof(T)), row, neighbours.size, from, apart, to, neighbours.stride[1]};
    TransposeKernel(parallel, request).IgnoreError();  // it has no way to fail
  }
};

// Whether input pixels are read where they stand.
template <typename T>
bool ReadsInPlace(const ConvolutionRequest& request, PrimitiveType compute) {
  if (request.input_feature_stride != 1 && request.input_features != 1) return false;
  if constexpr (!std::is_same_v<T, PairBf16>) return StoredAs(request.input_type, compute);
  bool even = request.input_batch_stride % 2 == 0 &&
              reinterpret_cast<uintptr_t>(request.input) % sizeof(T) == 0;
  for (const ConvolutionDimension& d : request.spatial) even = even && d.input_stride % 2 == 0;
  return even;
}

// Input pixels from where they stand to a dense copy.
template <typename T>
void CopyPixels(const Parallel& parallel, const ConvolutionRequest& request, bool whole,
                const RowCopies& copies, double cost, T* to) {
  constexpr bool kInPairs = kFeaturesAtOnce<T> == 2;
  parallel.For(LoopCount(copies.loops), cost, [&](int64_t step, int64_t end) {
    LoopWalk<2> walk(copies.loops, step);
    for (; step < end; ++step, walk.Next()) {
      T* const pixel = to + walk.offset(1);
      if (!whole) {
        const int width = StorageBytes(request.input_type);
        PackRun(width, static_cast<const char*>(request.input) + walk.offset(0) * width,
                request.input_feature_stride, request.input_features, pixel);
      } else if constexpr (!kInPairs) {
        copies.Copy(parallel, request.input, walk.offset(0), request.input_features, pixel);
      }
    }
  });
}

// The input itself, or a dense copy [batch, spatial..., features].
template <typename T>
absl::Status PrepareInput(const Parallel& parallel, PrimitiveType compute, ConvolutionPlan<T>& plan,
                          std::unique_ptr<Scratch>& copy) {
  const ConvolutionRequest& request = plan.request;
  const auto units = [&](int64_t count) { return count * plan.parts / kFeaturesAtOnce<T>; };
  const int64_t features = units(request.input_features);
  int64_t image = features;
  // Elements are as stored, or decoded.
  const bool whole = plan.parts == 1 && kFeaturesAtOnce<T> != 2;
  const bool in_place = ReadsInPlace<T>(request, compute);
  plan.input_strides.resize(request.spatial.size());
  RowCopies copies = {request.input_type,
                      whole && StoredAs(request.input_type, compute),
                      request.input_feature_stride,
                      {}};
  for (size_t d = request.spatial.size(); d-- > 0;) {
    const ConvolutionDimension& s = request.spatial[d];
    plan.input_strides[d] = in_place ? units(s.input_stride) : image;
    copies.loops.insert(copies.loops.begin(), {s.input_size, {s.input_stride, image}});
    image *= s.input_size;
  }
  copies.loops.insert(copies.loops.begin(), {request.batch, {request.input_batch_stride, image}});
  plan.input_batch = in_place ? units(request.input_batch_stride) : image;
  plan.input_group = request.batch_groups > 1 ? plan.batch * plan.input_batch : plan.channels;
  plan.input = static_cast<const T*>(request.input);
  if (in_place) return absl::OkStatus();
  const int64_t bytes = request.batch * image * static_cast<int64_t>(sizeof(T));
  copy = std::make_unique<Scratch>(bytes);
  if (!copy->ok()) return OutOfScratch(bytes);
  plan.input = copy->As<T>();
  copies.FindNeighbours();
  const double cost = 1.5 * static_cast<double>(features * copies.neighbours.size) + 5;
  CopyPixels(parallel, request, whole, copies, cost, copy->As<T>());
  return absl::OkStatus();
}

// to[j] = weight of part c of the input and part first + j of the output, for j < count: the real
// part of (re, im) * (wr, wi) meets (wr, wi), the imaginary one (-wi, wr).
template <typename T>
void WeightRow(const ConvolutionPlan<T>& plan, int64_t offset, int64_t c, int64_t first,
               int64_t count, T* to) {
  const ConvolutionRequest& request = plan.request;
  offset += c / 2 * request.kernel_input_stride;
  const T* kernel = static_cast<const T*>(request.kernel);
  for (int64_t j = 0; j < count; ++j) {
    const int64_t out = first + j;
    const T* w = kernel + 2 * (offset + out / 2 * request.kernel_output_stride);
    const bool imaginary_in = c % 2 == 1, imaginary_out = out % 2 == 1;
    const T x = w[imaginary_in != imaginary_out];
    to[j] = imaginary_in && !imaginary_out ? static_cast<T>(-x) : x;
  }
}
// to[j] = the weights of the features of pair c of the input.
inline void WeightRow(const ConvolutionPlan<PairBf16>& plan, int64_t offset, int64_t c,
                      int64_t first, int64_t count, PairBf16* to) {
  const ConvolutionRequest& request = plan.request;
  const int64_t stride = request.kernel_output_stride;
  const auto* kernel = static_cast<const uint16_t*>(request.kernel) + offset +
                       2 * c * request.kernel_input_stride + first * stride;
  const uint16_t* next = kernel + request.kernel_input_stride;
  for (int64_t j = 0; j < count; ++j) {
    to[j] =
        static_cast<PairBf16>(kernel[j * stride] | static_cast<uint32_t>(next[j * stride]) << 16);
  }
}

// The lanes of one panel of one group: output features, or their parts, from `first` on.
struct Panel {
  int64_t first, count;
};
template <typename T>
Panel PanelOf(const ConvolutionPlan<T>& plan, int64_t unit) {
  constexpr int64_t kWidth = kTileColumns<T>;
  const int64_t in_group = unit % plan.panels * kWidth;
  return {unit / plan.panels * plan.features + in_group,
          std::min(kWidth, plan.features - in_group)};
}

template <typename T>
void PackPanelsByRows(const Parallel& parallel, const ConvolutionPlan<T>& plan, T* to) {
  constexpr int64_t kWidth = kTileColumns<T>;
  const std::vector<int64_t> offsets = KernelOffsets(plan.request);
  const int64_t rows = plan.taps * plan.channels;
  parallel.For(plan.groups * plan.panels, 30.0 * rows, [&](int64_t unit, int64_t end) {
    for (; unit < end; ++unit) {
      const Panel panel = PanelOf(plan, unit);
      for (int64_t row = 0; row < rows; ++row) {
        T* line = to + (unit * rows + row) * kWidth;
        WeightRow(plan, offsets[row / plan.channels], row % plan.channels, panel.first, panel.count,
                  line);
        std::fill(line + panel.count, line + kWidth, T(0));
      }
    }
  });
}

// From the kernel to a panel [tap][channel][lane], whose last tap of a reversed dimension comes
// first in the kernel: `start` is where its first element goes.
template <typename T>
RowCopies PanelCopies(const ConvolutionPlan<T>& plan, PrimitiveType compute, int64_t& start) {
  const ConvolutionRequest& request = plan.request;
  RowCopies copies = {request.kernel_type,
                      StoredAs(request.kernel_type, compute),
                      request.kernel_output_stride,
                      {}};
  int64_t step = kTileColumns<T>;
  copies.loops = {{plan.channels, {request.kernel_input_stride, step}}};
  step *= plan.channels;
  start = 0;
  for (size_t d = request.spatial.size(); d-- > 0;) {
    const ConvolutionDimension& s = request.spatial[d];
    if (s.reversal) start += (s.kernel_size - 1) * step;
    copies.loops.insert(copies.loops.begin(),
                        {s.kernel_size, {s.kernel_stride, s.reversal ? -step : step}});
    step *= s.kernel_size;
  }
  copies.FindNeighbours();
  return copies;
}

template <typename T>
void PackPanels(const Parallel& parallel, const ConvolutionPlan<T>& plan, PrimitiveType compute,
                T* to) {
  constexpr int64_t kWidth = kTileColumns<T>;
  int64_t start = 0;
  const RowCopies copies = PanelCopies(plan, compute, start);
  const int64_t steps = LoopCount(copies.loops), apart = copies.neighbours.stride[1];
  const double cost = 30.0 * static_cast<double>(copies.neighbours.size);
  parallel.For(plan.groups * plan.panels * steps, cost, [&](int64_t unit, int64_t end) {
    LoopWalk<2> walk(copies.loops, unit % steps);
    for (; unit < end; ++unit, walk.Next()) {  // after the last step of a panel the first again
      const int64_t number = unit / steps;
      const Panel panel = PanelOf(plan, number);
      T* row = to + number * plan.taps * plan.channels * kWidth + start + walk.offset(1);
      copies.Copy(parallel, plan.request.kernel, panel.first * copies.apart + walk.offset(0),
                  panel.count, row);
      for (int64_t i = 0; i < copies.neighbours.size && panel.count < kWidth; ++i) {
        std::fill(row + i * apart + panel.count, row + i * apart + kWidth, T(0));
      }
    }
  });
}

// Weights as they are stored, or decoded.
template <typename T>
void PackDecoded(const Parallel& parallel, const ConvolutionPlan<T>& plan, PrimitiveType compute,
                 T* to) {
  if (!plan.depthwise) return PackPanels(parallel, plan, compute, to);
  const ConvolutionRequest& request = plan.request;
  for (const int64_t offset : KernelOffsets(request)) {
    const char* from = static_cast<const char*>(request.kernel);
    DecodeRun(request.kernel_type, from + offset * StorageBytes(request.kernel_type),
              request.kernel_output_stride, plan.groups, to);
    to += plan.groups;
  }
}

template <typename T>
absl::Status PackWeights(const Parallel& parallel, PrimitiveType compute, ConvolutionPlan<T>& plan,
                         std::unique_ptr<Scratch>& packed) {
  const int64_t elements =
      plan.depthwise ? plan.taps * plan.groups
                     : plan.groups * plan.panels * plan.taps * plan.channels * kTileColumns<T>;
  const int64_t bytes = elements * static_cast<int64_t>(sizeof(T));
  packed = std::make_unique<Scratch>(bytes);
  if (!packed->ok()) return OutOfScratch(bytes);
  T* to = packed->As<T>();
  plan.weights = to;
  if (plan.parts == 2 || kFeaturesAtOnce<T> == 2) {
    PackPanelsByRows(parallel, plan, to);
  } else if constexpr (kFeaturesAtOnce<T> == 1) {
    PackDecoded(parallel, plan, compute, to);
  }
  return absl::OkStatus();
}

}  // namespace hlocts::kernels::HLOCTS_ISA

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_CONVOLUTION_CONVOLUTION_PACK_ISA_H_
