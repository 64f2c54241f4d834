// SPDX-License-Identifier: Apache-2.0
// The outputs of a module.
#ifndef HLOCTS_SPEC_IR_OUTPUT_LEAVES_H_
#define HLOCTS_SPEC_IR_OUTPUT_LEAVES_H_

#include <vector>

#include "spec/ir/literal.h"
#include "spec/ir/module_fwd.h"

namespace hlocts {

// The value of the root as leaves, depth first. Dimensions that are static in its shape are
// complete, regardless of the run-time size that reached them (ruling 0064).
std::vector<Literal> OutputLeaves(const Module& module, const Literal& root);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_IR_OUTPUT_LEAVES_H_
