// SPDX-License-Identifier: Apache-2.0
#include "spec/infer/contraction.h"
#include "spec/infer/rules.h"
#include "spec/infer/window_util.h"

namespace hlocts {
namespace {

using Numbers = ConvolutionDimensionNumbers;

absl::Status CheckLabels(absl::string_view what, int64_t a, int64_t b,
                         const std::vector<int64_t>& spatial, int64_t rank) {
  std::vector<int64_t> all = spatial;
  all.push_back(a);
  all.push_back(b);
  HLOCTS_EXPECT(static_cast<int64_t>(all.size()) == rank, "conv_with_general_padding.2",
                absl::StrCat(what, " of ", all.size(), " dimensions, as in dim_labels"),
                absl::StrCat(rank));
  return ExpectDimensions("conv_with_general_padding.11", absl::StrCat("dim_labels of ", what), all,
                          rank);
}

absl::Status CheckDimensions(const Numbers& numbers, const Shape& lhs, const Shape& rhs,
                             size_t window_dimensions) {
  HLOCTS_RETURN_IF_ERROR(CheckLabels("lhs", numbers.input_batch, numbers.input_feature,
                                     numbers.input_spatial, lhs.rank()));
  HLOCTS_RETURN_IF_ERROR(CheckLabels("rhs", numbers.kernel_input_feature,
                                     numbers.kernel_output_feature, numbers.kernel_spatial,
                                     rhs.rank()));
  HLOCTS_RETURN_IF_ERROR(CheckLabels("the result", numbers.output_batch, numbers.output_feature,
                                     numbers.output_spatial, lhs.rank()));
  HLOCTS_EXPECT(lhs.rank() == rhs.rank(), "conv_with_general_padding.3",
                absl::StrCat("rhs of rank ", lhs.rank()), ShapeText(rhs));
  HLOCTS_EXPECT(window_dimensions == numbers.input_spatial.size(), "conv_with_general_padding.4",
                absl::StrCat("a window of rank ", numbers.input_spatial.size()),
                absl::StrCat(window_dimensions));
  return absl::OkStatus();
}

struct Groups {
  int64_t feature = 1;
  int64_t batch = 1;
};

absl::Status CheckGroups(const Groups& groups, const Numbers& numbers, const Shape& lhs,
                         const Shape& rhs) {
  int64_t batch = lhs.dimension(numbers.input_batch);
  int64_t features = lhs.dimension(numbers.input_feature);
  int64_t kernel_inputs = rhs.dimension(numbers.kernel_input_feature);
  int64_t outputs = rhs.dimension(numbers.kernel_output_feature);
  HLOCTS_EXPECT(groups.feature >= 1, "conv_with_general_padding.33",
                "feature_group_count of at least 1", absl::StrCat(groups.feature));
  HLOCTS_EXPECT(groups.batch >= 1, "conv_with_general_padding.42",
                "batch_group_count of at least 1", absl::StrCat(groups.batch));
  HLOCTS_EXPECT(groups.feature == 1 || groups.batch == 1, "hlo.convolution_groups",
                "at most one of feature_group_count and batch_group_count above 1",
                absl::StrCat(groups.feature, " and ", groups.batch));
  for (int64_t size : {batch, features, kernel_inputs, outputs}) {
    if (size == kUnboundedSize) return absl::OkStatus();
  }
  HLOCTS_EXPECT(features % groups.feature == 0, "conv_with_general_padding.34",
                absl::StrCat("a feature dimension divisible by ", groups.feature), ShapeText(lhs));
  HLOCTS_EXPECT(features / groups.feature == kernel_inputs, "conv_with_general_padding.38",
                absl::StrCat(features / groups.feature, " input features in rhs"), ShapeText(rhs));
  HLOCTS_EXPECT(outputs % groups.feature == 0, "conv_with_general_padding.35",
                absl::StrCat("output features divisible by ", groups.feature), ShapeText(rhs));
  HLOCTS_EXPECT(batch % groups.batch == 0, "conv_with_general_padding.44",
                absl::StrCat("a batch dimension divisible by ", groups.batch), ShapeText(lhs));
  HLOCTS_EXPECT(outputs % groups.batch == 0, "conv_with_general_padding.46",
                absl::StrCat("output features divisible by ", groups.batch), ShapeText(rhs));
  return absl::OkStatus();
}

}  // namespace

absl::Status ExpectWindow(absl::string_view rule, const std::vector<WindowDimension>& window) {
  for (const WindowDimension& d : window) {
    HLOCTS_EXPECT(d.size >= 1 && d.stride >= 1 && d.base_dilation >= 1 && d.window_dilation >= 1,
                  rule, "window sizes, strides and dilations of at least 1",
                  absl::StrCat("size ", d.size, ", stride ", d.stride, ", base dilation ",
                               d.base_dilation, ", window dilation ", d.window_dilation));
  }
  return absl::OkStatus();
}

absl::StatusOr<Shape> InferConvolution(const Instruction& convolution, Signatures&) {
  const Shape &lhs = convolution.operand(0).shape(), &rhs = convolution.operand(1).shape();
  HLOCTS_ASSIGN_OR_RETURN(PrimitiveType type, ContractionType("conv_with_general_padding.3", lhs,
                                                              rhs, convolution.shape()));
  const Numbers& numbers = *convolution.Get<Numbers>(Attr::kDimLabels);
  static const Window* const kNoWindow = new Window();
  const Window* window = convolution.Get<Window>(Attr::kWindow);
  const std::vector<WindowDimension>& windows = (window ? window : kNoWindow)->dimensions;
  HLOCTS_RETURN_IF_ERROR(CheckDimensions(numbers, lhs, rhs, windows.size()));
  HLOCTS_RETURN_IF_ERROR(ExpectWindow("conv_with_general_padding.19", windows));
  Groups groups = {convolution.IntOr(Attr::kFeatureGroupCount, 1),
                   convolution.IntOr(Attr::kBatchGroupCount, 1)};
  HLOCTS_RETURN_IF_ERROR(CheckGroups(groups, numbers, lhs, rhs));
  Shape result(type, std::vector<int64_t>(lhs.rank(), 0));
  int64_t batch = lhs.dimension(numbers.input_batch);
  result.set_dimension(numbers.output_batch,
                       batch == kUnboundedSize ? batch : batch / groups.batch);
  result.set_dimension(numbers.output_feature, rhs.dimension(numbers.kernel_output_feature));
  for (size_t i = 0; i < windows.size(); ++i) {
    int64_t kernel = rhs.dimension(numbers.kernel_spatial[i]);
    HLOCTS_EXPECT(CompatibleSize(windows[i].size, kernel), "conv_with_general_padding.18",
                  absl::StrCat("window size ", kernel, " in spatial dimension ", i),
                  absl::StrCat(windows[i].size));
    int64_t base = lhs.dimension(numbers.input_spatial[i]);
    result.set_dimension(numbers.output_spatial[i],
                         base == kUnboundedSize ? base : WindowOutputSize(base, windows[i]));
    if (lhs.is_dynamic_dimension(numbers.input_spatial[i])) {
      result.set_dynamic_dimension(numbers.output_spatial[i], true);
    }
  }
  if (lhs.is_dynamic_dimension(numbers.input_batch)) {
    result.set_dynamic_dimension(numbers.output_batch, true);
  }
  return result;
}

}  // namespace hlocts
