// SPDX-License-Identifier: Apache-2.0
// The outputs (pixels) of a convolution in row-major order, and the input elements under taps.
#pragma once

#include <algorithm>

#include "backends/engine/cpu/kernels/convolution/convolution.h"

namespace hlocts::kernels {

// The geometry of one group. Offsets are in elements. Taps are in row-major order. The batch is one
// more spatial dimension, with one tap: the innermost dimension if `batch_inside`, else the
// outermost one.
struct PixelGrid {
  PixelGrid(const ConvolutionRequest& of, bool inside)
      : request(of),
        batch_inside(inside),
        groups(of.feature_groups * of.batch_groups),
        channels(of.kernel_inputs),
        features(of.output_features / groups),
        spatial(of.spatial.begin(), of.spatial.end()) {
    ConvolutionDimension batch;
    batch.input_size = batch.output_size = of.batch / of.batch_groups;
    batch.input_stride = of.input_batch_stride;
    batch.output_stride = of.output_batch_stride;
    spatial.insert(batch_inside || spatial.empty() ? spatial.end() : spatial.begin(), batch);
    for (const ConvolutionDimension& d : spatial) {
      taps *= d.kernel_size;
      pixels *= d.output_size;
    }
    outer_taps = taps / spatial.back().kernel_size;
  }

  // Returns the offset in the input of the group's first channel.
  int64_t GroupShift(int64_t group) const {
    return group * (request.batch_groups > 1
                        ? request.batch / request.batch_groups * request.input_batch_stride
                        : channels * request.input_feature_stride);
  }
  // Returns the position in the input dimension under tap k of output j, or -1 if the tap is in
  // padding or in a hole between dilated elements.
  static int64_t Place(const ConvolutionDimension& d, int64_t j, int64_t k) {
    const int64_t at = j * d.window_stride + k * d.window_dilation - d.padding_low;
    if (d.base_dilation == 1) return at < d.input_size ? at : -1;
    if (at < 0 || at % d.base_dilation != 0) return -1;
    return at / d.base_dilation < d.input_size ? at / d.base_dilation : -1;
  }
  // Returns the input offset in all dimensions except the innermost one, or -1 if the tap is in
  // padding or in a hole.
  int64_t OuterOffset(int64_t row, int64_t tap) const {
    int64_t offset = 0;
    for (size_t d = spatial.size() - 1; d-- > 0;) {
      const ConvolutionDimension& s = spatial[d];
      const int64_t place = Place(s, row % s.output_size, tap % s.kernel_size);
      if (place < 0) return -1;
      offset += place * s.input_stride;
      row /= s.output_size;
      tap /= s.kernel_size;
    }
    return offset;
  }
  // Returns the offset in the output of the group's first feature for this pixel.
  int64_t OutputOffset(int64_t group, int64_t pixel) const {
    int64_t offset = group * features * request.output_feature_stride;
    for (size_t d = spatial.size(); d-- > 0;) {
      offset += pixel % spatial[d].output_size * spatial[d].output_stride;
      pixel /= spatial[d].output_size;
    }
    return offset;
  }
  // Calls visit(outer tap, input offset or -1, first column, output's index minus `first`, count)
  // for each row of outputs in [first, first + count) and each outer tap.
  template <typename Visit>
  void ForEachRow(int64_t first, int64_t count, Visit visit) const {
    const int64_t row_size = spatial.back().output_size;
    for (int64_t p = 0, run; p < count; p += run) {
      const int64_t row = (first + p) / row_size, column = (first + p) % row_size;
      run = std::min(row_size - column, count - p);
      for (int64_t outer = 0; outer < outer_taps; ++outer) {
        visit(outer, OuterOffset(row, outer), column, p, run);
      }
    }
  }

  const ConvolutionRequest& request;
  const bool batch_inside;
  const int64_t groups, channels, features;
  absl::InlinedVector<ConvolutionDimension, 4> spatial;
  int64_t taps = 1, outer_taps = 1, pixels = 1;
};

}  // namespace hlocts::kernels
