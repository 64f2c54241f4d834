// SPDX-License-Identifier: Apache-2.0
#ifndef HLOCTS_TOOLS_CLI_RUN_PROGRAM_H_
#define HLOCTS_TOOLS_CLI_RUN_PROGRAM_H_

#include <string>
#include <vector>

#include "spec/base/status.h"

namespace hlocts::tools {

// The exit status of a program that is run to its end; the words are those of execvp.
absl::StatusOr<int> RunProgram(std::vector<std::string> words);

}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_CLI_RUN_PROGRAM_H_
