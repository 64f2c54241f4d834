// SPDX-License-Identifier: Apache-2.0
// Declares a hook that sees, and may change, the operands and result of every instruction that an
// evaluator runs. Engines that are broken on purpose or use every permission are built with it.
//
// Computations that run once per element (in reduce, sort, scatter, map) are compiled; the hook
// does not see their instructions. The devices of a run call the same hook from their own threads;
// `context` distinguishes them.
#pragma once

#include "absl/types/span.h"
#include "reference/eval_context.h"
#include "spec/base/status.h"
#include "spec/ir/literal.h"
#include "spec/ir/module_fwd.h"

namespace hlocts::reference {

class EvalHook {
 public:
  virtual ~EvalHook() = default;
  // Receives the operands that the instruction will read. Changes affect only this instruction.
  virtual absl::Status BeforeInstruction(EvalContext& context, const Instruction& instruction,
                                         absl::Span<Literal> operands) = 0;
  // Receives `operands` as they were read. Changes of `result` affect all its users.
  virtual absl::Status AfterInstruction(EvalContext& context, const Instruction& instruction,
                                        absl::Span<const Literal> operands, Literal& result) = 0;
};

}  // namespace hlocts::reference
