// SPDX-License-Identifier: Apache-2.0
#include "spec/infer/window_util.h"

#include <algorithm>

namespace hlocts {
namespace {

// Sums and products of three int64_t fit into 128 bits; only the result is cut.
using WideInt = __int128;

int64_t Saturate(WideInt value) {
  return value > INT64_MAX   ? INT64_MAX
         : value < INT64_MIN ? INT64_MIN
                             : static_cast<int64_t>(value);
}

WideInt Dilated(int64_t size, int64_t dilation) {
  return size <= 0 ? 0 : WideInt{size - 1} * dilation + 1;
}

}  // namespace

int64_t DilatedSize(int64_t size, int64_t dilation) { return Saturate(Dilated(size, dilation)); }

int64_t WindowOutputSize(int64_t base_size, const WindowDimension& window) {
  const WideInt padded =
      Dilated(base_size, window.base_dilation) + window.padding_low + window.padding_high;
  const WideInt extent = Dilated(window.size, window.window_dilation);
  if (padded <= 0 || extent > padded) return 0;
  return Saturate((padded - extent) / window.stride + 1);
}

int64_t PaddedSize(int64_t size, const PaddingDimension& padding) {
  return Saturate(static_cast<__int128>(padding.low) + padding.high + size +
                  static_cast<__int128>(padding.interior) * std::max<int64_t>(size - 1, 0));
}

}  // namespace hlocts
