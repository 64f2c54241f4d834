// SPDX-License-Identifier: Apache-2.0
// The facts, capabilities and opcodes that both engines report.
#ifndef HLOCTS_BACKENDS_ENGINE_PLAN_OPCODES_H_
#define HLOCTS_BACKENDS_ENGINE_PLAN_OPCODES_H_

#include <string>
#include <vector>

#include "spec/ir/opcode.h"

namespace hlocts::plan {

// See spec/pjrt/hlocts_extension.h. The engines make XLA's choice where the documents leave one.
inline constexpr char kWords[] =
    "execute verify replicas donation infeed custom-call our-parser fact:convert.saturate "
    "fact:integer.division fact:shift.saturate fact:rng.xla_layout";

// Names, separated by spaces, of the opcodes of an engine's tables and of those that the plan
// eliminates: its graph has neither wires nor views.
std::string OpcodeNames(const std::vector<Opcode>& tables);

}  // namespace hlocts::plan

#endif  // HLOCTS_BACKENDS_ENGINE_PLAN_OPCODES_H_
