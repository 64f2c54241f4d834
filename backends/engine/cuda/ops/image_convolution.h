// SPDX-License-Identifier: Apache-2.0
// convolution in a library's terms: packed images, symmetric padding; channels first or, if they
// are so in the module, last.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_OPS_IMAGE_CONVOLUTION_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_OPS_IMAGE_CONVOLUTION_H_

#include <optional>

#include "backends/engine/cuda/compile/op_list.h"

namespace hlocts::cuda {

struct ConvolutionJob {
  ConvolutionPlan plan = {};
  hl::CastArgs image = {}, taps = {}, result = {};  // to and from the packed orders
  // Images are stored as N spatial C, and passed to the library as such; taps are cast to K taps C.
  bool channels_last = false;
  hl::CastArgs taps_last = {};
  int64_t image_elements = 0, taps_elements = 0, out_elements = 0;
  bool pads = false;  // asymmetric padding, or holes: needs a copy
  hl::PadArgs pad = {};
  int64_t padded_elements = 0;
  Buffer zero;

  // False: the library is missing, or does not support it.
  absl::StatusOr<bool> operator()(Run& run, In in, void* out) const;
  absl::StatusOr<bool> HasLibraryLayout(Run& run, In in, void* out) const;
};

// nullopt: no library supports a convolution of these attributes or types.
absl::StatusOr<std::optional<ConvolutionJob>> PlanConvolution(const OpContext& context);

}  // namespace hlocts::cuda

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_OPS_IMAGE_CONVOLUTION_H_
