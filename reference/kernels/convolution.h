// SPDX-License-Identifier: Apache-2.0
// Computes convolution. Every output element is a sum of products: a window of the base area, in
// all input features of the element's group, times the kernel of the element's output feature
// (conv_with_general_padding.55-58; ruling 0051).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "reference/kernels/copy.h"
#include "reference/kernels/window_geometry.h"
#include "reference/number_system.h"
#include "spec/ir/index_util.h"
#include "spec/ir/module_fwd.h"

namespace hlocts::reference {

// The operands as lhs[batch, spatial..., feature] and rhs[tap..., input feature, output feature].
// Taps are already reversed in dimensions with window_reversal. `lhs` and `rhs` are the copies of
// the operands to that dense order; `out` copies [batch, spatial..., output feature] to the order
// of dim_labels.
struct ConvolutionGeometry {
  CopyGeometry lhs, rhs, out;
  std::vector<int64_t> out_dimensions;  // dimensions of the instruction's result
  int64_t lhs_size = 0, rhs_size = 0, out_size = 0;
  int64_t batch = 1;           // batch size of the result
  int64_t lhs_features = 1;    // features of all feature groups
  int64_t input_features = 1;  // features of one group, as in the kernel
  int64_t output_features = 1;
  int64_t output_features_per_feature_group = 1;
  int64_t output_features_per_batch_group = 1;
  std::vector<int64_t> base_sizes;                 // spatial dimensions of lhs
  std::vector<int64_t> positions;                  // spatial dimensions of the result
  std::vector<int64_t> base_strides, tap_strides;  // strides in [spatial...] and [tap...]
  std::vector<WindowAxis> axes;
};
// Returns the geometry for operands with these run-time dimensions.
ConvolutionGeometry ConvolutionGeometryOf(const Instruction& convolution,
                                          absl::Span<const int64_t> lhs,
                                          absl::Span<const int64_t> rhs);

// Calls visit(base, tap) for every tap over an element of the base area at `position`, in row-major
// order. base and tap are linear spatial indices of lhs and rhs. Padding and holes are skipped.
template <typename Visit>
void ForEachTap(const ConvolutionGeometry& geometry, absl::Span<const int64_t> position,
                Visit&& visit) {
  const int64_t rank = static_cast<int64_t>(geometry.axes.size());
  int64_t base = 0, tap = 0;
  for (int64_t d = 0; d < rank; ++d) {
    const WindowPosition& at = geometry.axes[d].positions[position[d]];
    if (at.count == 0) return;
    base += at.first_base * geometry.base_strides[d];
    tap += at.first_tap * geometry.tap_strides[d];
  }
  absl::InlinedVector<int64_t, 4> done(rank, 0);
  while (true) {
    visit(base, tap);
    int64_t d = rank - 1;
    for (; d >= 0; --d) {
      const WindowAxis& axis = geometry.axes[d];
      base += axis.base_step * geometry.base_strides[d];
      tap += axis.tap_step * geometry.tap_strides[d];
      if (++done[d] < axis.positions[position[d]].count) break;
      base -= done[d] * axis.base_step * geometry.base_strides[d];
      tap -= done[d] * axis.tap_step * geometry.tap_strides[d];
      done[d] = 0;
    }
    if (d < 0) return;
  }
}

// Adds the product of one element and each of `count` adjacent features to that feature's sum.
template <class Element, class Sum, size_t block>
void AddFeatureProducts(const Element& left, const Element* right, int64_t count,
                        Sum (&sums)[block]) {
  constexpr int64_t kBlock = block;  // a trip count known at compile time for the first loop
  if (count == kBlock) {
    for (int64_t k = 0; k < kBlock; ++k) sums[k].AddProduct(left, right[k]);
  } else {
    for (int64_t k = 0; k < count; ++k) sums[k].AddProduct(left, right[k]);
  }
}

// Computes the convolution of `lhs` and `rhs` in the dense order above. The sums of adjacent output
// features advance together, so that the kernel is read sequentially.
template <class System>
void ConvolutionKernel(const System& system, const ConvolutionGeometry& geometry,
                       const typename System::Element* lhs, const typename System::Element* rhs,
                       typename System::Element* out) {
  using Sum = decltype(system.NewSum());
  constexpr int64_t kBlock = 16;
  const int64_t features = geometry.output_features;
  int64_t base_count = 1, position_count = 1;
  for (int64_t size : geometry.base_sizes) base_count *= size;
  for (int64_t size : geometry.positions) position_count *= size;
  std::vector<int64_t> position(geometry.positions.size(), 0);
  for (int64_t p = 0; p < position_count;
       ++p, NextIndex(geometry.positions, absl::MakeSpan(position))) {
    for (int64_t b = 0; b < geometry.batch; ++b) {
      for (int64_t z = 0, next = 0; z < features; z = next) {
        // A block never crosses a group, so its features share the input features and the batch.
        const int64_t feature_group = z / geometry.output_features_per_feature_group;
        const int64_t batch_group = z / geometry.output_features_per_batch_group;
        next = std::min({features, z + kBlock,
                         (feature_group + 1) * geometry.output_features_per_feature_group,
                         (batch_group + 1) * geometry.output_features_per_batch_group});
        Sum sums[kBlock];
        for (Sum& sum : sums) sum = NewSumOfProducts(system);
        const int64_t lhs_row = (batch_group * geometry.batch + b) * base_count;
        ForEachTap(geometry, position, [&](int64_t base, int64_t tap) {
          const auto* left = lhs + (lhs_row + base) * geometry.lhs_features +
                             feature_group * geometry.input_features;
          const auto* right = rhs + tap * geometry.input_features * features + z;
          for (int64_t i = 0; i < geometry.input_features; ++i, right += features) {
            AddFeatureProducts(left[i], right, next - z, sums);
          }
        });
        auto* row = out + (b * position_count + p) * features + z;
        for (int64_t k = 0; k < next - z; ++k) row[k] = sums[k].Finish();
      }
    }
  }
}

}  // namespace hlocts::reference
