// SPDX-License-Identifier: Apache-2.0
#include "spec/ir/leaf_number.h"

namespace hlocts {

int64_t LeafNumber(absl::Span<const Shape> shapes, int64_t number, const ShapeIndex& index) {
  int64_t next = 0, found = -1;
  for (int64_t i = 0; i < static_cast<int64_t>(shapes.size()); ++i) {
    ForEachLeaf(shapes[static_cast<size_t>(i)], [&](const Shape&, const ShapeIndex& path) {
      if (i == number && path == index) found = next;
      ++next;
    });
  }
  return found;
}

}  // namespace hlocts
