// SPDX-License-Identifier: Apache-2.0
// Recognizes bodies of reduce that select the larger (or smaller) of two elements and its index.
#pragma once

#include <optional>

#include "backends/engine/cpu/loops/element_function.h"

namespace hlocts::cpu {

struct ArgBody {
  bool maximum = true;
  bool nan_wins = true;
};

// Returns the function of a body on (value, index, value, index), for calls with the lower index
// first. Of equal values the body must select the first. It may contain only comparisons, logic and
// selections. Its results then depend only on how the values compare, so a table of all cases
// determines the function.
std::optional<ArgBody> ArgBodyOf(const plan::Graph& graph, const ElementFunction& body);

// Returns true if every element replaces the initial value `init`, or equals it.
bool IsNeutral(const ArgBody& body, PrimitiveType type, const Literal& init);

}  // namespace hlocts::cpu
