// SPDX-License-Identifier: Apache-2.0
// A convolution by a library, on packed images with symmetric padding. The channel dimension
// precedes the spatial ones, or follows them if the module's arrays have that order.
#pragma once

#include <optional>

#include "backends/engine/cuda/compile/op_list.h"

namespace hlocts::cuda {

struct ConvolutionJob {
  ConvolutionPlan plan = {};
  hl::CastArgs image = {}, taps = {}, result = {};  // casts to and from arrays [N, C, spatial]
  // If true, the library reads images [N, spatial, C] in place, and taps are cast to [K, taps, C].
  bool channels_last = false;
  hl::CastArgs taps_last = {};
  int64_t image_elements = 0, taps_elements = 0, out_elements = 0;
  bool pads = false;  // true if the image must be copied with padding
  hl::PadArgs pad = {};
  int64_t padded_elements = 0;
  Buffer zero;

  // Returns false, without an effect, if no library supports the convolution.
  absl::StatusOr<bool> operator()(Run& run, In in, void* out) const;
  absl::StatusOr<bool> HasLibraryLayout(Run& run, In in, void* out) const;
};

// Returns nullopt if no library supports a convolution with these attributes or types.
absl::StatusOr<std::optional<ConvolutionJob>> PlanConvolution(const OpContext& context);

}  // namespace hlocts::cuda
