// SPDX-License-Identifier: Apache-2.0
// Represents parameters and result of a module's entry as leaves: tuples are flattened depth first,
// in parameter or root order, as engines pass them.
#pragma once

#include <vector>

#include "spec/base/status.h"
#include "spec/ir/literal.h"
#include "spec/ir/module_fwd.h"

namespace hlocts {

std::vector<Shape> ArgumentLeafShapes(const Module& module);
std::vector<Shape> OutputLeafShapes(const Module& module);
// Returns the value of the root as leaves, depth first. A dimension that is static in the root's
// shape has its full size, even if its value arrived with a smaller run-time size (ruling 0064).
std::vector<Literal> OutputLeaves(const Module& module, const Literal& root);
// Converts argument leaves to one literal per entry parameter, with nested tuples.
absl::StatusOr<std::vector<Literal>> NestArguments(const Module& module,
                                                   const std::vector<Literal>& leaves);

// A leaf of an argument, and the leaf of the result that may reuse its memory (-1: any leaf may).
struct Donation {
  int64_t argument = 0, output = -1;
};
// Returns input_output_alias and then buffer_donor, without entries that name no leaf.
std::vector<Donation> DonationsOf(const Module& module);

}  // namespace hlocts
