// SPDX-License-Identifier: Apache-2.0
// Builds reductions, ordering, linear algebra and normalization.
#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "spec/builder/builder.h"
#include "spec/infer/window_util.h"

namespace hlocts {
namespace {

// Returns the (low, high) padding of one dimension. `base` and `window` are the sizes after
// dilation. kSame: there is a window at each multiple of the stride in the base, and an odd element
// of padding goes to the high end (rulings 0049, 0051).
inline std::pair<int64_t, int64_t> PaddingFor(PaddingKind kind, int64_t base, int64_t window,
                                              int64_t stride) {
  if (kind == PaddingKind::kValid || base <= 0 || stride <= 0) return {0, 0};
  int64_t positions = (base - 1) / stride + 1;
  int64_t reach, total;
  if (__builtin_mul_overflow(positions - 1, stride, &reach) ||
      __builtin_add_overflow(reach, window, &total)) {
    return {0, 0};
  }
  total = std::max<int64_t>(total - base, 0);
  return {total / 2, total - total / 2};
}

std::vector<Value> Joined(absl::Span<const Value> a, absl::Span<const Value> b) {
  std::vector<Value> all(a.begin(), a.end());
  all.insert(all.end(), b.begin(), b.end());
  return all;
}

}  // namespace

Value Builder::Reduce(Values operands, Values init_values, Computation* computation,
                      Sizes dimensions) {
  if (!Usable(absl::MakeConstSpan(&computation, 1))) return {};
  return Emit(Opcode::kReduce, Joined(operands, init_values),
              {{Attr::kDimensions, std::vector<int64_t>(dimensions.begin(), dimensions.end())},
               {Attr::kToApply, computation}});
}

std::optional<Window> Builder::MakeWindow(absl::string_view operation, Sizes base, Sizes sizes,
                                          Sizes strides, PaddingKind padding, Sizes base_dilations,
                                          Sizes window_dilations) {
  auto fits = [&](Sizes list) { return list.empty() || list.size() == base.size(); };
  if (sizes.size() != base.size() || !fits(strides) || !fits(base_dilations) ||
      !fits(window_dilations)) {
    FailRule(operation,
             operation == "SelectAndScatter" ? "select_and_scatter.19" : "reduce_window.11",
             absl::StrCat(base.size(), " window sizes, strides and dilations"),
             absl::StrCat(sizes.size(), ", ", strides.size(), ", ", base_dilations.size(), " and ",
                          window_dilations.size()));
    return std::nullopt;
  }
  Window window;
  for (size_t d = 0; d < base.size(); ++d) {
    WindowDimension& dimension = window.dimensions.emplace_back();
    dimension.size = sizes[d];
    if (!strides.empty()) dimension.stride = strides[d];
    if (!base_dilations.empty()) dimension.base_dilation = base_dilations[d];
    if (!window_dilations.empty()) dimension.window_dilation = window_dilations[d];
    std::tie(dimension.padding_low, dimension.padding_high) =
        PaddingFor(padding, DilatedSize(base[d], dimension.base_dilation),
                   DilatedSize(dimension.size, dimension.window_dilation), dimension.stride);
  }
  return window;
}

Value Builder::ReduceWindow(Values operands, Values init_values, Computation* computation,
                            Sizes window_dimensions, Sizes window_strides, PaddingKind padding,
                            Sizes base_dilations, Sizes window_dilations) {
  if (!Usable(operands)) return {};
  if (operands.empty()) {
    return FailRule("ReduceWindow", "reduce_window.17", "at least one operand", "none");
  }
  std::optional<Window> window =
      MakeWindow("ReduceWindow", operands[0].shape().dimensions(), window_dimensions,
                 window_strides, padding, base_dilations, window_dilations);
  if (!window) return {};
  return ReduceWindowWithGeneralPadding(operands, init_values, computation, *window);
}

Value Builder::ReduceWindowWithGeneralPadding(Values operands, Values init_values,
                                              Computation* computation, const Window& window) {
  if (!Usable(absl::MakeConstSpan(&computation, 1))) return {};
  return Emit(Opcode::kReduceWindow, Joined(operands, init_values),
              {{Attr::kWindow, window}, {Attr::kToApply, computation}});
}

Value Builder::SelectAndScatter(Value operand, Computation* select, Sizes window_dimensions,
                                Sizes window_strides, PaddingKind padding, Value source,
                                Value init_value, Computation* scatter) {
  if (!Usable({operand}) || !Usable(absl::Span<Computation* const>({select, scatter}))) return {};
  std::optional<Window> window = MakeWindow("SelectAndScatter", operand.shape().dimensions(),
                                            window_dimensions, window_strides, padding, {}, {});
  if (!window) return {};
  return Emit(Opcode::kSelectAndScatter, {operand, source, init_value},
              {{Attr::kWindow, *window}, {Attr::kSelect, select}, {Attr::kScatter, scatter}});
}

Value Builder::Map(Values operands, Computation* computation) {
  if (!Usable(operands) || !Usable(absl::MakeConstSpan(&computation, 1))) return {};
  std::vector<int64_t> dimensions;
  for (int64_t d = 0; !operands.empty() && d < operands[0].shape().rank(); ++d) {
    dimensions.push_back(d);
  }
  return Emit(Opcode::kMap, operands,
              {{Attr::kDimensions, dimensions}, {Attr::kToApply, computation}});
}

Value Builder::Sort(Values operands, Computation* comparator, int64_t dimension, bool is_stable) {
  if (!Usable(operands) || !Usable(absl::MakeConstSpan(&comparator, 1))) return {};
  if (operands.empty()) return FailRule("Sort", "sort.2", "at least one operand", "none");
  Attributes attributes = {
      {Attr::kDimensions, std::vector<int64_t>{Normalize(operands[0], dimension)}}};
  if (is_stable) attributes.push_back({Attr::kIsStable, true});
  attributes.push_back({Attr::kToApply, comparator});
  return Emit(Opcode::kSort, operands, std::move(attributes));
}

Value Builder::TopK(Value operand, int64_t k, bool largest) {
  return Emit(Opcode::kTopk, {operand}, {{Attr::kK, k}, {Attr::kLargest, largest}});
}

Value Builder::Cholesky(Value a, bool lower) {
  return Emit(Opcode::kCholesky, {a}, {{Attr::kLower, lower}});
}

Value Builder::TriangularSolve(Value a, Value b, bool left_side, bool lower, bool unit_diagonal,
                               absl::string_view transpose_a) {
  return Emit(Opcode::kTriangularSolve, {a, b},
              {{Attr::kLeftSide, left_side},
               {Attr::kLower, lower},
               {Attr::kUnitDiagonal, unit_diagonal},
               {Attr::kTransposeA, Word{std::string(transpose_a)}}});
}

Value Builder::Fft(Value operand, absl::string_view fft_type, Sizes fft_length) {
  return Emit(Opcode::kFft, {operand},
              {{Attr::kFftType, Word{std::string(fft_type)}},
               {Attr::kFftLength, std::vector<int64_t>(fft_length.begin(), fft_length.end())}});
}

Value Builder::BatchNormTraining(Value operand, Value scale, Value offset, double epsilon,
                                 int64_t feature_index) {
  return Emit(Opcode::kBatchNormTraining, {operand, scale, offset},
              {{Attr::kEpsilon, epsilon}, {Attr::kFeatureIndex, feature_index}});
}

Value Builder::BatchNormInference(Value operand, Value scale, Value offset, Value mean,
                                  Value variance, double epsilon, int64_t feature_index) {
  return Emit(Opcode::kBatchNormInference, {operand, scale, offset, mean, variance},
              {{Attr::kEpsilon, epsilon}, {Attr::kFeatureIndex, feature_index}});
}

Value Builder::BatchNormGrad(Value operand, Value scale, Value mean, Value variance,
                             Value grad_output, double epsilon, int64_t feature_index) {
  return Emit(Opcode::kBatchNormGrad, {operand, scale, mean, variance, grad_output},
              {{Attr::kEpsilon, epsilon}, {Attr::kFeatureIndex, feature_index}});
}

// Builds dots and convolutions.

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
