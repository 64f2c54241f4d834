// SPDX-License-Identifier: Apache-2.0
// Programs that a subcommand runs to their end.
#ifndef HLOCTS_TOOLS_CLI_CHILD_H_
#define HLOCTS_TOOLS_CLI_CHILD_H_

#include <string>
#include <vector>

#include "spec/base/status.h"

namespace hlocts::tools {

// Runs a program (by PATH) with our standard streams and returns its exit status. The program has a
// process group of its own, which ends when we do. kUnavailable: it cannot be executed, or a signal
// ended it.
absl::StatusOr<int> RunChild(const std::vector<std::string>& words);

// Ends the running programs: SIGTERM, on the second call SIGKILL. Takes no lock.
void EndChildren();

}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_CLI_CHILD_H_
