// SPDX-License-Identifier: Apache-2.0
// Sees, and may change, the operands and result of every instruction that an evaluator runs:
// engines broken on purpose and engines that use every permission are made of this evaluator.
//
// Bodies that run once per element (of reduce, sort, scatter, map) are compiled, and their
// instructions are not seen. The devices of one run share the hook and call it from their own
// threads; `context` distinguishes them.
#ifndef HLOCTS_REFERENCE_EVAL_HOOK_H_
#define HLOCTS_REFERENCE_EVAL_HOOK_H_

#include "absl/types/span.h"
#include "reference/eval_context.h"
#include "spec/base/status.h"
#include "spec/ir/literal.h"
#include "spec/ir/module_fwd.h"

namespace hlocts::reference {

class EvalHook {
 public:
  virtual ~EvalHook() = default;
  // Receives the operands that the instruction is about to read. Only this instruction sees a
  // change.
  virtual absl::Status BeforeInstruction(EvalContext& context, const Instruction& instruction,
                                         absl::Span<Literal> operands) = 0;
  // Receives `operands` as they were read; all users see a change of `result`.
  virtual absl::Status AfterInstruction(EvalContext& context, const Instruction& instruction,
                                        absl::Span<const Literal> operands, Literal& result) = 0;
};

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_EVAL_HOOK_H_
