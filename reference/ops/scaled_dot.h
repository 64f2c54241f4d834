// SPDX-License-Identifier: Apache-2.0
// Finds the scale of a scaled-dot that belongs to each element (ruling 0101).
#pragma once

#include <cstdint>
#include <vector>

#include "spec/ir/shape.h"

namespace hlocts::reference {

// Returns the index of each operand element's scale, in row-major order. A scale belongs to a block
// of elements, whose size in each dimension is the operand's size divided by the scales' size.
// `scales` is not a scalar, and its sizes divide the operand's.
std::vector<int64_t> ScaleOfElements(const Shape& operand, const Shape& scales);

}  // namespace hlocts::reference
