// SPDX-License-Identifier: Apache-2.0
// Where the pixels of a convolution read and write. Only for *_isa.cc.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_CONVOLUTION_CONVOLUTION_PIXELS_ISA_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_CONVOLUTION_CONVOLUTION_PIXELS_ISA_H_

#include <algorithm>
#include <vector>

#include "backends/engine/cpu/kernels/convolution/convolution.h"
#include "backends/engine/cpu/kernels/convolution/convolution_tile_isa.h"

namespace hlocts::kernels::HLOCTS_ISA {

// Features of the input in one T.
template <typename T>
inline constexpr int64_t kFeaturesAtOnce = std::is_same_v<T, PairBf16> ? 2 : 1;

// The request in the computing type, complex numbers as pairs of real features.
template <typename T>
struct ConvolutionPlan {
  const ConvolutionRequest& request;
  int64_t groups, batch;       // batch: of the output
  int64_t parts;               // 2 for complex
  int64_t channels, features;  // of one group, in parts; channels in T
  int64_t pixels, taps;
  bool depthwise;
  const T* input = nullptr;  // features adjacent
  int64_t input_batch = 0, input_group = 0;
  absl::InlinedVector<int64_t, 3> input_strides;
  const T* weights = nullptr;  // depthwise [tap][channel]; else [group][panel][tap][c][lane]
  int64_t panels;              // per group
  const T* zeros = nullptr;
  bool direct_output;  // the computing type, features adjacent
};

// Output pixels in the order of their numbers, a run of one row at a time.
template <typename T>
class PixelWalk {
 public:
  PixelWalk(const ConvolutionPlan<T>& plan, int64_t pixel) : plan_(plan) {
    const auto& spatial = plan.request.spatial;
    index_.resize(spatial.size());
    for (size_t d = spatial.size(); d-- > 0;) {
      index_[d] = pixel % spatial[d].output_size;
      pixel /= spatial[d].output_size;
    }
    batch_ = pixel;
    if (!spatial.empty()) inner_ = spatial.back();
    inner_stride_ = spatial.empty() ? 0 : plan.input_strides.back();
    FindOuterOffsets();
  }

  int64_t LeftInRow() const { return inner_.output_size - column(); }

  void Outputs(int64_t count, int64_t* to) const {
    int64_t offset = batch_ * plan_.request.output_batch_stride;
    for (size_t d = 0; d < index_.size(); ++d) {
      offset += index_[d] * plan_.request.spatial[d].output_stride;
    }
    for (int64_t i = 0; i < count; ++i) to[i] = offset + i * inner_.output_stride;
  }

  // rows[t * kPixels + i] = the input pixel under tap t of output pixel i from here on, channel
  // `shift`; a row of zeros if there is none.
  void Rows(int64_t shift, int64_t count, const T** rows) const {
    const T* base = plan_.input + batch_ * plan_.input_batch + shift;
    for (const int64_t outer : outer_offsets_) {
      for (int64_t k = 0; k < inner_.kernel_size; ++k, rows += kPixels) {
        if (outer == kOutside) {
          std::fill(rows, rows + count, plan_.zeros);
        } else {
          TapRows(base + outer, k, count, rows);
        }
      }
    }
  }

  // Past `count` pixels, at most those left in the row.
  void Skip(int64_t count) {
    if (index_.empty()) {
      batch_ += count;
      return;
    }
    index_.back() += count;
    if (index_.back() < inner_.output_size) return;
    index_.back() = 0;
    bool wraps = true;
    for (size_t d = index_.size() - 1; wraps && d-- > 0;) {
      wraps = ++index_[d] == plan_.request.spatial[d].output_size;
      if (wraps) index_[d] = 0;
    }
    if (wraps) ++batch_;
    FindOuterOffsets();
  }

 private:
  static constexpr int64_t kOutside = INT64_MIN;

  int64_t column() const { return index_.empty() ? 0 : index_.back(); }

  // Whether place `at` of the dilated input is an element of the input, whose number it becomes.
  static bool Inside(const ConvolutionDimension& s, int64_t& at) {
    if (at < 0) return false;
    if (s.base_dilation != 1) {  // divisions are dear
      if (at % s.base_dilation != 0) return false;
      at /= s.base_dilation;
    }
    return at < s.input_size;
  }

  void TapRows(const T* base, int64_t k, int64_t count, const T** rows) const {
    int64_t at = column() * inner_.window_stride + k * inner_.window_dilation - inner_.padding_low;
    for (int64_t i = 0; i < count; ++i, at += inner_.window_stride) {
      int64_t place = at;
      rows[i] = Inside(inner_, place) ? base + place * inner_stride_ : plan_.zeros;
    }
  }

  // Sums over all dimensions but the innermost, for each of their taps.
  void FindOuterOffsets() {
    outer_offsets_.assign(1, 0);
    for (size_t d = 0; d + 1 < index_.size(); ++d) {
      const ConvolutionDimension& s = plan_.request.spatial[d];
      next_.clear();
      for (const int64_t sum : outer_offsets_) {
        for (int64_t k = 0; k < s.kernel_size; ++k) {
          int64_t at = index_[d] * s.window_stride + k * s.window_dilation - s.padding_low;
          const bool inside = sum != kOutside && Inside(s, at);
          next_.push_back(inside ? sum + at * plan_.input_strides[d] : kOutside);
        }
      }
      outer_offsets_.swap(next_);
    }
  }

  const ConvolutionPlan<T>& plan_;
  ConvolutionDimension inner_;  // without spatial dimensions: one tap, at the pixel itself
  int64_t inner_stride_ = 0, batch_ = 0;
  absl::InlinedVector<int64_t, 3> index_;
  std::vector<int64_t> outer_offsets_, next_;
};

// A block of neighbouring output pixels: where each reads (per tile [tap][pixel]) and writes.
template <typename T>
struct PixelBlock {
  std::vector<const T*> rows;
  std::vector<int64_t> outputs;
  int64_t count = 0;

  void Fill(const ConvolutionPlan<T>& plan, int64_t first, int64_t pixels, int64_t shift) {
    count = pixels;
    const int64_t tile = kPixels * plan.taps;
    rows.resize((pixels + kPixels - 1) / kPixels * tile);
    outputs.resize(pixels);
    PixelWalk<T> walk(plan, first);
    for (int64_t i = 0; i < pixels;) {
      const int64_t run = std::min({pixels - i, walk.LeftInRow(), kPixels - i % kPixels});
      walk.Rows(shift, run, rows.data() + i / kPixels * tile + i % kPixels);
      walk.Outputs(run, outputs.data() + i);
      walk.Skip(run);
      i += run;
    }
  }
};

}  // namespace hlocts::kernels::HLOCTS_ISA

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_CONVOLUTION_CONVOLUTION_PIXELS_ISA_H_
