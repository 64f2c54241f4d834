// SPDX-License-Identifier: Apache-2.0
// Handles arrays of sets with run-time sizes (ruling 0064).
#pragma once

#include <functional>

#include "absl/types/span.h"
#include "reference/judge/interpreter/set_value.h"
#include "spec/base/status.h"
#include "spec/ir/instruction.h"
#include "spec/judge/acceptance_set.h"

namespace hlocts::reference {

// Returns the elements within the array's run-time sizes as a static array.
SetArray WithinSizes(const SetArray& array);
// Returns an array of `shape` whose first elements in each dimension are those of the static array
// `dense`. The dimensions of `dense` become the run-time sizes if `shape` is dynamic or larger.
SetArray InBounds(const SetArray& dense, const Shape& shape);

// Runs `work` on the operands, each cut to its run-time sizes. Result k of `shape` gets the sizes
// of operand k. Returns kInvalidArgument if the sizes of operands contradict each other.
absl::StatusOr<SetValue> OnDenseArrays(
    const Instruction& instruction, const Shape& shape, absl::Span<const SetValue> operands,
    const std::function<absl::StatusOr<SetValue>(const Shape&, absl::Span<const SetValue>)>& work);

}  // namespace hlocts::reference
