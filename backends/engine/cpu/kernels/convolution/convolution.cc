// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/kernels/convolution/convolution.h"

#include "backends/engine/cpu/kernels/convolution/convolution_phases.h"
#include "backends/engine/cpu/kernels/gemm/dot.h"
#include "backends/engine/cpu/kernels/runtime/checks.h"
#include "backends/engine/cpu/kernels/runtime/isa.h"
#include "backends/engine/cpu/kernels/runtime/loop_nest.h"

namespace hlocts::kernels {
namespace {

absl::Status CheckGroups(const ConvolutionRequest& request) {
  const int64_t features = request.feature_groups, batches = request.batch_groups;
  if (features < 1 || batches < 1 || (features > 1 && batches > 1)) {
    return InvalidInput("convolution: ", features, " feature groups and ", batches,
                        " batch groups");
  }
  if (request.batch % batches != 0 || request.output_features % (features * batches) != 0 ||
      request.kernel_inputs * features != request.input_features) {
    return InvalidInput("convolution: groups do not divide the features or the batch");
  }
  return absl::OkStatus();
}

absl::Status CheckSizes(const ConvolutionRequest& request, int64_t& outputs, int64_t& inputs) {
  absl::InlinedVector<int64_t, 6> out = {request.batch / request.batch_groups,
                                         request.output_features};
  absl::InlinedVector<int64_t, 6> in = {request.batch, request.input_features};
  absl::InlinedVector<int64_t, 6> kernel = {request.kernel_inputs, request.output_features};
  for (const ConvolutionDimension& d : request.spatial) {
    if (d.window_stride < 1 || d.base_dilation < 1 || d.window_dilation < 1) {
      return InvalidInput("convolution: a stride or dilation below 1");
    }
    out.push_back(d.output_size);
    in.push_back(d.input_size);
    kernel.push_back(d.kernel_size);
  }
  int64_t weights = 0;
  HLOCTS_RETURN_IF_ERROR(CountElements(out, outputs));
  HLOCTS_RETURN_IF_ERROR(CountElements(in, inputs));
  HLOCTS_RETURN_IF_ERROR(CountElements(kernel, weights));
  if (weights == 0) inputs = 0;
  return absl::OkStatus();
}

// Sums of nothing.
void ClearOutput(const ConvolutionRequest& request) {
  LoopNest<1> loops = {{request.batch / request.batch_groups, {request.output_batch_stride}},
                       {request.output_features, {request.output_feature_stride}}};
  for (const ConvolutionDimension& d : request.spatial) {
    loops.push_back({d.output_size, {d.output_stride}});
  }
  const int bytes = StorageBytes(request.output_type);
  LoopWalk<1> walk(loops, 0);
  for (int64_t i = 0; i < LoopCount(loops); ++i, walk.Next()) {
    char* to = static_cast<char*>(request.output) + walk.offset(0) * bytes;
    std::fill(to, to + bytes, 0);
  }
}

}  // namespace

absl::Status Convolution(const Parallel& parallel, const ConvolutionRequest& request) {
  if (!DotSupported(request.input_type, request.kernel_type, request.output_type)) {
    return Unsupported("convolution of ", PrimitiveTypeName(request.input_type), " and ",
                       PrimitiveTypeName(request.kernel_type), " to ",
                       PrimitiveTypeName(request.output_type));
  }
  HLOCTS_RETURN_IF_ERROR(CheckGroups(request));
  int64_t outputs = 0, inputs = 0;
  HLOCTS_RETURN_IF_ERROR(CheckSizes(request, outputs, inputs));
  if (outputs == 0) return absl::OkStatus();
  if (inputs > 0) {
    const bool zero_exists = request.output_type != PrimitiveType::kF8E8M0FNU;
    const auto phases = zero_exists ? PhasesOf(request) : std::vector<ConvolutionRequest>();
    if (phases.empty()) return Kernels().convolution(parallel, request);
    for (const ConvolutionRequest& phase : phases) {
      HLOCTS_RETURN_IF_ERROR(Convolution(parallel, phase));
    }
    return absl::OkStatus();
  }
  if (request.output_type == PrimitiveType::kF8E8M0FNU) {
    return Unsupported("convolution: an empty sum in f8e8m0fnu");
  }
  ClearOutput(request);
  return absl::OkStatus();
}

}  // namespace hlocts::kernels
