// SPDX-License-Identifier: Apache-2.0
// Computes the position of each element after a data movement, as a CopyGeometry for each opcode.
// The functions use only dimensions and attributes, so that values and acceptance sets share them.
//
// `operand` and `result` are dense row-major dimensions (already cut to run-time sizes).
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "reference/kernels/copy.h"
#include "spec/ir/attributes.h"

namespace hlocts::reference {

using Dims = absl::Span<const int64_t>;

// broadcast_in_dim.*: operand dimension i becomes result dimension `dimensions[i]`.
CopyGeometry BroadcastGeometry(Dims operand, Dims result, Dims dimensions);
// transpose.*: result dimension i is operand dimension permutation[i].
CopyGeometry TransposeGeometry(Dims operand, Dims permutation);
// rev.*: index i of each listed dimension goes to size - 1 - i.
CopyGeometry ReverseGeometry(Dims operand, Dims reversed);
// slice.*: every stride-th element from start to limit (excluded).
CopyGeometry SliceGeometry(Dims operand, absl::Span<const SliceRange> ranges);
// pad.*: the positions of the operand's elements in the result, which the caller has filled with
// the padding value. Negative edge padding is applied after interior padding (ruling 0045).
CopyGeometry PadGeometry(Dims operand, Dims result, absl::Span<const PaddingDimension> padding);
// concatenate.*: one operand, whose first element along `dimension` goes to `offset`.
CopyGeometry ConcatenateGeometry(Dims operand, Dims result, int64_t dimension, int64_t offset);
// dynamic_slice.*: `starts` is already clamped (ClampStarts).
CopyGeometry DynamicSliceGeometry(Dims operand, Dims sizes, Dims starts);
// dynamic_update_slice.*: the target of `update`; the caller has copied the operand.
CopyGeometry DynamicUpdateSliceGeometry(Dims operand, Dims update, Dims starts);
// Clamps each start to 0 <= start <= size - slice size (ruling 0009).
std::vector<int64_t> ClampStarts(Dims operand, Dims sizes, Dims starts);

}  // namespace hlocts::reference
