// SPDX-License-Identifier: Apache-2.0
// The facts, capabilities and opcodes that both engines report.
#pragma once

#include <string>
#include <vector>

#include "spec/ir/opcode.h"

namespace hlocts::plan {

// The engines' words of spec/pjrt/hlocts_extension.h. The engines choose XLA's behavior if the
// documents allow several.
inline constexpr char kWords[] =
    "execute verify replicas donation infeed custom-call our-parser fact:convert.saturate "
    "fact:integer.division fact:shift.saturate fact:rng.xla_layout";

// Returns names of opcodes, separated by spaces: those in an engine's tables, and those that graph
// construction removes (opcodes that only forward values, and views).
std::string OpcodeNames(const std::vector<Opcode>& tables);

}  // namespace hlocts::plan
