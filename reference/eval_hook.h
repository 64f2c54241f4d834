// SPDX-License-Identifier: Apache-2.0
// Sees, and may change, every instruction's operands and result as an evaluation goes along:
// engines broken on purpose and engines that use every permission are made of this
// evaluator.
//
// Bodies that run once per element (of reduce, sort, scatter, map) are compiled and not seen
// inside. The devices of one run share the hook and call it from their own threads; `context` tells
// them apart.
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
  // What the instruction is about to read. A change is seen by this instruction only.
  virtual absl::Status BeforeInstruction(EvalContext& context, const Instruction& instruction,
                                         absl::Span<Literal> operands) = 0;
  // `operands` as they were read; a change of `result` is what all users see.
  virtual absl::Status AfterInstruction(EvalContext& context, const Instruction& instruction,
                                        absl::Span<const Literal> operands, Literal& result) = 0;
};

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_EVAL_HOOK_H_
