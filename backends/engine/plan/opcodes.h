// SPDX-License-Identifier: Apache-2.0
// The facts, capabilities and opcodes that both engines report in the same form.
#pragma once

#include <string>
#include <vector>

#include "spec/ir/opcode.h"

namespace hlocts::plan {

// The words (see spec/pjrt/hlocts_extension.h) by which both engines describe themselves. If the
// documents allow several behaviors, the engines implement XLA's.
inline constexpr char kWords[] =
    "execute verify replicas donation infeed custom-call our-parser fact:convert.saturate "
    "fact:integer.division fact:shift.saturate fact:rng.xla_layout";

// Returns the names of opcodes, separated by spaces: those in `tables` and those that the
// construction of a graph removes (views, and opcodes that only forward values).
std::string OpcodeNames(const std::vector<Opcode>& tables);

}  // namespace hlocts::plan
