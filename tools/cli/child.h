// SPDX-License-Identifier: Apache-2.0
// Runs other programs for a subcommand and waits for them.
#pragma once

#include <string>
#include <vector>

#include "spec/base/status.h"

namespace hlocts::tools {

// Runs a program (found by PATH) with the standard streams of this process, and returns its exit
// status. The program has its own process group, which ends with this process. Returns kUnavailable
// if the program cannot be executed or a signal ends it.
absl::StatusOr<int> RunChild(const std::vector<std::string>& words);

// Ends the running programs by SIGTERM, on the second call by SIGKILL. Acquires no lock.
void EndChildren();

}  // namespace hlocts::tools
