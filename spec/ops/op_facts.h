// SPDX-License-Identifier: Apache-2.0
// The rarely used columns of an opcode's row in op_rows.inc: the effects of the operation, and the
// clauses about its operand types and its result shape.
#pragma once

#include <cstdint>

#include "absl/strings/string_view.h"
#include "spec/ir/module_fwd.h"
#include "spec/ir/opcode_fwd.h"

namespace hlocts {

namespace trait {
// The operation has an effect other than its result, so it is not removed if the result is unused.
// For a custom-call, an attribute decides: see HasSideEffect.
inline constexpr uint32_t kSideEffect = 1;
// The operation returns operand 0 unchanged.
inline constexpr uint32_t kForwardsOperand0 = 2;
}  // namespace trait

struct OpFacts {
  uint32_t traits = 0;
  absl::string_view type_clause;    // "" (hlo.element_type) if no document states it
  absl::string_view result_clause;  // "" for the family's clause; see ResultClauseOf
  bool Has(uint32_t trait) const { return (traits & trait) != 0; }
};
const OpFacts& FactsOf(Opcode opcode);

// Returns the clause that states the permitted element types of operand 0.
absl::string_view TypeClauseOf(Opcode opcode);
// Returns the clause on the shape of the result; hlo.result_shape for undocumented operations.
absl::string_view ResultClauseOf(Opcode opcode);

// Returns true if operand `operand` is a position in operand 0 rather than data: the start of a
// slice, or the indices of gather and scatter.
bool IsIndexOperand(const Instruction& instruction, int64_t operand);

}  // namespace hlocts
