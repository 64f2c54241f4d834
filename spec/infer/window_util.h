// SPDX-License-Identifier: Apache-2.0
// Sizes of padded, dilated, strided and sliced dimensions: convolution, reduce-window,
// select-and-scatter, pad and slice share them between shape rules, evaluators and engines.
#ifndef HLOCTS_SPEC_INFER_WINDOW_UTIL_H_
#define HLOCTS_SPEC_INFER_WINDOW_UTIL_H_

#include <cstdint>

#include "spec/ir/attributes.h"

namespace hlocts {

// Extent of `size` elements at a distance of `dilation`: 0 for none, else (size-1)*dilation + 1.
// Both at least 0; dilation at least 1. INT64_MAX when it does not fit.
int64_t DilatedSize(int64_t size, int64_t dilation);

// Output size of one dimension of a windowed operation over `base_size` elements: the number of
// positions of the dilated window in the base, dilated, then padded (low + dilated + high).
// Negative padding crops. INT64_MAX when it does not fit.
int64_t WindowOutputSize(int64_t base_size, const WindowDimension& window);

// Output size of one dimension of pad: low + high + size + interior*max(size-1, 0); the caller
// rejects negative results. Saturates at INT64_MAX.
int64_t PaddedSize(int64_t size, const PaddingDimension& padding);

// Output size of one dimension of slice; start is at least 0, stride at least 1 and perhaps
// INT64_MAX.
int64_t SlicedSize(const SliceRange& range);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_INFER_WINDOW_UTIL_H_
