// SPDX-License-Identifier: Apache-2.0
// Determines the role of an init value in a recognised computation (lemma 11, ruling 0019).
#pragma once

#include "reference/judge/sums/reductions.h"

namespace hlocts::reference {

// Returns true if f(x, x) = x, so that several insertions equal one.
bool Idempotent(RecognizedReducer reducer);
// Returns true if any number of insertions, at least one, yields the same value.
bool IsIdentity(RecognizedReducer reducer, const AcceptanceSet& init, PrimitiveType type);
// Returns true if an idempotent computation yields the same value with and without init.
bool IsNeutral(RecognizedReducer reducer, const AcceptanceSet& init, PrimitiveType type);

// Returns true outside the strict profile, where an engine may drop init (ruling 0019).
inline bool MayDropInit(const ReductionOperands& r) {
  return r.interpreter.profile() != Profile::kStrict;
}

// Reduces `terms` and the init value, which may be dropped or inserted repeatedly, to one element.
AcceptanceSet ReducedElement(const ReductionOperands& r, RecognizedReducer reducer,
                             const SetContext& context, std::vector<AcceptanceSet>& terms,
                             const AcceptanceSet& init, int64_t padded);

}  // namespace hlocts::reference
