// SPDX-License-Identifier: Apache-2.0
// Functions for negative.cc, each of which breaks one rule. They are written from the documents and
// use no code of spec/infer, because that code must detect the violations.
#pragma once

#include <optional>
#include <vector>

#include "generators/choice_source.h"
#include "spec/ir/instruction.h"
#include "spec/ir/opcode.h"

namespace hlocts::generators {

using Sizes = std::vector<int64_t>;

// Changes the instruction to break the rule, or changes nothing and returns false.
using Break = bool (*)(Instruction& instruction);
struct BreakRow {
  Opcode opcode;
  const char* rule;
  Break apply;
};

// Returns the shape of the constant that replaces an operand. A negative OperandRow::operand counts
// from the last operand.
using ShapeChange = std::optional<Shape> (*)(const Instruction& user, const Shape& operand);
struct OperandRow {
  Opcode opcode;
  const char* rule;
  int64_t operand;
  ShapeChange change;
};

// Breaks a rule about the header, or about the relation of instructions and computations.
struct ModuleRow {
  const char* rule;
  bool (*apply)(ChoiceSource& choose, Module& module);
};

std::vector<BreakRow> AttributeBreaks();  // negative_attributes.cc
std::vector<BreakRow> IndexingBreaks();   // negative_indexing.cc
std::vector<BreakRow> RowBreaks();        // negative_operations.cc: requirements and results
std::vector<OperandRow> OperandBreaks();  // negative_operands.cc
std::vector<ModuleRow> ModuleBreaks();    // negative_module.cc

// Replaces the operand by zeros of that shape, or by an empty tuple.
void ReplaceOperand(Instruction& user, int64_t operand, const Shape& shape);
// Makes `caller` call an earlier computation with other parameters. Returns false if there is none.
bool CallAnother(Instruction& caller, Attr attr);
// Grows the first dimension of an array or of a tuple's first array; makes a scalar a vector.
bool Grow(Shape& shape);

inline const ConvolutionDimensionNumbers& LabelsOf(const Instruction& convolution) {
  return *convolution.Get<ConvolutionDimensionNumbers>(Attr::kDimLabels);
}

}  // namespace hlocts::generators
