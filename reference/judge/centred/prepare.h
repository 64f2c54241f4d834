// SPDX-License-Identifier: Apache-2.0
// Makes a node of the tape ready for sweeps: the reference execution, the boxes in which all
// executions are, noise, slopes and terms.
#ifndef HLOCTS_REFERENCE_JUDGE_CENTRED_PREPARE_H_
#define HLOCTS_REFERENCE_JUDGE_CENTRED_PREPARE_H_

#include <vector>

#include "reference/judge/centred/tape.h"
#include "reference/judge/interpreter/set_interpreter.h"
#include "spec/judge/float_sets.h"

namespace hlocts::reference {

// Its operands are prepared. `points`: boxes hold the reference execution alone, and sums are off
// by the root of their number of roundings (RULES 44).
void PrepareNode(SetInterpreter& interpreter, absl::Span<const std::unique_ptr<Node>> nodes,
                 Node& node, bool points = false);
// The box of an element that was narrowed.
void NarrowBox(Node& node, int64_t i, const AcceptanceSet& set);

// The distance of the stored value, which is in the box, from the exact result, by the rule of the
// operation; infinite: it is unknown. `argument`: the largest |x| of a function.
double StoreNoise(const SetContext& context, const Box& box, double argument);

// Finds the operands' elements that each result depends on; false: unknown.
bool TermsOfNode(SetInterpreter& interpreter, absl::Span<const std::unique_ptr<Node>> nodes,
                 Node& node);

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_JUDGE_CENTRED_PREPARE_H_
