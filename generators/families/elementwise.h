// SPDX-License-Identifier: Apache-2.0
// Functions that apply element-wise operations to given operands.
//
// A function of families/ draws the result shape first and derives the operands from that shape.
// Every module is therefore valid. The facts about the operands determine the facts about the
// result (../value_facts.h). idioms.cc combines operations in patterns that compilers rewrite.
//
// A new operation needs a function here, a row of ../op_generators.def and a weight in
// spec/ops/op_rows.inc. A family must not use shape rules of spec/infer, and must draw every random
// number from the ChoiceSource.
#pragma once

#include "generators/module_writer.h"

namespace hlocts::generators {

// Returns the requirement of the operation on an operand of that type.
Requirement RequirementOfUnary(const ModuleWriter& w, Opcode opcode, PrimitiveType type);
// Returns nullptr if the stream excludes the operation.
Value* ApplyUnary(ModuleWriter& w, Opcode opcode, Value* operand);
// Emits add, subtract, multiply, maximum or minimum. Operands that are too large are clamped.
Value* ApplyArithmetic(ModuleWriter& w, Opcode opcode, Value* lhs, Value* rhs);

}  // namespace hlocts::generators
