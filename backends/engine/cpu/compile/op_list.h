// SPDX-License-Identifier: Apache-2.0
// The factories of structured operations. A factory inspects a node once and returns its step.
#pragma once

#include "backends/engine/cpu/compile/compiler.h"

namespace hlocts::cpu {

#define HLOCTS_CPU_OP(Opcode, Factory) absl::StatusOr<StepDraft> Factory(const OpContext& context);
#include "backends/engine/cpu/compile/ops.def"
#undef HLOCTS_CPU_OP

}  // namespace hlocts::cpu
