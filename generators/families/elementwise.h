// SPDX-License-Identifier: Apache-2.0
// Element-wise operations on operands that are at hand.
//
// A family function draws the result shape first and solves for the operands, so that no module
// needs repair; facts about operands give the facts about the result (../value_facts.h). idioms.cc
// combines operations in the patterns that compilers rewrite.
//
// New operation: a function here, a row of ../op_generators.def and a weight in
// spec/ops/op_rows.inc. A family takes no shape rule from spec/infer and draws every random number
// from the ChoiceSource.
#ifndef HLOCTS_GENERATORS_FAMILIES_ELEMENTWISE_H_
#define HLOCTS_GENERATORS_FAMILIES_ELEMENTWISE_H_

#include "generators/module_writer.h"

namespace hlocts::generators {

// The requirement of the operation on an operand of that type.
Requirement RequirementOfUnary(const ModuleWriter& w, Opcode opcode, PrimitiveType type);
// nullptr: not in this stream.
Value* ApplyUnary(ModuleWriter& w, Opcode opcode, Value* operand);
// add, subtract, multiply, maximum, minimum; operands that are too large for it go through a clamp.
Value* ApplyArithmetic(ModuleWriter& w, Opcode opcode, Value* lhs, Value* rhs);

}  // namespace hlocts::generators

#endif  // HLOCTS_GENERATORS_FAMILIES_ELEMENTWISE_H_
