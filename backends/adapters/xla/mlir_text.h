// SPDX-License-Identifier: Apache-2.0
// Removes from MLIR text the locations that XLA's printer appends to every operation.
#pragma once

#include <string>

namespace hlocts::xla_plugin {

// Returns the same module without ` loc(...)` and the lines `#loc... = ...`; strings are unchanged.
std::string WithoutLocations(const std::string& mlir);

}  // namespace hlocts::xla_plugin
