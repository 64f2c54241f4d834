// SPDX-License-Identifier: Apache-2.0
// Loads a module whose inputs may be missing.
#pragma once

#include "tools/cli/common.h"

namespace hlocts::tools {

// Like LoadJob, but if `inputs` and `seed` are missing and the module has no inputs, sets `*found`
// to false and returns a job without arguments. If `found` is null, missing inputs are an error.
absl::StatusOr<Job> LoadJobOr(const std::string& module_path, const std::string& inputs,
                              std::optional<uint64_t> seed, const CommonOptions& options,
                              bool* found);

}  // namespace hlocts::tools
