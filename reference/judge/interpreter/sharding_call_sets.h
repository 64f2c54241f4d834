// SPDX-License-Identifier: Apache-2.0
#ifndef HLOCTS_REFERENCE_JUDGE_INTERPRETER_SHARDING_CALL_SETS_H_
#define HLOCTS_REFERENCE_JUDGE_INTERPRETER_SHARDING_CALL_SETS_H_

#include <vector>

#include "reference/judge/interpreter/set_interpreter.h"

namespace hlocts::reference {

// Computes sharding custom calls (ruling 0123) from the operands of each of `devices`.
absl::StatusOr<std::vector<SetValue>> ShardingCallSets(
    SetInterpreter& interpreter, const Instruction& call,
    const std::vector<std::vector<SetValue>>& operands, const std::vector<int64_t>& devices);

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_JUDGE_INTERPRETER_SHARDING_CALL_SETS_H_
