// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/plan/opcodes.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "spec/ops/kinds.h"

namespace hlocts::plan {

std::string OpcodeNames(const std::vector<Opcode>& tables) {
  std::string names;
  for (const Opcode opcode : AllOpcodes()) {
    const bool planned =
        ops::IsWiring(opcode) || ops::IsView(opcode) ||
        ops::IsOneOf(opcode, {Opcode::kReshape, Opcode::kIota, Opcode::kGetDimensionSize,
                              Opcode::kSetDimensionSize, Opcode::kDynamicReshape});
    if (planned || std::find(tables.begin(), tables.end(), opcode) != tables.end())
      absl::StrAppend(&names, names.empty() ? "" : " ", OpcodeName(opcode));
  }
  return names;
}

}  // namespace hlocts::plan
