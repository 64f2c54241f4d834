// SPDX-License-Identifier: Apache-2.0
// What the collectives' rules share. Internal to this folder.
#ifndef HLOCTS_SPEC_INFER_COLLECTIVE_PARTS_H_
#define HLOCTS_SPEC_INFER_COLLECTIVE_PARTS_H_

#include <vector>

#include "spec/infer/collective.h"
#include "spec/infer/rules.h"

namespace hlocts {

// The group mode of a collective whose groups are disjoint and name all ids from 0 on; `uniform`:
// they are of one size, because the shape of the result depends on it.
absl::StatusOr<CollectiveGroupMode> CheckedMode(const Instruction& op, bool uniform);

absl::Status ExpectArrayOperands(const Instruction& op, absl::string_view rule);
std::vector<Shape> OperandShapes(const Instruction& op);

// A *-start's shape is (operand, result, contexts...); the stated contexts are kept.
absl::StatusOr<Shape> StartShape(const Instruction& op, Shape operand, Shape result);
// Of a *-done: that element of its start's shape.
absl::StatusOr<Shape> ResultOfStart(const Instruction& done, Opcode start, size_t element);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_INFER_COLLECTIVE_PARTS_H_
