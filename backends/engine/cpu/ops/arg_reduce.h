// SPDX-License-Identifier: Apache-2.0
// Recognizes bodies of reduce that select the larger (or smaller) of two elements with its index.
#pragma once

#include <optional>

#include "backends/engine/cpu/loops/element_function.h"

namespace hlocts::cpu {

struct ArgBody {
  bool maximum = true;
  bool nan_wins = true;
};

// Returns the function of a body on (value, index, value, index), which may contain only
// comparisons, logic and selections. The results then depend only on how the values compare, so a
// table of all cases determines the body. The first index must be the lower one; it is selected if
// the values are equal.
std::optional<ArgBody> ArgBodyOf(const plan::Graph& graph, const ElementFunction& body);

// Returns true if every element replaces or equals the value `init`.
bool IsNeutral(const ArgBody& body, PrimitiveType type, const Literal& init);

}  // namespace hlocts::cpu
