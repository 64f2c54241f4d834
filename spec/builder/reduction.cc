// SPDX-License-Identifier: Apache-2.0
// Builds reductions, ordering, dots and convolutions.
#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "spec/builder/builder.h"

namespace hlocts {
namespace {

// Returns the (low, high) padding of one dimension. kSame: there is a window at each multiple of
// the stride in the base, and an odd element of padding goes to the high end (rulings 0049, 0051).
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

}  // namespace

Value Builder::ReduceWindow(Value operand, Value init_value, Computation* computation,
                            Sizes window_dimensions, Sizes window_strides, PaddingKind padding) {
  if (!Usable({operand, init_value}) || !Usable(computation)) return {};
  const std::vector<int64_t>& base = operand.shape().dimensions();
  if (window_dimensions.size() != base.size() || window_strides.size() != base.size()) {
    return FailRule("ReduceWindow", "reduce_window.11",
                    absl::StrCat(base.size(), " window sizes and strides"),
                    absl::StrCat(window_dimensions.size(), " and ", window_strides.size()));
  }
  Window window;
  for (size_t d = 0; d < base.size(); ++d) {
    WindowDimension& dimension = window.dimensions.emplace_back();
    dimension.size = window_dimensions[d];
    dimension.stride = window_strides[d];
    std::tie(dimension.padding_low, dimension.padding_high) =
        PaddingFor(padding, base[d], dimension.size, dimension.stride);
  }
  return Emit(Opcode::kReduceWindow, {operand, init_value},
              {{Attr::kWindow, window}, {Attr::kToApply, computation}});
}

Value Builder::Sort(Values operands, Computation* comparator) {
  if (!Usable(operands) || !Usable(comparator)) return {};
  if (operands.empty()) return FailRule("Sort", "sort.2", "at least one operand", "none");
  return Emit(Opcode::kSort, operands,
              {{Attr::kDimensions, std::vector<int64_t>{operands[0].shape().rank() - 1}},
               {Attr::kToApply, comparator}});
}

Value Builder::Dot(Value lhs, Value rhs) {
  if (!Usable({lhs, rhs})) return {};
  int64_t left = lhs.shape().rank(), right = rhs.shape().rank();
  if (left < 1 || left > 2 || right < 1 || right > 2) {
    return FailRule(
        "Dot", "dot.4", "operands of one or two dimensions (ruling 0026)",
        absl::StrCat(lhs.shape().ToString(false), " and ", rhs.shape().ToString(false)));
  }
  return Emit(Opcode::kDot, {lhs, rhs},
              {{Attr::kLhsContractingDims, std::vector<int64_t>{left - 1}},  // dot.8
               {Attr::kRhsContractingDims, std::vector<int64_t>{0}}});
}

Value Builder::Conv(Value lhs, Value rhs, Sizes window_strides, PaddingKind padding) {
  if (!Usable({lhs, rhs})) return {};
  int64_t spatial = lhs.shape().rank() - 2;
  Pairs pairs;
  for (int64_t i = 0; i < spatial && i + 2 < rhs.shape().rank(); ++i) {
    int64_t stride = i < static_cast<int64_t>(window_strides.size()) ? window_strides[i] : 1;
    pairs.push_back(
        PaddingFor(padding, lhs.shape().dimension(i + 2), rhs.shape().dimension(i + 2), stride));
  }
  return ConvWithGeneralPadding(lhs, rhs, window_strides, pairs);
}

Value Builder::ConvWithGeneralPadding(Value lhs, Value rhs, Sizes window_strides,
                                      const Pairs& padding) {
  if (!Usable({lhs, rhs})) return {};
  const size_t spatial = std::max<int64_t>(0, rhs.shape().rank() - 2);
  auto fits = [&](size_t size) { return size == 0 || size == spatial; };
  if (!fits(window_strides.size()) || !fits(padding.size())) {
    return FailRule("ConvWithGeneralPadding", "conv_with_general_padding.4",
                    absl::StrCat(spatial, " strides and padding pairs"),
                    absl::StrCat(window_strides.size(), " and ", padding.size()));
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
  }
  return Emit(Opcode::kConvolution, {lhs, rhs},
              {{Attr::kWindow, window}, {Attr::kDimLabels, numbers}});
}

}  // namespace hlocts
