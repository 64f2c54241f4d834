// SPDX-License-Identifier: Apache-2.0
// The columns of an opcode's row that few ask for: what it does besides computing, and which
// sentence states the types it takes and the shape it gives.
#ifndef HLOCTS_SPEC_OPS_OP_FACTS_H_
#define HLOCTS_SPEC_OPS_OP_FACTS_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "spec/ir/module_fwd.h"
#include "spec/ir/opcode_fwd.h"

namespace hlocts {

namespace trait {
// Something happens besides the result: it stays although nobody reads that. Of custom-call the
// attribute says so: see HasSideEffect.
inline constexpr uint32_t kSideEffect = 1;
// Operand 0 unchanged.
inline constexpr uint32_t kHandsOn = 2;
}  // namespace trait

struct OpFacts {
  uint32_t traits = 0;
  absl::string_view type_clause;    // "": no document says so, it is hlo.element_type
  absl::string_view result_clause;  // "": that of the family, see ResultClauseOf
  bool Has(uint32_t trait) const { return (traits & trait) != 0; }
};
const OpFacts& FactsOf(Opcode opcode);

// The clause that says which element types operand 0 may have.
absl::string_view TypeClauseOf(Opcode opcode);
// The clause that says what shape the result has; hlo.result_shape for operations of no document.
absl::string_view ResultClauseOf(Opcode opcode);

bool HasSideEffect(const Instruction& instruction);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_OPS_OP_FACTS_H_
