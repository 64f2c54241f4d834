// SPDX-License-Identifier: Apache-2.0
// A module whose inputs may be missing.
#ifndef HLOCTS_TOOLS_CLI_LOAD_JOB_H_
#define HLOCTS_TOOLS_CLI_LOAD_JOB_H_

#include "tools/cli/common.h"

namespace hlocts::tools {

// As LoadJob, but where no inputs are given and none come with the module, `*found` becomes false
// and the job has no arguments. With nullptr that is an error.
absl::StatusOr<Job> LoadJobOr(const std::string& module_path, const std::string& inputs,
                              std::optional<uint64_t> seed, const CommonOptions& options,
                              bool* found);

}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_CLI_LOAD_JOB_H_
