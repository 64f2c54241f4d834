// SPDX-License-Identifier: Apache-2.0
// Returns the outputs of a module as leaves.
#ifndef HLOCTS_SPEC_IR_OUTPUT_LEAVES_H_
#define HLOCTS_SPEC_IR_OUTPUT_LEAVES_H_

#include <vector>

#include "spec/ir/literal.h"
#include "spec/ir/module_fwd.h"

namespace hlocts {

// Returns the value of the root as leaves, depth first. A dimension that is static in the root's
// shape is complete, regardless of its run-time size (ruling 0064).
std::vector<Literal> OutputLeaves(const Module& module, const Literal& root);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_IR_OUTPUT_LEAVES_H_
