// SPDX-License-Identifier: Apache-2.0
// Helpers that the rules of the collectives share. Internal to this directory.
#pragma once

#include <vector>

#include "spec/infer/collective.h"

namespace hlocts {

// Returns the group mode of a collective. Checks that its groups are disjoint and name all ids from
// 0 on and, with `uniform`, have equal sizes, because the shape of the result depends on the size.
absl::StatusOr<CollectiveGroupMode> CheckedMode(const Instruction& op, bool uniform);

absl::Status ExpectArrayOperands(const Instruction& op, absl::string_view rule);
std::vector<Shape> OperandShapes(const Instruction& op);

// Returns the shape (operand, result, contexts...) of a *-start, with the stated contexts.
absl::StatusOr<Shape> StartShape(const Instruction& op, Shape operand, Shape result);
// Returns the shape of a *-done, which is element `element` of the shape of its start.
absl::StatusOr<Shape> ResultOfStart(const Instruction& done, Opcode start, size_t element);

}  // namespace hlocts
