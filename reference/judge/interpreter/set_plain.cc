// SPDX-License-Identifier: Apache-2.0
// Finds computations that need no sets: on known operands, the plain evaluator yields their value.
#include "reference/judge/interpreter/handlers.h"
#include "reference/judge/interpreter/set_interpreter.h"
#include "spec/ir/module.h"
#include "spec/ops/kinds.h"

namespace hlocts::reference {
namespace {

bool Certain(PrimitiveType type) { return !IsFloat(type) && !IsComplex(type); }

// Returns true for moves of any type, and for integer operations that are fully defined.
bool CertainOperation(const Instruction& instruction) {
  const OpRow& row = RowOf(instruction.opcode());
  bool sorted = instruction.BoolOr(Attr::kIndicesAreSorted, false);
  switch (row.family) {
    case Family::kMovement:
    case Family::kTuple:
      return true;
    case Family::kIndexing:
      return instruction.opcode() != Opcode::kScatter && !sorted;
    case Family::kLeaf:
      return true;
    case Family::kElementwiseUnary:
    case Family::kElementwiseBinary:
    case Family::kElementwiseOther:
      break;
    default:
      return false;
  }
  if (instruction.opcode() == Opcode::kSelect) return true;
  bool open = row.freedom != Freedom::kNone && instruction.opcode() != Opcode::kConvert;
  if (open || !Certain(instruction.shape().element_type())) return false;
  for (const Instruction* operand : instruction.operands()) {
    if (!Certain(operand->shape().element_type())) return false;
  }
  return true;
}

}  // namespace

bool SetInterpreter::IsPlain(const Computation& computation) {
  auto [found, inserted] = plain_.try_emplace(&computation, true);
  if (!inserted) return found->second;
  bool plain = true;
  for (const auto& instruction : computation.instructions()) {
    plain = plain && IsPlain(*instruction);
  }
  plain_[&computation] = plain;
  return plain;
}

bool SetInterpreter::IsPlain(const Instruction& instruction) {
  if (!ops::IsCaller(instruction.opcode())) return CertainOperation(instruction);
  for (const Computation* called : instruction.called_computations()) {
    if (!IsPlain(*called)) return false;
  }
  return true;
}

absl::StatusOr<Literal> SetInterpreter::RunElementwise(const Instruction& instruction,
                                                       const Shape& shape,
                                                       absl::Span<const SetValue> operands) {
  bool direct = IsElementwise(instruction.opcode());
  int64_t count = shape.ElementCount();
  const void* data[3] = {};
  for (size_t i = 0; i < operands.size() && direct; ++i) {
    const SetArray& array = operands[i].array;
    direct = i < 3 && array.runtime_sizes.empty() && array.element_count() == count;
    if (direct) data[i] = array.literal().raw_data();
  }
  if (!direct || count == 0) return runner_.Run(instruction, shape, Literals(operands));
  auto found = kernels_.find(&instruction);
  if (found == kernels_.end()) {
    HLOCTS_ASSIGN_OR_RETURN(ElementwiseOp kernel, ResolveElementwise(instruction));
    found = kernels_.emplace(&instruction, kernel).first;
  }
  Literal result(shape);
  found->second(data, result.mutable_raw_data(), count);
  return result;
}

}  // namespace hlocts::reference
