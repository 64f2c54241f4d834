// SPDX-License-Identifier: Apache-2.0
// convolution, which a kernel computes. Operands of types that it does not support are converted.
#include "backends/engine/cpu/kernels/convolution/convolution.h"

#include "backends/engine/cpu/compile/op_list.h"
#include "backends/engine/cpu/kernels/gemm/dot.h"
#include "backends/engine/cpu/moves/strided.h"
#include "backends/engine/plan/windows.h"

namespace hlocts::cpu {
namespace {

struct Spatial {
  int64_t input = 1, taps = 1, output = 1;                      // sizes
  int64_t input_stride = 0, tap_stride = 0, output_stride = 0;  // in elements
  WindowDimension window;
};

struct ConvolutionPlan {
  PrimitiveType lhs_type, rhs_type, computed, out_type;
  int64_t lhs_elements, rhs_elements, out_elements;
  int64_t batch, output_features, inputs_per_group;  // batch: that of the output
  int64_t feature_groups, batch_groups;
  int64_t lhs_batch, lhs_feature, rhs_input, rhs_output, out_batch, out_feature;  // strides
  absl::InlinedVector<Spatial, 3> spatial;
};

absl::Status SetWindows(const Instruction& convolution, ConvolutionPlan& p) {
  std::vector<int64_t> inputs, outputs;
  for (const Spatial& s : p.spatial) inputs.push_back(s.input), outputs.push_back(s.output);
  HLOCTS_ASSIGN_OR_RETURN(const std::vector<WindowDimension> windows,
                          plan::WindowsOf(convolution, inputs, outputs));
  for (size_t d = 0; d < windows.size(); ++d) p.spatial[d].window = windows[d];
  return absl::OkStatus();
}

absl::StatusOr<ConvolutionPlan> PlanOf(const OpContext& context) {
  const Instruction& source = context.source();
  const auto& numbers = *source.Get<ConvolutionDimensionNumbers>(Attr::kDimLabels);
  const plan::ArrayType &lhs = context.in(0), &rhs = context.in(1), &out = context.out(0);
  const Strides lhs_strides = RowMajor(lhs.dimensions), rhs_strides = RowMajor(rhs.dimensions),
                out_strides = RowMajor(out.dimensions);
  ConvolutionPlan p;
  p.lhs_type = lhs.type, p.rhs_type = rhs.type, p.out_type = out.type;
  p.computed = ContractionType(lhs.type, rhs.type, out.type);
  p.lhs_elements = lhs.elements, p.rhs_elements = rhs.elements, p.out_elements = out.elements;
  p.batch = out.dimensions[numbers.output_batch];
  p.output_features = out.dimensions[numbers.output_feature];
  p.inputs_per_group = rhs.dimensions[numbers.kernel_input_feature];
  p.feature_groups = source.IntOr(Attr::kFeatureGroupCount, 1);
  p.batch_groups = source.IntOr(Attr::kBatchGroupCount, 1);
  p.lhs_batch = lhs_strides[numbers.input_batch];
  p.lhs_feature = lhs_strides[numbers.input_feature];
  p.rhs_input = rhs_strides[numbers.kernel_input_feature];
  p.rhs_output = rhs_strides[numbers.kernel_output_feature];
  p.out_batch = out_strides[numbers.output_batch];
  p.out_feature = out_strides[numbers.output_feature];
  for (size_t d = 0; d < numbers.input_spatial.size(); ++d) {
    Spatial s;
    s.input = lhs.dimensions[numbers.input_spatial[d]];
    s.taps = rhs.dimensions[numbers.kernel_spatial[d]];
    s.output = out.dimensions[numbers.output_spatial[d]];
    s.input_stride = lhs_strides[numbers.input_spatial[d]];
    s.tap_stride = rhs_strides[numbers.kernel_spatial[d]];
    s.output_stride = out_strides[numbers.output_spatial[d]];
    p.spatial.push_back(s);
  }
  HLOCTS_RETURN_IF_ERROR(SetWindows(source, p));
  return p;
}

kernels::ConvolutionRequest RequestOf(const ConvolutionPlan& p, int64_t input_features) {
  kernels::ConvolutionRequest request;
  request.input_type = p.lhs_type;
  request.kernel_type = p.rhs_type;
  request.output_type = p.out_type;
  for (const Spatial& s : p.spatial) {
    kernels::ConvolutionDimension d;
    d.input_size = s.input, d.kernel_size = s.taps, d.output_size = s.output;
    d.input_stride = s.input_stride, d.kernel_stride = s.tap_stride;
    d.output_stride = s.output_stride;
    d.window_stride = s.window.stride, d.padding_low = s.window.padding_low;
    d.base_dilation = s.window.base_dilation, d.window_dilation = s.window.window_dilation;
    d.reversal = s.window.window_reversal;
    request.spatial.push_back(d);
  }
  request.batch = p.batch * p.batch_groups;
  request.input_features = input_features;
  request.kernel_inputs = p.inputs_per_group;
  request.output_features = p.output_features;
  request.feature_groups = p.feature_groups, request.batch_groups = p.batch_groups;
  request.input_batch_stride = p.lhs_batch, request.input_feature_stride = p.lhs_feature;
  request.kernel_input_stride = p.rhs_input, request.kernel_output_stride = p.rhs_output;
  request.output_batch_stride = p.out_batch, request.output_feature_stride = p.out_feature;
  return request;
}

}  // namespace

absl::StatusOr<StepDraft> MakeConvolution(const OpContext& context) {
  HLOCTS_ASSIGN_OR_RETURN(const ConvolutionPlan p, PlanOf(context));
  const auto& numbers = *context.source().Get<ConvolutionDimensionNumbers>(Attr::kDimLabels);
  kernels::ConvolutionRequest request =
      RequestOf(p, context.in(0).dimensions[numbers.input_feature]);
  const kernels::Parallel parallel(context.compiler.options().threads);
  // Padding consists of zeros, which f8e8m0fnu cannot represent.
  const bool as_stored = kernels::DotSupported(p.lhs_type, p.rhs_type, p.out_type) &&
                         p.lhs_type != PrimitiveType::kF8E8M0FNU;
  if (!as_stored) request.input_type = request.kernel_type = request.output_type = p.computed;
  StepDraft draft;
  draft.run = [=](Run&, In in, Out out) -> absl::Status {
    if (p.out_elements == 0) return absl::OkStatus();
    kernels::ConvolutionRequest now = request;
    if (as_stored) {
      now.input = in[0], now.kernel = in[1], now.output = out[0];
      return kernels::Convolution(parallel, now);
    }
    const Converted lhs(p.lhs_type, p.computed, in[0], p.lhs_elements);
    const Converted rhs(p.rhs_type, p.computed, in[1], p.rhs_elements);
    now.input = lhs.data<uint8_t>(), now.kernel = rhs.data<uint8_t>();
    return IntoConverted(p.computed, p.out_type, p.out_elements, out[0], [&](uint8_t* result) {
      now.output = result;
      return kernels::Convolution(parallel, now);
    });
  };
  return draft;
}

}  // namespace hlocts::cpu
