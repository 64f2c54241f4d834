// SPDX-License-Identifier: Apache-2.0
// Predicates over whole arrays whose elements have moved since (RULES 50).
#ifndef HLOCTS_REFERENCE_JUDGE_JOINT_MOVED_JOINT_H_
#define HLOCTS_REFERENCE_JUDGE_JOINT_MOVED_JOINT_H_

#include <cstdint>

#include "absl/types/span.h"
#include "spec/judge/acceptance_set.h"

namespace hlocts::reference {

// Element i of `result` is element from[i] of `source`, bits and all; -1: it is something else.
// Gives `result` the predicate of `source` if all that the predicate reads is in it and no element
// that may have any value.
void CarryJoint(const SetArray& source, absl::Span<const int64_t> from, SetArray& result);

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_JUDGE_JOINT_MOVED_JOINT_H_
