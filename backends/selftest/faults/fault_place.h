// SPDX-License-Identifier: Apache-2.0
// Restricts a fault to some instructions: FAULT@WORDS. To test a sentence that applies to one
// situation ("if the output element is larger ...", "GE is true where ...", an example), a fault
// acts in that situation and nowhere else.
//
// All WORDS, joined by &, must match the instruction; !WORD must not. A word is one of the names
// that refusal_families.cc gives to properties of instructions ("size-one", "replicas"), or a
// substring of the instruction's line, printed without names and blanks: "direction=GE",
// "=f32[2,3]", "(f32[3],".
#pragma once

#include <optional>
#include <set>
#include <string>

#include "absl/strings/string_view.h"
#include "backends/selftest/faults/fault.h"

namespace hlocts::backends {

// The fault `whole`, restricted to the instructions that match `words`. nullopt: it does not act on
// single instructions, or `words` is empty.
std::optional<Fault> FaultAt(const Fault& whole, absl::string_view words);

// The text in which words are searched: "=f32[2,3]add(f32[2,3],f32[2,3])".
std::string LineOf(const Instruction& instruction);

// The names of the instruction's properties, and of its module's, from refusal_families.cc.
std::set<std::string> PropertyNamesOf(const Instruction& instruction);
std::set<std::string> PeculiaritiesOfModule(const Instruction& instruction);

}  // namespace hlocts::backends
