// SPDX-License-Identifier: Apache-2.0
// HLO's convolution of any rank. A request gives the strides of each dimension, so arrays of any
// layout can be read in place.
#pragma once

#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "backends/engine/cpu/kernels/runtime/thread_pool.h"
#include "spec/ir/primitive_type.h"

namespace hlocts::kernels {

struct ConvolutionDimension {
  int64_t input_size = 1, kernel_size = 1, output_size = 1;
  int64_t input_stride = 0, kernel_stride = 0, output_stride = 0;  // in elements
  int64_t window_stride = 1, padding_low = 0;                      // padding_low may be negative
  int64_t base_dilation = 1, window_dilation = 1;
  bool reversal = false;
};

struct ConvolutionRequest {
  PrimitiveType input_type = PrimitiveType::kF32, kernel_type = PrimitiveType::kF32;
  PrimitiveType output_type = PrimitiveType::kF32;
  absl::InlinedVector<ConvolutionDimension, 3> spatial;
  int64_t batch = 1;           // the input's; the output's is batch / batch_groups
  int64_t input_features = 1;  // number of features of the input
  int64_t kernel_inputs = 1;   // size of the kernel's input feature dimension
  int64_t output_features = 1;
  int64_t feature_groups = 1, batch_groups = 1;  // at most one is greater than 1
  int64_t input_batch_stride = 0, input_feature_stride = 0;
  int64_t kernel_input_stride = 0, kernel_output_stride = 0;
  int64_t output_batch_stride = 0, output_feature_stride = 0;
  const void* input = nullptr;
  const void* kernel = nullptr;
  void* output = nullptr;  // every element that the strides address is written
};

// Computes the convolution. DotSupported must be true for the types.
absl::Status Convolution(const Parallel& parallel, const ConvolutionRequest& request);

}  // namespace hlocts::kernels
