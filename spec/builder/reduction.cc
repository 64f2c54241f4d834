// SPDX-License-Identifier: Apache-2.0
// Builds reductions, ordering, linear algebra and normalization.
#include "absl/strings/str_cat.h"
#include "spec/builder/builder.h"
#include "spec/builder/padding.h"
#include "spec/infer/window_util.h"

namespace hlocts {
namespace {

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

}  // namespace hlocts
