// SPDX-License-Identifier: Apache-2.0
// Computes sizes of padded, dilated, strided and sliced dimensions, for the shape rules, evaluators
// and engines of convolution, reduce-window, select-and-scatter, pad and slice.
#pragma once

#include <cstdint>

#include "spec/ir/attributes.h"

namespace hlocts {

// Returns the extent of `size` >= 0 elements with stride `dilation` >= 1: 0 if size is 0, otherwise
// (size-1)*dilation + 1. Returns INT64_MAX if the extent does not fit.
int64_t DilatedSize(int64_t size, int64_t dilation);

// Returns the output size of one dimension of a windowed operation over `base_size` elements: the
// number of positions of the dilated window in the base, which is first dilated and then padded
// (low + dilated + high). Negative padding crops. Returns INT64_MAX if the size does not fit.
int64_t WindowOutputSize(int64_t base_size, const WindowDimension& window);

// Returns the output size of one dimension of pad: low + high + size + interior*max(size-1, 0). It
// may be negative, which callers reject. Saturates at INT64_MAX.
int64_t PaddedSize(int64_t size, const PaddingDimension& padding);

// Returns the output size of one dimension of slice. Requires start >= 0 and stride >= 1.
int64_t SlicedSize(const SliceRange& range);

}  // namespace hlocts
