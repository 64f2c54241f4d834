// SPDX-License-Identifier: Apache-2.0
// Prepares a node of the tape for sweeps: the reference execution, boxes that contain all
// executions, noise, slopes and terms.
#pragma once

#include "reference/judge/centred/tape.h"
#include "reference/judge/interpreter/set_interpreter.h"
#include "spec/judge/float_sets.h"

namespace hlocts::reference {

// Prepares `node` after its operands were prepared. If `points`, boxes contain only the reference
// execution, and the error of a sum grows with the square root of the number of its roundings.
void PrepareNode(SetInterpreter& interpreter, absl::Span<const std::unique_ptr<Node>> nodes,
                 Node& node, bool points = false);
// Updates the box of an element whose set was narrowed to `set`.
void NarrowBox(Node& node, int64_t i, const AcceptanceSet& set);

// Returns the largest permitted distance between the exact result and the stored value, which is in
// the box; infinity if it is unknown. `argument` is the largest |x| of a function.
double StoreNoise(const SetContext& context, const Box& box, double argument);

// Finds the operands' elements that each result depends on. Returns false if they are unknown.
bool TermsOfNode(SetInterpreter& interpreter, absl::Span<const std::unique_ptr<Node>> nodes,
                 Node& node);

}  // namespace hlocts::reference
