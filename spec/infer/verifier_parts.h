// SPDX-License-Identifier: Apache-2.0
// The parts of VerifyModule in execution order. Each part assumes that the previous ones have
// succeeded. Internal to this directory.
#pragma once

#include <string>

#include "spec/base/status.h"
#include "spec/ir/module.h"
#include "spec/ir/module_fwd.h"

namespace hlocts {

// Checks pointers, that names are unique, that parameters are numbered 0..n-1, that operands
// precede their users, and that no computation calls itself (structure.cc).
absl::Status VerifyStructure(const Module& module);

// Checks pairs of starts and dones, channels, infeeds and execution threads (interaction.cc).
absl::Status VerifyInteraction(const Module& module);

// Checks the module header: entry layout, aliases, donors (aliasing.cc).
absl::Status VerifyHeader(const Module& module);

std::string NameOf(const Instruction& instruction);  // "%name = opcode"
std::string NameOf(const Computation& computation);  // "computation %name"
// Prepends NameOf(instruction) to the error's message and attaches the name (InstructionOf).
absl::Status Named(const absl::Status& status, const Instruction& instruction);

}  // namespace hlocts
