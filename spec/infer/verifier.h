// SPDX-License-Identifier: Apache-2.0
// Is this module well-formed? Everything the documents state about one, and what the text form
// demands besides.
#ifndef HLOCTS_SPEC_INFER_VERIFIER_H_
#define HLOCTS_SPEC_INFER_VERIFIER_H_

#include "spec/base/status.h"
#include "spec/ir/module_fwd.h"

namespace hlocts {

// OK, or the first rule that is broken: "%name = opcode: expected ..., found ..." (computations and
// the module are named likewise) with the rule's id (RuleOf). Checked are structure (entry, roots,
// names, parameter numbers, operands before use, no recursion), every instruction's own rule (see
// infer.h), pairs of starts and dones, channels, the order of infeeds, aliasing, the entry layout.
// Takes time linear in the module, uses no recursion over instructions or calls, never aborts.
//
// Counts of replicas and partitions that are 1 count as not stated, as in texts that leave them
// out: ids are then only checked against each other. Set them in the module to check against a run.
absl::Status VerifyModule(const Module& module);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_INFER_VERIFIER_H_
