// SPDX-License-Identifier: Apache-2.0
// Represents the parameters and the result of a module's entry as leaves: tuples are flattened
// depth first, in the order in which engines pass them.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "spec/base/status.h"
#include "spec/ir/literal.h"
#include "spec/ir/module_fwd.h"
#include "spec/ir/shape.h"

namespace hlocts {

// Defines the number by which engines and files identify a leaf of a parameter or a result.

// Returns the number of the leaf at `index` of shapes[number], counted over all shapes in the order
// of ForEachLeaf. Returns -1 if there is no such leaf.
int64_t LeafNumber(absl::Span<const Shape> shapes, int64_t number, const ShapeIndex& index);

std::vector<Shape> ArgumentLeafShapes(const Module& module);
std::vector<Shape> OutputLeafShapes(const Module& module);
// Returns the value of the root as leaves, depth first. A dimension that is static in the root's
// shape has its full size, even if the value has a smaller run-time size (ruling 0064).
std::vector<Literal> OutputLeaves(const Module& module, const Literal& root);
// Converts argument leaves to one literal per entry parameter, with nested tuples.
absl::StatusOr<std::vector<Literal>> NestArguments(const Module& module,
                                                   const std::vector<Literal>& leaves);

// A leaf of an argument, and the result's leaf that may, or must, reuse its memory (-1: any leaf
// may).
struct Donation {
  int64_t argument = 0, output = -1;
  bool must_alias = false;
};
// Returns the entries of input_output_alias, then of buffer_donor, if they name a leaf.
std::vector<Donation> DonationsOf(const Module& module);

}  // namespace hlocts
