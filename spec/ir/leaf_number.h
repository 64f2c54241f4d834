// SPDX-License-Identifier: Apache-2.0
// The number under which engines and files know a part of a parameter or a result.
#ifndef HLOCTS_SPEC_IR_LEAF_NUMBER_H_
#define HLOCTS_SPEC_IR_LEAF_NUMBER_H_

#include <cstdint>

#include "absl/types/span.h"
#include "spec/ir/shape.h"

namespace hlocts {

// Number of the leaf at `index` of shapes[number], counted over all shapes one after another, in
// the order of ForEachLeaf; -1 where no leaf is.
int64_t LeafNumber(absl::Span<const Shape> shapes, int64_t number, const ShapeIndex& index);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_IR_LEAF_NUMBER_H_
