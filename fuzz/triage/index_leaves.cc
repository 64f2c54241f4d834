// SPDX-License-Identifier: Apache-2.0
#include "fuzz/triage/index_leaves.h"

#include "spec/ir/module.h"
#include "spec/ops/op_facts.h"

namespace hlocts::fuzz {

bool OnlyIndexes(const Instruction& leaf) {
  if (!leaf.IsParameter() && !leaf.has_literal()) return false;
  bool indexes = false;
  for (const auto& user : leaf.parent()->instructions()) {
    for (int64_t k = 0; k < user->operand_count(); ++k) {
      if (user->operands()[static_cast<size_t>(k)] != &leaf) continue;
      if (!IsIndexOperand(*user, k)) return false;
      indexes = true;
    }
  }
  return indexes;
}

}  // namespace hlocts::fuzz
