// SPDX-License-Identifier: Apache-2.0
// Builds dots and convolutions.
#include "absl/strings/str_cat.h"
#include "spec/builder/builder.h"
#include "spec/builder/padding.h"

namespace hlocts {

Value Builder::Dot(Value lhs, Value rhs) {
  if (!Usable({lhs, rhs})) return {};
  int64_t left = lhs.shape().rank(), right = rhs.shape().rank();
  if (left < 1 || left > 2 || right < 1 || right > 2) {
    return FailRule(
        "Dot", "dot.4", "operands of one or two dimensions (ruling 0026)",
        absl::StrCat(lhs.shape().ToString(false), " and ", rhs.shape().ToString(false)));
  }
  DotDimensionNumbers numbers;
  numbers.lhs_contracting = {left - 1};  // dot.8
  numbers.rhs_contracting = {0};
  return DotGeneral(lhs, rhs, numbers);
}

Value Builder::DotGeneral(Value lhs, Value rhs, const DotDimensionNumbers& dimension_numbers,
                          PrimitiveType preferred_element_type) {
  Attributes attributes;
  auto add = [&](Attr attr, const std::vector<int64_t>& dimensions) {
    if (!dimensions.empty()) attributes.push_back({attr, dimensions});
  };
  add(Attr::kLhsBatchDims, dimension_numbers.lhs_batch);
  add(Attr::kLhsContractingDims, dimension_numbers.lhs_contracting);
  add(Attr::kRhsBatchDims, dimension_numbers.rhs_batch);
  add(Attr::kRhsContractingDims, dimension_numbers.rhs_contracting);
  if (preferred_element_type == PrimitiveType::kInvalid) {
    return Emit(Opcode::kDot, {lhs, rhs}, std::move(attributes));
  }
  // A stated element type requires a whole shape, which is inferred first with the operands' type.
  Value natural = Emit(Opcode::kDot, {lhs, rhs}, std::move(attributes));
  if (!natural.ok()) return {};
  natural.instruction->mutable_shape() = natural.shape().WithElementType(preferred_element_type);
  if (absl::Status status = inference_.Verify(*natural.instruction); !status.ok()) {
    return Fail(status);
  }
  return natural;
}

Value Builder::Conv(Value lhs, Value rhs, Sizes window_strides, PaddingKind padding,
                    int64_t feature_group_count, int64_t batch_group_count) {
  if (!Usable({lhs, rhs})) return {};
  int64_t spatial = lhs.shape().rank() - 2;
  Pairs pairs;
  for (int64_t i = 0; i < spatial && i + 2 < rhs.shape().rank(); ++i) {
    int64_t stride = i < static_cast<int64_t>(window_strides.size()) ? window_strides[i] : 1;
    pairs.push_back(
        PaddingFor(padding, lhs.shape().dimension(i + 2), rhs.shape().dimension(i + 2), stride));
  }
  return ConvWithGeneralPadding(lhs, rhs, window_strides, pairs, {}, {}, feature_group_count,
                                batch_group_count);
}

Value Builder::ConvWithGeneralPadding(Value lhs, Value rhs, Sizes window_strides,
                                      const Pairs& padding, Sizes lhs_dilation, Sizes rhs_dilation,
                                      int64_t feature_group_count, int64_t batch_group_count) {
  if (!Usable({lhs, rhs})) return {};
  const size_t spatial = std::max<int64_t>(0, rhs.shape().rank() - 2);
  auto fits = [&](size_t size) { return size == 0 || size == spatial; };
  if (!fits(window_strides.size()) || !fits(padding.size()) || !fits(lhs_dilation.size()) ||
      !fits(rhs_dilation.size())) {
    return FailRule("ConvWithGeneralPadding", "conv_with_general_padding.4",
                    absl::StrCat(spatial, " strides, padding pairs and dilations"),
                    absl::StrCat(window_strides.size(), ", ", padding.size(), ", ",
                                 lhs_dilation.size(), " and ", rhs_dilation.size()));
  }
  ConvolutionDimensionNumbers numbers;
  numbers.input_feature = numbers.kernel_input_feature = numbers.output_feature = 1;
  Window window;
  for (size_t i = 0; i < spatial; ++i) {
    int64_t d = static_cast<int64_t>(i) + 2;
    numbers.input_spatial.push_back(d);
    numbers.kernel_spatial.push_back(d);
    numbers.output_spatial.push_back(d);
    WindowDimension& dimension = window.dimensions.emplace_back();
    dimension.size = rhs.shape().dimension(d);
    if (!window_strides.empty()) dimension.stride = window_strides[i];
    if (!padding.empty()) dimension.padding_low = padding[i].first;
    if (!padding.empty()) dimension.padding_high = padding[i].second;
    if (!lhs_dilation.empty()) dimension.base_dilation = lhs_dilation[i];
    if (!rhs_dilation.empty()) dimension.window_dilation = rhs_dilation[i];
  }
  Attributes attributes = {{Attr::kWindow, window}, {Attr::kDimLabels, numbers}};
  if (feature_group_count != 1)
    attributes.push_back({Attr::kFeatureGroupCount, feature_group_count});
  if (batch_group_count != 1) attributes.push_back({Attr::kBatchGroupCount, batch_group_count});
  return Emit(Opcode::kConvolution, {lhs, rhs}, std::move(attributes));
}

}  // namespace hlocts
