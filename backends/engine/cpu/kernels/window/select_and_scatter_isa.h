// SPDX-License-Identifier: Apache-2.0
// The windows of select-and-scatter, a row of them along the last windowed dimension at a time.
// Only for *_isa.cc.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_WINDOW_SELECT_AND_SCATTER_ISA_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_WINDOW_SELECT_AND_SCATTER_ISA_H_

#include <algorithm>
#include <iterator>
#include <vector>

#include "backends/engine/cpu/kernels/runtime/vector_isa.h"
#include "backends/engine/cpu/kernels/window/window.h"

namespace hlocts::kernels::HLOCTS_ISA {

struct Span {
  int64_t begin = 0, end = 0;
  bool operator==(const Span&) const = default;
};

// Neighbours along a row whose windows are cut off alike.
struct Segment {
  Span places, taps;
};

// Dimensions without a window in front are parts by themselves, behind they are `inner` adjacent
// elements.
struct ScatterWindows {
  absl::InlinedVector<WindowDimensionSpec, 4> dimensions;  // two or more, with a window or without
  absl::InlinedVector<int64_t, 4> strides;                 // of the operand
  int64_t parts = 1, inner = 1;
  int64_t inputs = 1;           // elements of a part
  int64_t outputs = 1;          // places of windows of a part, each with `inner` windows
  int64_t row = 1, stride = 1;  // of those a row's, and how many elements lie between two
  bool tiles = true;            // with inner > 1: each element lies under one window exactly
  std::vector<Segment> segments;
};

// The taps of the window at `place` that lie on elements.
inline Span TapsOf(const WindowDimensionSpec& w, int64_t place) {
  const int64_t start = place * w.stride - w.padding_low;
  const int64_t begin = std::clamp<int64_t>(-start, 0, w.size);
  return {begin, std::clamp<int64_t>(w.input_size - start, begin, w.size)};
}

inline bool HasNoWindow(const WindowDimensionSpec& w) {
  return w.size == 1 && w.stride == 1 && w.padding_low == 0 && w.input_size == w.output_size;
}

inline bool Tiles(const WindowDimensionSpec& w) {
  return w.stride == w.size && w.padding_low >= 0 &&
         w.output_size * w.stride - w.padding_low >= w.input_size;
}

inline std::vector<Segment> SegmentsOf(const WindowDimensionSpec& w) {
  std::vector<Segment> segments;
  for (int64_t x = 0; x < w.output_size; ++x) {
    const Span taps = TapsOf(w, x);
    if (segments.empty() || !(segments.back().taps == taps)) segments.push_back({{x, x}, taps});
    segments.back().places.end = x + 1;
  }
  return segments;
}

inline ScatterWindows ScatterWindowsOf(const SelectAndScatterRequest& request) {
  ScatterWindows w;
  size_t first = 0, last = request.dimensions.size();
  while (last > 0 && HasNoWindow(request.dimensions[last - 1])) {
    w.inner *= request.dimensions[--last].input_size;
  }
  while (first < last && HasNoWindow(request.dimensions[first])) {
    w.parts *= request.dimensions[first++].input_size;
  }
  w.dimensions.resize(std::max<int64_t>(0, 2 - static_cast<int64_t>(last - first)));
  w.dimensions.insert(w.dimensions.end(), request.dimensions.begin() + first,
                      request.dimensions.begin() + last);
  w.strides.resize(w.dimensions.size());
  w.inputs = w.inner;
  for (size_t d = w.dimensions.size(); d-- > 0;) {
    w.strides[d] = w.inputs;
    w.inputs *= w.dimensions[d].input_size;
    w.outputs *= w.dimensions[d].output_size;
    w.tiles = w.tiles && w.inner > 1 && Tiles(w.dimensions[d]);
  }
  w.row = w.dimensions.back().output_size;
  w.stride = w.dimensions.back().stride;
  w.segments = SegmentsOf(w.dimensions.back());
  return w;
}

// How many places of the first dimension a thread takes at a time: what stays in its cache, but not
// so few that most of the windows reach into two bands.
inline int64_t BandOf(const ScatterWindows& windows, int64_t width) {
  constexpr int64_t kBytes = 1 << 17;
  const WindowDimensionSpec& w = windows.dimensions[0];
  const int64_t least = w.size > w.stride ? 4 * std::min(w.size, w.input_size) : 1;
  const int64_t places = std::max(kBytes / (windows.strides[0] * width), least);
  return (places + w.stride - 1) / w.stride * w.stride;
}

// The taps of the windows of a segment: distance from the place of the window times the stride.
struct RowTaps {
  std::vector<int64_t> offsets;
  Span own;  // that lie in the band
};

class WindowRow {
 public:
  explicit WindowRow(const ScatterWindows& windows)
      : windows_(windows), index_(windows.dimensions.size() - 1, 0) {}

  void Next() {
    for (size_t d = index_.size(); d-- > 0;) {
      if (++index_[d] < windows_.dimensions[d].output_size) return;
      index_[d] = 0;
    }
  }

  // Whether windows of this row have taps in the band; finds those that all of them share.
  bool Reaches(const Span& band) {
    const WindowDimensionSpec& w = windows_.dimensions[0];
    const Span first = TapsOf(w, index_[0]);
    const int64_t start = index_[0] * w.stride - w.padding_low;
    own_ = {std::clamp(band.begin - start, first.begin, first.end),
            std::clamp(band.end - start, first.begin, first.end)};
    if (own_.begin == own_.end) return false;
    outer_.assign(1, 0);
    for (size_t d = 0; d < index_.size(); ++d) AddDimension(d);
    const int64_t each = std::ssize(outer_) / (first.end - first.begin);
    own_ = {(own_.begin - first.begin) * each, (own_.end - first.begin) * each};
    return true;
  }

  void FindTaps(const Segment& segment, RowTaps& taps) const {
    const int64_t low = windows_.dimensions.back().padding_low;
    taps.offsets.clear();
    for (const int64_t outer : outer_) {
      for (int64_t k = segment.taps.begin; k < segment.taps.end; ++k) {
        taps.offsets.push_back(outer + (k - low) * windows_.inner);
      }
    }
    const int64_t each = segment.taps.end - segment.taps.begin;
    taps.own = {own_.begin * each, own_.end * each};
  }

 private:
  void AddDimension(size_t d) {
    const WindowDimensionSpec& w = windows_.dimensions[d];
    const Span taps = TapsOf(w, index_[d]);
    next_.clear();
    for (const int64_t sum : outer_) {
      for (int64_t k = taps.begin; k < taps.end; ++k) {
        next_.push_back(sum + (index_[d] * w.stride - w.padding_low + k) * windows_.strides[d]);
      }
    }
    outer_.swap(next_);
  }

  const ScatterWindows& windows_;
  absl::InlinedVector<int64_t, 4> index_;
  std::vector<int64_t> outer_, next_;
  Span own_;  // of the shared taps
};

}  // namespace hlocts::kernels::HLOCTS_ISA

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_WINDOW_SELECT_AND_SCATTER_ISA_H_
