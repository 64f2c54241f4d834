// SPDX-License-Identifier: Apache-2.0
// How convolution along rows copies its input: padded by zeros, so that every tap is a shifted
// load. Where the window takes strides, a row is copied as several, each of the elements that one
// tap meets. The rows of a plane may follow each other as one line, with places between them whose
// sums nobody wants. Only for *_isa.cc.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_CONVOLUTION_CONVOLUTION_LINES_ISA_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_CONVOLUTION_CONVOLUTION_LINES_ISA_H_

#include <algorithm>
#include <iterator>
#include <vector>

#include "backends/engine/cpu/kernels/convolution/convolution.h"
#include "backends/engine/cpu/kernels/runtime/vector_isa.h"

namespace hlocts::kernels::HLOCTS_ISA {

// Place i of copy r is place i * window_stride + remainders[r] - padding_low of the dimension.
struct CopiedDimension {
  ConvolutionDimension from;
  std::vector<int64_t> remainders;
  int64_t size;

  explicit CopiedDimension(const ConvolutionDimension& d)
      : from(d), size(d.output_size + (d.kernel_size - 1) * d.window_dilation / d.window_stride) {
    for (int64_t k = 0; k < d.kernel_size; ++k) {
      if (CopyOf(k) == std::ssize(remainders)) remainders.push_back(RemainderOf(k));
    }
  }
  int64_t RemainderOf(int64_t tap) const { return tap * from.window_dilation % from.window_stride; }
  // Where output 0 finds the tap.
  int64_t CopyOf(int64_t tap) const {
    return std::find(remainders.begin(), remainders.end(), RemainderOf(tap)) - remainders.begin();
  }
  int64_t PlaceOf(int64_t tap) const { return tap * from.window_dilation / from.window_stride; }
  // Place i of copy `copy`; -1 in the padding.
  int64_t ElementAt(int64_t copy, int64_t i) const {
    const int64_t at = i * from.window_stride + remainders[copy] - from.padding_low;
    return at >= 0 && at < from.input_size ? at : -1;
  }
};

// The last dimensions, which a line walks through.
struct LinePlan {
  size_t outer = 0;  // number of dimensions before them
  std::vector<CopiedDimension> dimensions;
  int64_t plane = 1;  // elements of one copy
  int64_t copies = 1;
  int64_t outputs = 1;        // of a line, those that nobody wants among them
  std::vector<int64_t> taps;  // where each begins, row-major

  LinePlan(const ConvolutionRequest& request, size_t first) : outer(first) {
    struct Tap {
      int64_t copy, place;
    };
    std::vector<Tap> found = {{0, 0}}, longer;
    for (size_t d = first; d < request.spatial.size(); ++d) {
      const CopiedDimension& copied = dimensions.emplace_back(request.spatial[d]);
      longer.clear();
      for (const Tap& tap : found) {
        for (int64_t k = 0; k < request.spatial[d].kernel_size; ++k) {
          longer.push_back({tap.copy * std::ssize(copied.remainders) + copied.CopyOf(k),
                            tap.place * copied.size + copied.PlaceOf(k)});
        }
      }
      found.swap(longer);
      plane *= copied.size;
      copies *= std::ssize(copied.remainders);
      outputs = (outputs - 1) * copied.size + request.spatial[d].output_size;
    }
    for (const Tap& tap : found) taps.push_back(tap.copy * plane + tap.place);
  }
};

// Tiles of two vectors for `count` neighbours; one of a single vector costs more than half.
inline double TilesFor(int64_t count, int64_t lanes) {
  const int64_t rest = count % (2 * lanes);
  return static_cast<double>(count / (2 * lanes)) + (rest > lanes ? 1.0 : rest > 0 ? 0.6 : 0.0);
}

// As one line, the rows of a plane waste the places between them; as many, the ends of their
// vectors.
inline LinePlan LinePlanOf(const ConvolutionRequest& request, int64_t lanes) {
  const size_t n = request.spatial.size();
  const LinePlan rows(request, n - 1);
  if (n < 2) return rows;
  const ConvolutionDimension& above = request.spatial[n - 2];
  if (above.base_dilation != 1 ||
      (above.kernel_size - 1) * above.window_dilation > 2 * above.output_size) {
    return rows;
  }
  LinePlan joined(request, n - 2);
  const double apart = static_cast<double>(above.output_size) * TilesFor(rows.outputs, lanes);
  return 1.05 * TilesFor(joined.outputs, lanes) < apart ? joined : rows;
}

}  // namespace hlocts::kernels::HLOCTS_ISA

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_KERNELS_CONVOLUTION_CONVOLUTION_LINES_ISA_H_
