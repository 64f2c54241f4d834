// SPDX-License-Identifier: Apache-2.0
// A view: which element of an array is at each position of another, as strides over the row-major
// index of the position. Broadcasts, transposes, slices and reversals of an array are views of it.
#ifndef HLOCTS_BACKENDS_ENGINE_PLAN_VIEW_H_
#define HLOCTS_BACKENDS_ENGINE_PLAN_VIEW_H_

#include <cstdint>
#include <optional>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "spec/ir/attributes.h"

namespace hlocts::plan {

struct ViewDimension {
  int64_t size = 1;
  int64_t stride = 0;
  bool operator==(const ViewDimension&) const = default;
};

struct View {
  int64_t offset = 0;
  absl::InlinedVector<ViewDimension, 6> dimensions;  // outermost first

  static View Dense(absl::Span<const int64_t> dimensions);
  // Every place shows the element at `offset`.
  static View Splat(int64_t offset, int64_t elements);

  int64_t elements() const;
  // The same view with as few dimensions as possible; without elements, no dimension of size 1.
  View Simplified() const;
  // For a simplified view: its elements are contiguous from `offset` on.
  bool IsContiguous() const {
    return dimensions.empty() || (dimensions.size() == 1 && dimensions[0].stride == 1);
  }
  bool IsSplat() const {
    return dimensions.empty() || (dimensions.size() == 1 && dimensions[0].stride == 0);
  }
  bool operator==(const View&) const = default;
};

View Transposed(const View& view, absl::Span<const int64_t> permutation);
View Broadcast(const View& view, absl::Span<const int64_t> result,
               absl::Span<const int64_t> dimensions);
View Sliced(const View& view, absl::Span<const SliceRange> ranges);
View Reversed(const View& view, absl::Span<const int64_t> dimensions);
// nullopt when the elements under the new dimensions are no strided view.
std::optional<View> Reshaped(const View& view, absl::Span<const int64_t> dimensions);

}  // namespace hlocts::plan

#endif  // HLOCTS_BACKENDS_ENGINE_PLAN_VIEW_H_
