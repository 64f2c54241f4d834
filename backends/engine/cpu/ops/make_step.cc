// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/compile/op_list.h"

namespace hlocts::cpu {
namespace {

using Factory = absl::StatusOr<StepDraft> (*)(const OpContext& context);

struct FactoryTable {
  Factory factories[kOpcodeCount] = {};
  FactoryTable() {
#define HLOCTS_CPU_OP(Name, function) factories[static_cast<int>(Opcode::k##Name)] = function;
#include "backends/engine/cpu/compile/ops.def"
#undef HLOCTS_CPU_OP
  }
};

}  // namespace

absl::StatusOr<StepDraft> MakeStep(const OpContext& context) {
  static const FactoryTable* table = new FactoryTable();
  const Factory factory = table->factories[static_cast<int>(context.node.opcode)];
  if (factory == nullptr) {
    return Unsupported(context.name(), ": ", OpcodeName(context.node.opcode),
                       " is not implemented by this engine");
  }
  return factory(context);
}

}  // namespace hlocts::cpu
