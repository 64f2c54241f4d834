// SPDX-License-Identifier: Apache-2.0
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_CPU_ENGINE_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_CPU_ENGINE_H_

#include <memory>
#include <string>

#include "spec/pjrt/table/engine.h"

namespace hlocts::cpu {

// Creates the engine. Options: threads=N, disable=PASS,..., strict=true, guard=true.
absl::StatusOr<std::unique_ptr<pjrt::Engine>> MakeEngine(pjrt::Options options);
// Returns the names of the supported opcodes, separated by spaces.
std::string Opcodes();

}  // namespace hlocts::cpu

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_CPU_ENGINE_H_
