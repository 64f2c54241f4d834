// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "spec/base/status.h"
#include "spec/ir/module.h"

namespace hlocts::reference {

// Returns the entry computation's parameters, or an error if there are not `arguments` of them.
inline absl::StatusOr<std::vector<Instruction*>> ParametersFor(const Module& module,
                                                               size_t arguments) {
  if (module.entry() == nullptr || module.entry()->root() == nullptr) {
    return InvalidInput("module ", module.name(), " has no entry computation with a root");
  }
  std::vector<Instruction*> parameters = module.entry()->parameters();
  if (parameters.size() == arguments) return parameters;
  return InvalidInput("module ", module.name(), ": expected ", parameters.size(),
                      " arguments, found ", arguments);
}

}  // namespace hlocts::reference
