// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "spec/pjrt/table/engine.h"

namespace hlocts::cpu {

// Creates the engine. Options: threads=N, disable=PASS,..., strict=true, guard=true.
absl::StatusOr<std::unique_ptr<pjrt::Engine>> MakeEngine(pjrt::Options options);
// Returns the names of the supported opcodes, separated by spaces.
std::string Opcodes();

}  // namespace hlocts::cpu
