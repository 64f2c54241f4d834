// SPDX-License-Identifier: Apache-2.0
// Bounds reductions by log(e^x + e^y), as front ends write it, for any order and tree of many terms
// (lemma 12).
#pragma once

#include <utility>
#include <vector>

#include "reference/judge/interpreter/set_interpreter.h"
#include "reference/judge/sums/reducers.h"

namespace hlocts::reference {

// Returns the known sets of results `outs` of a reduction by maximum(x, y) + log1p(exp(-|x - y|)),
// perhaps after a select that tests for NaN. The init value must be -infinity.
std::vector<std::pair<int64_t, SetValue>> LogSumsOf(SetInterpreter& interpreter,
                                                    const Computation& body,
                                                    absl::Span<const SetValue> operands,
                                                    const ReductionTerms& lists,
                                                    const std::vector<int64_t>& outs);

}  // namespace hlocts::reference
