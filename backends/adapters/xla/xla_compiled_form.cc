// SPDX-License-Identifier: Apache-2.0
#include "backends/adapters/xla/xla_compiled_form.h"

#include <cstdint>
#include <unordered_map>

namespace hlocts::xla_plugin {
namespace {

// No layout is the default one; tiles and element sizes are what a reshape may not change either.
bool IsRowMajor(const xla::ShapeProto& shape) {
  if (shape.element_type() == xla::TUPLE) return false;
  if (!shape.has_layout()) return true;
  if (shape.layout().tiles_size() != 0) return false;
  int64_t expected = shape.dimensions_size();
  for (const int64_t dimension : shape.layout().minor_to_major()) {
    if (dimension != --expected) return false;
  }
  return true;
}

int64_t ElementCount(const xla::ShapeProto& shape) {
  int64_t count = 1;
  for (const int64_t size : shape.dimensions()) count *= size;
  return count;
}

bool IsReshape(const xla::ShapeProto& operand, const xla::ShapeProto& result) {
  return operand.element_type() == result.element_type() && IsRowMajor(operand) &&
         IsRowMajor(result) && ElementCount(operand) == ElementCount(result);
}

void UndoFusion(xla::HloInstructionProto* instruction) {
  instruction->set_opcode("call");
  instruction->clear_fusion_kind();
  instruction->clear_backend_config();
}

void UndoComputation(xla::HloComputationProto* computation) {
  computation->clear_is_fusion_computation();
  std::unordered_map<int64_t, const xla::ShapeProto*> shapes;
  for (const xla::HloInstructionProto& instruction : computation->instructions()) {
    shapes[instruction.id()] = &instruction.shape();
  }
  for (xla::HloInstructionProto& instruction : *computation->mutable_instructions()) {
    if (instruction.opcode() == "fusion") UndoFusion(&instruction);
    if (instruction.opcode() != "bitcast" || instruction.operand_ids_size() != 1) continue;
    const auto operand = shapes.find(instruction.operand_ids(0));
    if (operand != shapes.end() && IsReshape(*operand->second, instruction.shape())) {
      instruction.set_opcode("reshape");
    }
  }
}

}  // namespace

void UndoCompiledForm(xla::HloModuleProto* module) {
  module->clear_schedule();
  for (xla::HloComputationProto& computation : *module->mutable_computations()) {
    UndoComputation(&computation);
  }
}

}  // namespace hlocts::xla_plugin
