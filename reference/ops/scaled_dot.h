// SPDX-License-Identifier: Apache-2.0
// The scale of a scaled-dot that belongs to each element (ruling 0101).
#ifndef HLOCTS_REFERENCE_OPS_SCALED_DOT_H_
#define HLOCTS_REFERENCE_OPS_SCALED_DOT_H_

#include <cstdint>
#include <vector>

#include "spec/ir/shape.h"

namespace hlocts::reference {

// For each element of the operand, in row-major order, the number of its scale. A scale belongs to
// a block of elements: along each dimension to as many as the operand has for one of the scales.
// The sizes of the scales, which are no scalar, divide those of the operand.
std::vector<int64_t> ScaleOfElements(const Shape& operand, const Shape& scales);

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_OPS_SCALED_DOT_H_
