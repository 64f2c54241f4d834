// SPDX-License-Identifier: Apache-2.0
#include "backends/selftest/legal_noise/noise_fast_convolution.h"

#include "backends/selftest/legal_noise/noise_transform.h"

namespace hlocts::backends {
namespace {

constexpr int64_t kPointsMax = 1 << 16;   // points of one transform
constexpr int64_t kNumbersMax = 1 << 18;  // points of all transforms together

// The box of a circular correlation, which is so large that no result contains wrapped elements.
struct Box {
  std::vector<int64_t> sizes, padded;
  int64_t points = 1;
};

Box BoxOf(const reference::ConvolutionGeometry& geometry, const Window& window) {
  Box box;
  for (size_t d = 0; d < geometry.base_sizes.size(); ++d) {
    const WindowDimension& w = window.dimensions[d];
    const int64_t base = std::max<int64_t>((geometry.base_sizes[d] - 1) * w.base_dilation + 1, 0);
    const int64_t padded = std::max<int64_t>(base + w.padding_low + w.padding_high, 1);
    const int64_t kernel = std::max<int64_t>((w.size - 1) * w.window_dilation + 1, 1);
    int64_t size = 1;
    while (size < std::max(padded, kernel) && size <= kPointsMax) size *= 2;
    box.padded.push_back(padded);
    box.sizes.push_back(size);
    box.points = std::min(box.points * size, 2 * kPointsMax);
  }
  return box;
}

// Returns for each index of an array with these sizes its position in the box, in row-major order.
// In each dimension a position is `first` + index * `step`, or -1 if negative padding removes it.
std::vector<int64_t> PlacesOf(const Box& box, const std::vector<int64_t>& sizes,
                              const Window& window, int64_t WindowDimension::*step,
                              int64_t WindowDimension::*first) {
  std::vector<int64_t> places, index(sizes.size(), 0);
  int64_t count = 1;
  for (int64_t size : sizes) count *= size;
  for (int64_t i = 0; i < count; ++i, NextIndex(sizes, absl::MakeSpan(index))) {
    int64_t place = 0;
    bool inside = true;
    for (size_t d = 0; d < index.size(); ++d) {
      const WindowDimension& w = window.dimensions[d];
      const int64_t at = (first == nullptr ? 0 : w.*first) + index[d] * (w.*step);
      inside = inside && at >= 0 && at < box.padded[d];
      place = place * box.sizes[d] + at;
    }
    places.push_back(inside ? place : -1);
  }
  return places;
}

template <typename T>
void TransformBox(const Box& box, bool forward, Line<T>& data) {
  for (size_t d = 0; d < box.sizes.size(); ++d) {
    TransformAlong(box.sizes, static_cast<int64_t>(d), forward, data);
  }
}

// Returns the spectrum of a box that has numbers[i * stride] at places[i].
template <typename T>
Line<T> Spectrum(const Box& box, const std::vector<int64_t>& places, const T* numbers,
                 int64_t stride) {
  Line<T> data(box.points);
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i] >= 0) data[places[i]] = numbers[static_cast<int64_t>(i) * stride];
  }
  TransformBox(box, true, data);
  return data;
}

template <typename T>
class FastConvolver {
 public:
  FastConvolver(const reference::ConvolutionGeometry& geometry, const Window& window)
      : g_(geometry), box_(BoxOf(geometry, window)) {
    std::vector<int64_t> tap_sizes;
    for (const WindowDimension& w : window.dimensions) tap_sizes.push_back(w.size);
    using W = WindowDimension;
    if (!Fits()) return;
    bases_ = PlacesOf(box_, g_.base_sizes, window, &W::base_dilation, &W::padding_low);
    taps_ = PlacesOf(box_, tap_sizes, window, &W::window_dilation, nullptr);
    positions_ = PlacesOf(box_, g_.positions, window, &W::stride, nullptr);
  }

  bool Fits() const {
    return box_.points <= kPointsMax && box_.points * (g_.lhs_features + Kernels()) <= kNumbersMax;
  }

  void Run(const T* lhs, const T* rhs, T* out) {
    for (int64_t k = 0; k < Kernels(); ++k) {
      kernels_.push_back(Spectrum(box_, taps_, rhs + k, Kernels()));
    }
    const int64_t row_size = static_cast<int64_t>(bases_.size()) * g_.lhs_features;
    const int64_t groups = g_.output_features / g_.output_features_per_batch_group;
    for (int64_t row = 0; row < g_.batch * groups; ++row) {
      images_.clear();
      for (int64_t i = 0; i < g_.lhs_features; ++i) {
        images_.push_back(Spectrum(box_, bases_, lhs + row * row_size + i, g_.lhs_features));
      }
      const int64_t first = row / g_.batch * g_.output_features_per_batch_group;
      for (int64_t z = 0; z < g_.output_features_per_batch_group; ++z) {
        OneFeature(row % g_.batch, first + z, out);
      }
    }
  }

 private:
  int64_t Kernels() const { return g_.input_features * g_.output_features; }

  void OneFeature(int64_t batch, int64_t z, T* out) const {
    const int64_t first = z / g_.output_features_per_feature_group * g_.input_features;
    Line<T> sum(box_.points);
    for (int64_t i = 0; i < g_.input_features; ++i) {
      const Line<T>&x = images_[first + i], &k = kernels_[i * g_.output_features + z];
      for (int64_t p = 0; p < box_.points; ++p) sum[p] += Times(x[p], std::conj(k[p]));
    }
    TransformBox(box_, false, sum);
    const int64_t count = static_cast<int64_t>(positions_.size());
    for (int64_t p = 0; p < count; ++p) {
      out[(batch * count + p) * g_.output_features + z] = sum[positions_[p]].real();
    }
  }

  const reference::ConvolutionGeometry& g_;
  const Box box_;
  std::vector<int64_t> bases_, taps_, positions_;  // offsets, and positions in the box
  std::vector<Line<T>> kernels_, images_;          // spectra
};

}  // namespace

template <typename T>
bool FastConvolution(const reference::ConvolutionGeometry& geometry, const Window& window,
                     const std::vector<T>& lhs, const std::vector<T>& rhs, std::vector<T>& out) {
  if (window.dimensions.size() != geometry.base_sizes.size()) return false;
  FastConvolver<T> convolver(geometry, window);
  if (!convolver.Fits()) return false;
  convolver.Run(lhs.data(), rhs.data(), out.data());
  return true;
}

template bool FastConvolution<float>(const reference::ConvolutionGeometry&, const Window&,
                                     const std::vector<float>&, const std::vector<float>&,
                                     std::vector<float>&);
template bool FastConvolution<double>(const reference::ConvolutionGeometry&, const Window&,
                                      const std::vector<double>&, const std::vector<double>&,
                                      std::vector<double>&);

}  // namespace hlocts::backends
