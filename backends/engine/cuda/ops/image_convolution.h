// SPDX-License-Identifier: Apache-2.0
// A convolution by a library: packed images with symmetric padding. Channels are first, or last if
// the module's arrays have that order.
#pragma once

#include <optional>

#include "backends/engine/cuda/compile/op_list.h"

namespace hlocts::cuda {

struct ConvolutionJob {
  ConvolutionPlan plan = {};
  hl::CastArgs image = {}, taps = {}, result = {};  // casts to and from the packed orders
  // Images are N spatial C, and the library gets them unchanged. Taps are cast to K taps C.
  bool channels_last = false;
  hl::CastArgs taps_last = {};
  int64_t image_elements = 0, taps_elements = 0, out_elements = 0;
  bool pads = false;  // a padded copy of the image is needed
  hl::PadArgs pad = {};
  int64_t padded_elements = 0;
  Buffer zero;

  // Returns false if no library supports the convolution.
  absl::StatusOr<bool> operator()(Run& run, In in, void* out) const;
  absl::StatusOr<bool> HasLibraryLayout(Run& run, In in, void* out) const;
};

// Returns nullopt if no library supports a convolution of these attributes or types.
absl::StatusOr<std::optional<ConvolutionJob>> PlanConvolution(const OpContext& context);

}  // namespace hlocts::cuda
