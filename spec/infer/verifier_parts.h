// SPDX-License-Identifier: Apache-2.0
// The parts of VerifyModule, in the order in which they run; each relies on those before it.
// Internal to this folder.
#ifndef HLOCTS_SPEC_INFER_VERIFIER_PARTS_H_
#define HLOCTS_SPEC_INFER_VERIFIER_PARTS_H_

#include <string>

#include "spec/base/status.h"
#include "spec/ir/module.h"
#include "spec/ir/module_fwd.h"

namespace hlocts {

// Pointers lead where they must, names are unique, parameters are numbered 0..n-1, operands come
// first, no computation calls itself (structure.cc).
absl::Status VerifyStructure(const Module& module);

// What involves several instructions: starts and dones, channels, infeeds, execution threads
// (interaction.cc).
absl::Status VerifyInteraction(const Module& module);

// Header of the module: entry layout, aliases, donors (aliasing.cc).
absl::Status VerifyHeader(const Module& module);

std::string NameOf(const Instruction& instruction);  // "%name = opcode"
std::string NameOf(const Computation& computation);  // "computation %name"

}  // namespace hlocts

#endif  // HLOCTS_SPEC_INFER_VERIFIER_PARTS_H_
