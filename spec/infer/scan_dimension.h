// SPDX-License-Identifier: Apache-2.0
// Finds the dimension of a scan and removes it from shapes.
#pragma once

#include <vector>

#include "spec/ir/instruction.h"

namespace hlocts {

inline int64_t ScanDimensionOf(const Instruction& scan) {
  const std::vector<int64_t>& dimensions = scan.IntList(Attr::kDimensions);
  return scan.IntOr(Attr::kScanDimension, dimensions.empty() ? 0 : dimensions[0]);
}

inline Shape WithoutDimension(const Shape& shape, int64_t dimension) {
  std::vector<int64_t> sizes = shape.dimensions();
  sizes.erase(sizes.begin() + dimension);
  return Shape(shape.element_type(), std::move(sizes));
}

}  // namespace hlocts
