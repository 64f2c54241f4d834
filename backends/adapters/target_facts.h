// SPDX-License-Identifier: Apache-2.0
// Finds the facts (promises beyond the documents) of an engine by the name of its target.
#pragma once

#include <string>
#include <vector>

#include "spec/base/status.h"

namespace hlocts::backends {

// Returns the facts of a target; none for "". Returns kInvalidArgument if there is no such target.
absl::StatusOr<std::vector<std::string>> TargetFacts(absl::string_view target);

}  // namespace hlocts::backends
