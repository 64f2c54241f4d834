// SPDX-License-Identifier: Apache-2.0
// Bodies of reduce that pick the larger (smaller) of two elements together with its index.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_OPS_ARG_REDUCE_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_OPS_ARG_REDUCE_H_

#include <optional>

#include "backends/engine/cpu/loops/element_function.h"

namespace hlocts::cpu {

struct ArgBody {
  bool maximum = true;
  bool nan_wins = true;
};

// The function of the body on (value, index, value, index), if it consists of comparisons, logic
// and selections only: then it depends only on how the values compare, and a table of all cases
// determines it. The first index is the lower one; of equal values it is kept.
std::optional<ArgBody> ArgBodyOf(const plan::Graph& graph, const ElementFunction& body);

// Returns true if `init` is the value that every element replaces or equals.
bool IsNeutral(const ArgBody& body, PrimitiveType type, const Literal& init);

}  // namespace hlocts::cpu

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_OPS_ARG_REDUCE_H_
