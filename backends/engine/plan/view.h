// SPDX-License-Identifier: Apache-2.0
// A view maps each position of an array to an element of another array: the element's index is an
// offset plus a stride times the position's index in each dimension. Broadcasts, transposes, slices
// and reversals of an array are views of it.
#pragma once

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
  // Returns a view all of whose positions map to the element at `offset`.
  static View Splat(int64_t offset, int64_t elements);

  int64_t elements() const;
  // Returns an equivalent view with as few dimensions as possible. A view without elements loses
  // its dimensions of size 1.
  View Simplified() const;
  // Returns true if the elements from `offset` on are contiguous. The view must be simplified.
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
// Returns the view with new dimensions, or nullopt if strides cannot express it.
std::optional<View> Reshaped(const View& view, absl::Span<const int64_t> dimensions);

}  // namespace hlocts::plan
