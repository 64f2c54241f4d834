// SPDX-License-Identifier: Apache-2.0
// Checks that a module is well-formed: all constraints of the documents and of the text form.
#pragma once

#include "spec/base/status.h"
#include "spec/ir/module_fwd.h"

namespace hlocts {

// Returns OK, or an error for the first broken rule: "%name = opcode: expected ..., found ..."
// (computations and the module are named in the same way) with the rule's id (RuleOf). Checks the
// structure (entry, roots, names, parameter numbers, operands before use, no recursion), every
// instruction's own rule (infer.h), pairs of starts and dones, channels, the order of infeeds,
// aliasing, and the entry layout. Runs in linear time, without recursion over instructions or
// calls, and never aborts.
//
// Replica and partition counts of 1 mean "not stated", as in texts that omit them. Ids are then
// only compared with each other. To check against actual counts, set them in the module.
absl::Status VerifyModule(const Module& module);

}  // namespace hlocts
