// SPDX-License-Identifier: Apache-2.0
// Functions that break one rule each, for negative.cc. Each is written from the sentence that it
// breaks and shares nothing with spec/infer, which should detect it.
#ifndef HLOCTS_GENERATORS_NEGATIVE_ROWS_H_
#define HLOCTS_GENERATORS_NEGATIVE_ROWS_H_

#include <optional>
#include <vector>

#include "generators/choice_source.h"
#include "spec/ir/instruction.h"
#include "spec/ir/opcode.h"

namespace hlocts::generators {

using Sizes = std::vector<int64_t>;

// Changes the instruction so that it breaks the rule; false where it cannot, and nothing has
// changed.
using Break = bool (*)(Instruction& instruction);
struct BreakRow {
  Opcode opcode;
  const char* rule;
  Break apply;
};

// The operand (negative: from the last) is replaced by a constant of another shape.
using ShapeChange = std::optional<Shape> (*)(const Instruction& user, const Shape& operand);
struct OperandRow {
  Opcode opcode;
  const char* rule;
  int64_t operand;
  ShapeChange change;
};

// Something between instructions, computations or the header.
struct ModuleRow {
  const char* rule;
  bool (*apply)(ChoiceSource& choose, Module& module);
};

std::vector<BreakRow> AttributeBreaks();  // negative_attributes.cc
std::vector<BreakRow> IndexingBreaks();   // negative_indexing.cc: gather, scatter and their kin
std::vector<BreakRow>
RowBreaks();  // negative_operations.cc: what each opcode's row in spec/ops and its result demand
std::vector<OperandRow> OperandBreaks();  // negative_operands.cc
std::vector<ModuleRow> ModuleBreaks();    // negative_module.cc

// Puts a constant of zeros of that shape (an empty tuple) in the operand's place.
void ReplaceOperand(Instruction& user, int64_t operand, const Shape& shape);
// Calls a computation that takes other parameters; false if none precedes the caller's.
bool CallAnother(Instruction& caller, Attr attr);
// Adds an element in the first dimension; makes a scalar an array; grows a tuple's first element.
bool Grow(Shape& shape);

inline const ConvolutionDimensionNumbers& LabelsOf(const Instruction& convolution) {
  return *convolution.Get<ConvolutionDimensionNumbers>(Attr::kDimLabels);
}

}  // namespace hlocts::generators

#endif  // HLOCTS_GENERATORS_NEGATIVE_ROWS_H_
