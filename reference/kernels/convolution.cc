// SPDX-License-Identifier: Apache-2.0
#include "reference/kernels/convolution.h"

#include "spec/infer/window_util.h"
#include "spec/ir/index_util.h"
#include "spec/ir/instruction.h"

namespace hlocts::reference {
namespace {

// Returns the copy to a dense array with the dimensions listed in `order`.
CopyGeometry Gathering(absl::Span<const int64_t> dimensions, absl::Span<const int64_t> order) {
  const std::vector<int64_t> strides = RowMajorStrides(dimensions);
  CopyGeometry copy;
  for (int64_t d : order) copy.dims.push_back({dimensions[d], strides[d], 0});
  int64_t stride = 1;
  for (auto d = copy.dims.rbegin(); d != copy.dims.rend(); ++d) {
    d->result_stride = stride;
    stride *= d->size;
  }
  return copy;
}

int64_t Product(absl::Span<const int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes) product *= size;
  return product;
}

std::vector<int64_t> Joined(int64_t first, const std::vector<int64_t>& spatial, int64_t last) {
  std::vector<int64_t> order = {first};
  order.insert(order.end(), spatial.begin(), spatial.end());
  order.push_back(last);
  return order;
}

// Reads the kernel backwards in the spatial dimensions with window_reversal.
void ReverseTaps(const Window& window, CopyGeometry& rhs) {
  for (size_t d = 0; d < window.dimensions.size(); ++d) {
    if (!window.dimensions[d].window_reversal || rhs.dims[d].size == 0) continue;
    rhs.operand_base += (rhs.dims[d].size - 1) * rhs.dims[d].operand_stride;
    rhs.dims[d].operand_stride = -rhs.dims[d].operand_stride;
  }
}

void SetSpatial(const Window& window, const ConvolutionDimensionNumbers& numbers,
                absl::Span<const int64_t> lhs, absl::Span<const int64_t> rhs,
                ConvolutionGeometry& geometry) {
  std::vector<int64_t> taps;
  for (size_t d = 0; d < numbers.input_spatial.size(); ++d) {
    WindowDimension dimension =
        d < window.dimensions.size() ? window.dimensions[d] : WindowDimension();
    dimension.size = rhs[numbers.kernel_spatial[d]];
    const int64_t base = lhs[numbers.input_spatial[d]];
    taps.push_back(dimension.size);
    geometry.base_sizes.push_back(base);
    geometry.positions.push_back(WindowOutputSize(base, dimension));
    geometry.axes.push_back(MakeWindowAxis(base, geometry.positions.back(), dimension));
  }
  geometry.base_strides = RowMajorStrides(geometry.base_sizes);
  geometry.tap_strides = RowMajorStrides(taps);
}

// Sets the copy from the dense [batch, positions..., features] to the order of dim_labels.
void SetOutput(const ConvolutionDimensionNumbers& numbers, ConvolutionGeometry& geometry) {
  const std::vector<int64_t> order =
      Joined(numbers.output_batch, numbers.output_spatial, numbers.output_feature);
  const std::vector<int64_t> dense =
      Joined(geometry.batch, geometry.positions, geometry.output_features);
  geometry.out_dimensions.assign(order.size(), 0);
  for (size_t i = 0; i < order.size(); ++i) geometry.out_dimensions[order[i]] = dense[i];
  geometry.out = Gathering(geometry.out_dimensions, order);
  for (CopyDimension& d : geometry.out.dims) std::swap(d.operand_stride, d.result_stride);
  geometry.out_size = Product(dense);
}

}  // namespace

ConvolutionGeometry ConvolutionGeometryOf(const Instruction& convolution,
                                          absl::Span<const int64_t> lhs,
                                          absl::Span<const int64_t> rhs) {
  const auto& numbers = *convolution.Get<ConvolutionDimensionNumbers>(Attr::kDimLabels);
  const Window* given = convolution.Get<Window>(Attr::kWindow);
  const Window window = given != nullptr ? *given : Window();
  const int64_t feature_groups = convolution.IntOr(Attr::kFeatureGroupCount, 1);
  const int64_t batch_groups = convolution.IntOr(Attr::kBatchGroupCount, 1);
  ConvolutionGeometry geometry;
  geometry.lhs =
      Gathering(lhs, Joined(numbers.input_batch, numbers.input_spatial, numbers.input_feature));
  std::vector<int64_t> rhs_order = numbers.kernel_spatial;
  rhs_order.push_back(numbers.kernel_input_feature);
  rhs_order.push_back(numbers.kernel_output_feature);
  geometry.rhs = Gathering(rhs, rhs_order);
  ReverseTaps(window, geometry.rhs);
  geometry.lhs_size = Product(lhs);
  geometry.rhs_size = Product(rhs);
  geometry.batch = lhs[numbers.input_batch] / batch_groups;
  geometry.lhs_features = lhs[numbers.input_feature];
  geometry.input_features = rhs[numbers.kernel_input_feature];
  geometry.output_features = rhs[numbers.kernel_output_feature];
  geometry.output_features_per_feature_group =
      std::max<int64_t>(geometry.output_features / feature_groups, 1);
  geometry.output_features_per_batch_group =
      std::max<int64_t>(geometry.output_features / batch_groups, 1);
  SetSpatial(window, numbers, lhs, rhs, geometry);
  SetOutput(numbers, geometry);
  return geometry;
}

}  // namespace hlocts::reference
