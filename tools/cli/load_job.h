// SPDX-License-Identifier: Apache-2.0
// Loads a module that may lack inputs.
#pragma once

#include "tools/cli/common.h"

namespace hlocts::tools {

// Like LoadJob. But if `inputs` and `seed` are not given and the module has no inputs, sets
// `*found` to false and returns a job without arguments. If `found` is null, this is an error.
absl::StatusOr<Job> LoadJobOr(const std::string& module_path, const std::string& inputs,
                              std::optional<uint64_t> seed, const CommonOptions& options,
                              bool* found);

}  // namespace hlocts::tools
