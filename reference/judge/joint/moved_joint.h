// SPDX-License-Identifier: Apache-2.0
// Keeps predicates over whole arrays whose elements have moved (lemma 50).
#pragma once

#include <cstdint>

#include "absl/types/span.h"
#include "spec/judge/acceptance_set.h"

namespace hlocts::reference {

// Gives `result` the predicate of `source` if `result` contains every element that the predicate
// reads, and no unspecified element. Element i of `result` has the bits of element from[i] of
// `source`, or comes from another array if from[i] is -1.
void PropagateJoint(const SetArray& source, absl::Span<const int64_t> from, SetArray& result);

}  // namespace hlocts::reference
