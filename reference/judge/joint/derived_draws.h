// SPDX-License-Identifier: Apache-2.0
// Tests whether outputs that are computed from random draws, like those of a dropout, come from
// draws that look random (lemma 18).
#pragma once

#include "absl/types/span.h"
#include "reference/judge/module_sets.h"

namespace hlocts::reference {

// Gives each leaf that depends on draws and has no predicate one that compares it with runs on
// other draws. Does nothing if the module draws nothing or cannot run on other draws.
void JudgeDerivedDraws(const Module& module, absl::Span<const Literal> arguments,
                       const JudgeOptions& options, absl::Span<LeafAcceptance> leaves);

}  // namespace hlocts::reference
