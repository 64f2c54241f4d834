// SPDX-License-Identifier: Apache-2.0
#ifndef HLOCTS_TOOLS_CLI_RUN_PROGRAM_H_
#define HLOCTS_TOOLS_CLI_RUN_PROGRAM_H_

#include <string>
#include <vector>

#include "spec/base/status.h"

namespace hlocts::tools {

// Runs a program to its end and returns its exit status; the words are those of execvp.
absl::StatusOr<int> RunProgram(std::vector<std::string> words);

}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_CLI_RUN_PROGRAM_H_
