// SPDX-License-Identifier: Apache-2.0
// Handles Ctrl-C and SIGTERM. Long work with partial results polls Interrupted() and has 1.5
// seconds to store them; then the process ends together with its workers. Other work ends at once.
#pragma once

#include <string>

namespace hlocts::tools {

// Makes SIGINT and SIGTERM end the process and its workers at once, with status 130 or 143.
void WatchInterrupts();
// Declares that the work polls Interrupted(). It then has 1.5 seconds to store its results. If it
// takes longer, or at a second signal, the process prints "hlocts: interrupted" and `advice`, and
// ends.
void CatchInterrupts(const std::string& advice = "");
bool Interrupted();
// Returns the exit status after a signal, 130 or 143; 0 if there was none.
int InterruptStatus();

}  // namespace hlocts::tools
