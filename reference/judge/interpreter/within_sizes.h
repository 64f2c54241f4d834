// SPDX-License-Identifier: Apache-2.0
// Arrays of sets with run-time sizes (ruling 0064).
#ifndef HLOCTS_REFERENCE_JUDGE_INTERPRETER_WITHIN_SIZES_H_
#define HLOCTS_REFERENCE_JUDGE_INTERPRETER_WITHIN_SIZES_H_

#include <functional>

#include "absl/types/span.h"
#include "reference/judge/interpreter/set_value.h"
#include "spec/base/status.h"
#include "spec/ir/instruction.h"
#include "spec/judge/acceptance_set.h"

namespace hlocts::reference {

// The elements within the array's run-time sizes, as a static array.
SetArray WithinSizes(const SetArray& array);
// Places such an array in the low corner of one of `shape`; its dimensions become the run-time
// sizes where `shape` is dynamic or larger.
SetArray InBounds(const SetArray& dense, const Shape& shape);

// Runs `work` on the operands without run-time sizes. Result k, of as many as `shape` has, gets the
// sizes of operand k. kInvalidArgument: the sizes do not fit each other.
absl::StatusOr<SetValue> OnDenseArrays(
    const Instruction& instruction, const Shape& shape, absl::Span<const SetValue> operands,
    const std::function<absl::StatusOr<SetValue>(const Shape&, absl::Span<const SetValue>)>& work);

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_JUDGE_INTERPRETER_WITHIN_SIZES_H_
