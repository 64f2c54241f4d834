// SPDX-License-Identifier: Apache-2.0
// What an init value is to a recognised computation (RULES 11, ruling 0019).
#ifndef HLOCTS_REFERENCE_JUDGE_SUMS_INIT_VALUES_H_
#define HLOCTS_REFERENCE_JUDGE_SUMS_INIT_VALUES_H_

#include "reference/judge/sums/reductions.h"

namespace hlocts::reference {

// f(x, x) = x: any number of insertions is one.
bool Idempotent(RecognizedReducer reducer);
// Any number of insertions, at least one, gives one value.
bool IsIdentity(RecognizedReducer reducer, const AcceptanceSet& init, PrimitiveType type);
// For an idempotent computation: leaving init out changes nothing either.
bool IsNeutral(RecognizedReducer reducer, const AcceptanceSet& init, PrimitiveType type);

// An engine outside strict may rely on init being an identity, and leave it out (ruling 0019).
inline bool MayDropInit(const ReductionOperands& r) {
  return r.interpreter.profile() != Profile::kStrict;
}

// One element: `terms` and the init value, which may be dropped or come in more than once.
AcceptanceSet ReducedElement(const ReductionOperands& r, RecognizedReducer reducer,
                             const SetContext& context, std::vector<AcceptanceSet>& terms,
                             const AcceptanceSet& init, int64_t padded);

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_JUDGE_SUMS_INIT_VALUES_H_
