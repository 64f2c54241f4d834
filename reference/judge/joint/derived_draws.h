// SPDX-License-Identifier: Apache-2.0
// Tests whether outputs that are computed from random draws, like those of a dropout, come from
// draws that look random (lemma 18).
#ifndef HLOCTS_REFERENCE_JUDGE_JOINT_DERIVED_DRAWS_H_
#define HLOCTS_REFERENCE_JUDGE_JOINT_DERIVED_DRAWS_H_

#include "absl/types/span.h"
#include "reference/judge/module_sets.h"

namespace hlocts::reference {

// Gives a predicate to each leaf that depends on draws and has none. It compares the leaf with runs
// on other draws. Does nothing if the module draws nothing or cannot run on other draws.
void JudgeDerivedDraws(const Module& module, absl::Span<const Literal> arguments,
                       const JudgeOptions& options, absl::Span<LeafAcceptance> leaves);

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_JUDGE_JOINT_DERIVED_DRAWS_H_
