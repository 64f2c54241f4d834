// SPDX-License-Identifier: Apache-2.0
// Recognizes called computations for which kernels have a faster form.
#pragma once

#include <optional>

#include "backends/engine/cpu/kernels/reduce/reduce.h"
#include "backends/engine/cpu/loops/element_function.h"
#include "spec/ops/kinds.h"

namespace hlocts::cpu {

// Returns the kind of reduction that a body on two scalars computes, or nullopt if it is unknown.
inline std::optional<kernels::ReduceKind> KnownBodyOf(const plan::Graph& graph) {
  const std::optional<SimpleBody> body = SimpleBodyOf(graph);
  if (!body.has_value()) return std::nullopt;
  const std::optional<ops::Reducer> reducer = ops::ReducerOf(body->opcode);
  if (!reducer.has_value()) return std::nullopt;
  switch (*reducer) {
    case ops::Reducer::kAdd:
      return kernels::ReduceKind::kAdd;
    case ops::Reducer::kMultiply:
      return kernels::ReduceKind::kMultiply;
    case ops::Reducer::kMinimum:
      return kernels::ReduceKind::kMinimum;
    case ops::Reducer::kMaximum:
      return kernels::ReduceKind::kMaximum;
    case ops::Reducer::kAnd:
      return kernels::ReduceKind::kAnd;
    case ops::Reducer::kOr:
      return kernels::ReduceKind::kOr;
    case ops::Reducer::kXor:
      return kernels::ReduceKind::kXor;
  }
  HLOCTS_UNREACHABLE();
}

}  // namespace hlocts::cpu
