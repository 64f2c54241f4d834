// SPDX-License-Identifier: Apache-2.0
#include "spec/infer/window_util.h"

#include <algorithm>

#include "spec/base/int128.h"

namespace hlocts {
namespace {

int64_t Saturate(Int128 value) {
  return value > INT64_MAX   ? INT64_MAX
         : value < INT64_MIN ? INT64_MIN
                             : static_cast<int64_t>(value);
}

Int128 Dilated(int64_t size, int64_t dilation) {
  return size <= 0 ? 0 : Int128{size - 1} * dilation + 1;
}

}  // namespace

int64_t DilatedSize(int64_t size, int64_t dilation) { return Saturate(Dilated(size, dilation)); }

int64_t WindowOutputSize(int64_t base_size, const WindowDimension& window) {
  const Int128 padded =
      Dilated(base_size, window.base_dilation) + window.padding_low + window.padding_high;
  const Int128 extent = Dilated(window.size, window.window_dilation);
  if (padded <= 0 || extent > padded) return 0;
  return Saturate((padded - extent) / window.stride + 1);
}

int64_t PaddedSize(int64_t size, const PaddingDimension& padding) {
  return Saturate(Int128{padding.low} + padding.high + size +
                  Int128{padding.interior} * std::max<int64_t>(size - 1, 0));
}

int64_t SlicedSize(const SliceRange& range) {
  return range.limit <= range.start ? 0 : (range.limit - range.start - 1) / range.stride + 1;
}

}  // namespace hlocts
