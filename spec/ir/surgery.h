// SPDX-License-Identifier: Apache-2.0
// Edits of a module that keep it consistent, for rewriters, reducers and fault injectors.
#ifndef HLOCTS_SPEC_IR_SURGERY_H_
#define HLOCTS_SPEC_IR_SURGERY_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "spec/ir/module_fwd.h"

namespace hlocts {

// Parameter or constant: carries a value and computes nothing.
bool IsCarrier(const Instruction& instruction);
// Iota, broadcast, reshape: on constants, these are as cheap to duplicate as a constant.
bool IsCheapOfConstants(Opcode opcode);
// The computation that a call or fusion runs once on its operands; nullptr for other instructions.
const Computation* InlinedBody(const Instruction& instruction);

// Replaces every use of `from` in its computation, and the root, by `to`, except in `to` itself and
// in `keep`.
void ReplaceUses(Instruction* from, Instruction* to, absl::Span<Instruction* const> keep = {});

// A detached copy: opcode, shape, attributes, literal and parameter number, with these operands.
std::unique_ptr<Instruction> CopyOf(const Instruction& instruction, std::string name,
                                    std::vector<Instruction*> operands);

// Moves `added`, already in the computation of `place`, directly behind it, in this order.
void MoveBehind(Instruction* place, absl::Span<Instruction* const> added);
// Makes `added` the first instruction of its computation, so that all others may use it.
void MoveToFront(Instruction* added);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_IR_SURGERY_H_
