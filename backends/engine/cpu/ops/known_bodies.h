// SPDX-License-Identifier: Apache-2.0
// Called computations that the kernels know by name.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_OPS_KNOWN_BODIES_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_OPS_KNOWN_BODIES_H_

#include <optional>

#include "backends/engine/cpu/kernels/reduce/reduce.h"
#include "backends/engine/cpu/loops/element_function.h"

namespace hlocts::cpu {

// The reduction that a body of two scalars is; nullopt when it is another computation.
inline std::optional<kernels::ReduceKind> KnownBodyOf(const plan::Graph& graph) {
  const std::optional<SimpleBody> body = SimpleBodyOf(graph);
  if (!body.has_value()) return std::nullopt;
  switch (body->opcode) {
    case Opcode::kAdd:
      return kernels::ReduceKind::kAdd;
    case Opcode::kMultiply:
      return kernels::ReduceKind::kMultiply;
    case Opcode::kMinimum:
      return kernels::ReduceKind::kMinimum;
    case Opcode::kMaximum:
      return kernels::ReduceKind::kMaximum;
    case Opcode::kAnd:
      return kernels::ReduceKind::kAnd;
    case Opcode::kOr:
      return kernels::ReduceKind::kOr;
    case Opcode::kXor:
      return kernels::ReduceKind::kXor;
    default:
      return std::nullopt;
  }
}

}  // namespace hlocts::cpu

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_OPS_KNOWN_BODIES_H_
