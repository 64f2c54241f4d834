// SPDX-License-Identifier: Apache-2.0
// Tests whether outputs that are computed from random draws, like those of a dropout, come from
// draws that look random (lemma 18).
#pragma once

#include "absl/types/span.h"
#include "reference/judge/module_sets.h"

namespace hlocts::reference {

// Adds a predicate that compares a leaf with runs on other draws, if the leaf has no predicate yet
// and enough of its elements depend on draws. Does nothing if there are no draws or a run fails.
void JudgeDerivedDraws(const Module& module, absl::Span<const Literal> arguments,
                       const JudgeOptions& options, absl::Span<LeafAcceptance> leaves);

}  // namespace hlocts::reference
