// SPDX-License-Identifier: Apache-2.0
#include "backends/adapters/xla/xla_fusions.h"

namespace hlocts::xla_plugin {

void UndoFusions(xla::HloModuleProto* module) {
  for (xla::HloComputationProto& computation : *module->mutable_computations()) {
    computation.clear_is_fusion_computation();
    for (xla::HloInstructionProto& instruction : *computation.mutable_instructions()) {
      if (instruction.opcode() != "fusion") continue;
      instruction.set_opcode("call");
      instruction.clear_fusion_kind();
      instruction.clear_backend_config();
    }
  }
}

}  // namespace hlocts::xla_plugin
