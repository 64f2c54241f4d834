// SPDX-License-Identifier: Apache-2.0
// FAULT@WORDS: a fault that strikes only some of its instructions. A sentence that holds in one
// situation ("if the output element is larger ...", "GE is true where ...", an example) is broken
// by a fault in that situation and nowhere else.
//
// All WORDS, joined by &, must hold; !WORD must not. A word is one of the names that
// refusal_families.cc gives to peculiarities ("size-one", "replicas"), or a substring of the
// instruction's line, printed without names and blanks: "direction=GE", "=f32[2,3]", "(f32[3],".
#ifndef HLOCTS_BACKENDS_SELFTEST_FAULTS_FAULT_PLACE_H_
#define HLOCTS_BACKENDS_SELFTEST_FAULTS_FAULT_PLACE_H_

#include <optional>
#include <set>
#include <string>

#include "absl/strings/string_view.h"
#include "backends/selftest/faults/fault.h"

namespace hlocts::backends {

// `whole` at the instructions that WORDS name. nullopt: it does not act on single instructions, or
// there are no words.
std::optional<Fault> FaultAt(const Fault& whole, absl::string_view words);

// "=f32[2,3]add(f32[2,3],f32[2,3])": the text in which words are searched.
std::string LineOf(const Instruction& instruction);

// From refusal_families.cc: names of the peculiarities of the instruction, and of its module.
std::set<std::string> PeculiaritiesOf(const Instruction& instruction);
std::set<std::string> PeculiaritiesOfModule(const Instruction& instruction);

}  // namespace hlocts::backends

#endif  // HLOCTS_BACKENDS_SELFTEST_FAULTS_FAULT_PLACE_H_
