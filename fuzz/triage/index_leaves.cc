// SPDX-License-Identifier: Apache-2.0
#include "fuzz/triage/index_leaves.h"

#include <algorithm>

#include "spec/ir/module.h"
#include "spec/ir/opcode.h"

namespace hlocts::fuzz {
namespace {

// The operands that are indices, not data.
struct IndexOperands {
  Opcode opcode;
  int64_t first, last;  // of the operands; last < 0: counted from their end
};
constexpr IndexOperands kIndexOperands[] = {
    {Opcode::kDynamicSlice, 1, -1}, {Opcode::kDynamicUpdateSlice, 2, -1}, {Opcode::kGather, 1, 1}};

bool IsIndexOf(const Instruction& user, int64_t operand) {
  const int64_t count = user.operand_count();
  if (user.opcode() == Opcode::kScatter) return operand == (count - 1) / 2;
  return std::any_of(std::begin(kIndexOperands), std::end(kIndexOperands), [&](const auto& row) {
    int64_t last = row.last < 0 ? count + row.last : row.last;
    return row.opcode == user.opcode() && row.first <= operand && operand <= last;
  });
}

}  // namespace

bool OnlyIndexes(const Instruction& leaf) {
  if (!leaf.IsParameter() && !leaf.has_literal()) return false;
  bool indexes = false;
  for (const auto& user : leaf.parent()->instructions()) {
    for (int64_t k = 0; k < user->operand_count(); ++k) {
      if (user->operands()[static_cast<size_t>(k)] != &leaf) continue;
      if (!IsIndexOf(*user, k)) return false;
      indexes = true;
    }
  }
  return indexes;
}

}  // namespace hlocts::fuzz
