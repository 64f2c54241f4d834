// SPDX-License-Identifier: Apache-2.0
// Defines the number by which engines and files identify a leaf of a parameter or a result.
#pragma once

#include <cstdint>

#include "absl/types/span.h"
#include "spec/ir/shape.h"

namespace hlocts {

// Returns the number of the leaf at `index` of shapes[number], counted over all shapes in the order
// of ForEachLeaf. Returns -1 if there is no such leaf.
int64_t LeafNumber(absl::Span<const Shape> shapes, int64_t number, const ShapeIndex& index);

}  // namespace hlocts
