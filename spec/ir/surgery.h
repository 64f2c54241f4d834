// SPDX-License-Identifier: Apache-2.0
// Edits a module and keeps it consistent, for rewriters, reducers and fault injectors.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "spec/ir/module_fwd.h"

namespace hlocts {

// Returns true for a parameter or constant, which carries a value and computes nothing.
bool IsCarrier(const Instruction& instruction);
// Returns true for iota, broadcast and reshape. If their operands are constants, copies are cheap.
bool IsCheapOfConstants(Opcode opcode);
// Returns the computation that a call or fusion runs once on its operands, otherwise nullptr.
const Computation* InlinedBody(const Instruction& instruction);

// Replaces `from` by `to` as the root and in all users of `from` except `to` and `keep`.
void ReplaceUses(Instruction* from, Instruction* to, absl::Span<Instruction* const> keep = {});

// Returns a detached copy of the instruction with these operands and this name.
std::unique_ptr<Instruction> CopyOf(const Instruction& instruction, std::string name,
                                    std::vector<Instruction*> operands);

// Moves `added`, instructions of the same computation, directly behind `place`, in this order.
void MoveBehind(Instruction* place, absl::Span<Instruction* const> added);
// Makes `added` the first instruction of its computation, so that all others may use it.
void MoveToFront(Instruction* added);

}  // namespace hlocts
