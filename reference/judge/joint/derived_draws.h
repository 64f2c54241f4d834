// SPDX-License-Identifier: Apache-2.0
// Tests whether outputs that are computed from random draws, like those of a dropout, come from
// draws that look random (lemma 18).
#pragma once

#include "absl/types/span.h"
#include "reference/judge/module_sets.h"

namespace hlocts::reference {

// Adds a predicate, which compares the leaf with runs on other draws, to each leaf that depends on
// draws and has no predicate. Does nothing if the module has no draws or cannot run on others.
void JudgeDerivedDraws(const Module& module, absl::Span<const Literal> arguments,
                       const JudgeOptions& options, absl::Span<LeafAcceptance> leaves);

}  // namespace hlocts::reference
