// SPDX-License-Identifier: Apache-2.0
// Combines a scatter's updates with existing elements, by a known computation in the stored type.
#pragma once

#include <cstdint>

#include "backends/engine/cpu/kernels/reduce/reduce.h"
#include "spec/ir/primitive_type.h"

namespace hlocts::kernels {

struct CombineArgs {
  PrimitiveType type;
  void* target;
  const void* update;
  int64_t count, target_stride, update_stride;  // in elements
};

// Computes target[i] = kind(target[i], update[i]) with one rounding to the type. ReduceSupported
// must be true for kind and type.
using CombineFunction = void (*)(ReduceKind kind, const CombineArgs& args);
CombineFunction CombineFor(ReduceKind kind, PrimitiveType type);

}  // namespace hlocts::kernels
