// SPDX-License-Identifier: Apache-2.0
// Handles Ctrl-C and SIGTERM. Long work with partial results polls Interrupted() and keeps them
// within 1.5 seconds. Then, or at once for other work, the process ends with its workers.
#pragma once

namespace hlocts::tools {

// Makes SIGINT and SIGTERM stop the process and its workers immediately, with 130 or 143.
void WatchInterrupts();
// Lets the work poll Interrupted() and keep its results, for which it has 1.5 seconds.
void CatchInterrupts();
bool Interrupted();
// The exit status: 130 or 143; 0 without a signal.
int InterruptStatus();

}  // namespace hlocts::tools
