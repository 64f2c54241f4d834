// SPDX-License-Identifier: Apache-2.0
// Changes to a module that keep it whole: who rewrites, shrinks or breaks modules works with these.
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
// Iota, broadcast, reshape: of constants they are as cheap to make again as a constant to copy.
bool IsCheapOfConstants(Opcode opcode);
// What a call or fusion computes, once, of its operands; nullptr for other instructions.
const Computation* InlinedBody(const Instruction& instruction);

// Every use of `from` in its computation, as the root too, becomes one of `to`, except by `to`
// itself and by `keep`.
void ReplaceUses(Instruction* from, Instruction* to, absl::Span<Instruction* const> keep = {});

// A copy without a home: opcode, shape, attributes, literal and parameter number, on these
// operands.
std::unique_ptr<Instruction> CopyOf(const Instruction& instruction, std::string name,
                                    std::vector<Instruction*> operands);

// Puts `added`, already in the computation of `place`, behind it, in this order.
void MoveBehind(Instruction* place, absl::Span<Instruction* const> added);
// Makes `added` the first instruction of its computation: everybody may use it.
void MoveToFront(Instruction* added);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_IR_SURGERY_H_
