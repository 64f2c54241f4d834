// SPDX-License-Identifier: Apache-2.0
// Outputs that are made of random draws, as a dropout is: whether the draws behind them look like
// some (RULES 18).
#ifndef HLOCTS_REFERENCE_JUDGE_JOINT_DERIVED_DRAWS_H_
#define HLOCTS_REFERENCE_JUDGE_JOINT_DERIVED_DRAWS_H_

#include "absl/types/span.h"
#include "reference/judge/module_sets.h"

namespace hlocts::reference {

// Gives each leaf that other draws change, and that no predicate speaks of, one that compares it
// with runs of other draws. Nothing where the module draws nothing, or it cannot be run so.
void JudgeDerivedDraws(const Module& module, absl::Span<const Literal> arguments,
                       const JudgeOptions& options, absl::Span<LeafAcceptance> leaves);

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_JUDGE_JOINT_DERIVED_DRAWS_H_
