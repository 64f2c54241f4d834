// SPDX-License-Identifier: Apache-2.0
// Factories of structured operations. A factory inspects a node once and returns its step.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_COMPILE_OP_LIST_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_COMPILE_OP_LIST_H_

#include "backends/engine/cpu/compile/compiler.h"

namespace hlocts::cpu {

#define HLOCTS_CPU_OP(Opcode, Factory) absl::StatusOr<StepDraft> Factory(const OpContext& context);
#include "backends/engine/cpu/compile/ops.def"
#undef HLOCTS_CPU_OP

}  // namespace hlocts::cpu

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_COMPILE_OP_LIST_H_
