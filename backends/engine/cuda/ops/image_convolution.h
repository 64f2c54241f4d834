// SPDX-License-Identifier: Apache-2.0
// convolution in a library's terms: packed images, symmetric padding; channels
// first or, where the module has them so, last.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_OPS_IMAGE_CONVOLUTION_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_OPS_IMAGE_CONVOLUTION_H_

#include <optional>

#include "backends/engine/cuda/compile/op_list.h"

namespace hlocts::cuda {

struct ConvolutionJob {
  ConvolutionPlan plan = {};
  hl::CastArgs image = {}, taps = {}, result = {};  // to and from the packed orders
  // Images as they lie are N spatial C, and the library is asked to take them so; taps to K taps C.
  bool channels_last = false;
  hl::CastArgs taps_last = {};
  int64_t image_elements = 0, taps_elements = 0, out_elements = 0;
  bool pads = false;  // padding that is not symmetric, or holes: an array of its own
  hl::PadArgs pad = {};
  int64_t padded_elements = 0;
  Buffer zero;

  // False: the library is not there, or does not take it.
  absl::StatusOr<bool> operator()(Run& run, In in, void* out) const;
  absl::StatusOr<bool> AsTheyLie(Run& run, In in, void* out) const;
};

// nullopt: of these attributes or types no library's convolution.
absl::StatusOr<std::optional<ConvolutionJob>> PlanConvolution(const OpContext& context);

}  // namespace hlocts::cuda

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_OPS_IMAGE_CONVOLUTION_H_
