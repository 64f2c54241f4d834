// SPDX-License-Identifier: Apache-2.0
#include "spec/infer/window_util.h"

#include <algorithm>

namespace hlocts {
namespace {

// Sums and products of three int64_t fit into 128 bits; only the result is cut.
int64_t Saturate(__int128 value) {
  return value > INT64_MAX   ? INT64_MAX
         : value < INT64_MIN ? INT64_MIN
                             : static_cast<int64_t>(value);
}

}  // namespace

int64_t DilatedSize(int64_t size, int64_t dilation) {
  if (size <= 0) return 0;
  return Saturate(static_cast<__int128>(size - 1) * dilation + 1);
}

int64_t PaddedBaseSize(int64_t base_size, const WindowDimension& window) {
  __int128 padded = static_cast<__int128>(DilatedSize(base_size, window.base_dilation)) +
                    window.padding_low + window.padding_high;
  return std::max<int64_t>(Saturate(padded), 0);
}

int64_t StridedPositions(int64_t padded_size, int64_t window_extent, int64_t stride) {
  if (padded_size == 0 || window_extent > padded_size) return 0;
  return (padded_size - window_extent) / stride + 1;
}

int64_t WindowOutputSize(int64_t base_size, const WindowDimension& window) {
  return StridedPositions(PaddedBaseSize(base_size, window),
                          DilatedSize(window.size, window.window_dilation), window.stride);
}

int64_t PaddedSize(int64_t size, const PaddingDimension& padding) {
  return Saturate(static_cast<__int128>(padding.low) + padding.high + size +
                  static_cast<__int128>(padding.interior) * std::max<int64_t>(size - 1, 0));
}

}  // namespace hlocts
