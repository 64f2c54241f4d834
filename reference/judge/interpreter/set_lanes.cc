// SPDX-License-Identifier: Apache-2.0
// Runs a computation of scalars on arrays of scalars.
#include "reference/judge/interpreter/handlers.h"
#include "reference/judge/interpreter/set_interpreter.h"
#include "spec/ir/module.h"
#include "spec/ir/surgery.h"
#include "spec/ops/groups.h"

namespace hlocts::reference {
namespace {

// Returns an array of the dimensions of `lanes` whose elements all equal the scalar.
SetValue Spread(const SetValue& scalar, const Shape& lanes) {
  const SetArray& array = scalar.array;
  Shape shape(array.element_type(), lanes.dimensions());
  std::vector<AcceptanceSet> sets;
  for (int64_t i = 0; i < shape.ElementCount(); ++i) {
    for (int c = 0; c < array.components(); ++c) sets.push_back(array.At(0, c));
  }
  return Compress(SetArray(shape, std::move(sets)));
}

Shape LaneShape(const Shape& shape, const Shape& lanes) {
  if (!shape.IsTuple()) return Shape(shape.element_type(), lanes.dimensions());
  std::vector<Shape> elements;
  for (const Shape& element : shape.tuple_shapes()) elements.push_back(LaneShape(element, lanes));
  return Shape::Tuple(std::move(elements));
}

// Returns true if the instruction reads the bits of a scalar as a scalar of the same width.
// Compilers rewrite comparisons in total order to comparisons of such bits.
bool IsBitsOfScalar(const Instruction& instruction) {
  if (instruction.opcode() != Opcode::kBitcastConvert && instruction.opcode() != Opcode::kBitcast) {
    return false;
  }
  const Shape &from = instruction.operand(0).shape(), &to = instruction.shape();
  return from.IsArray() && to.IsArray() && from.rank() == 0 && to.rank() == 0 &&
         BitWidth(from.element_type()) == BitWidth(to.element_type());
}

}  // namespace

absl::StatusOr<SetValue> SetInterpreter::CallLanes(const Computation& computation,
                                                   absl::Span<const SetValue> arguments,
                                                   const Shape& lanes) {
  std::vector<SetValue> values(computation.instructions().size());
  for (const auto& instruction : computation.instructions()) {
    SetValue& out = values[instruction->index()];
    std::vector<SetValue> operands;
    for (const Instruction* operand : instruction->operands()) {
      operands.push_back(values[operand->index()]);
    }
    Shape shape = LaneShape(instruction->shape(), lanes);
    Opcode opcode = instruction->opcode();
    if (opcode == Opcode::kParameter) {
      out = arguments[instruction->parameter_number()];
    } else if (ops::IsSource(opcode)) {
      HLOCTS_ASSIGN_OR_RETURN(SetValue scalar,
                              SetHandlerOf(opcode)(*this, *instruction, instruction->shape(), {}));
      out = Spread(scalar, lanes);
    } else if (const Computation* body = InlinedBody(*instruction)) {
      HLOCTS_ASSIGN_OR_RETURN(out, CallLanes(*body, operands, lanes));
    } else if (IsElementwiseSetOpcode(opcode) || ops::IsPacking(opcode) ||
               opcode == Opcode::kCopy || IsBitsOfScalar(*instruction)) {
      HLOCTS_ASSIGN_OR_RETURN(out, SetHandlerOf(opcode)(*this, *instruction, shape, operands));
    } else if (opcode == Opcode::kReshape || opcode == Opcode::kBroadcast) {
      out = operands[0];  // a scalar as a scalar
    } else {
      return UnspecifiedResult(*this, *computation.root(),
                               LaneShape(computation.root()->shape(), lanes),
                               WideningCause::kUnknown);
    }
  }
  return values[computation.root()->index()];
}

}  // namespace hlocts::reference
