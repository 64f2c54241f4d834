// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "reference/judge/interpreter/set_interpreter.h"

namespace hlocts::reference {

// Computes sharding custom calls (ruling 0123) from the operands of each of `devices`.
absl::StatusOr<std::vector<SetValue>> ShardingCallSets(
    SetInterpreter& interpreter, const Instruction& call,
    const std::vector<std::vector<SetValue>>& operands, const std::vector<int64_t>& devices);

}  // namespace hlocts::reference
