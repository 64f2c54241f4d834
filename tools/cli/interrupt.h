// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and SIGTERM. Long work that keeps partial results polls Interrupted() and finishes;
// otherwise the process ends within two seconds, with its workers.
#ifndef HLOCTS_TOOLS_CLI_INTERRUPT_H_
#define HLOCTS_TOOLS_CLI_INTERRUPT_H_

namespace hlocts::tools {

// After this call SIGINT and SIGTERM end the process at once with 130 or 143, and its workers.
void WatchInterrupts();
// After this call the work polls Interrupted() and keeps its results; it has a second and a half
// for that.
void CatchInterrupts();
bool Interrupted();
// 130 or 143; 0 without a signal.
int InterruptStatus();

}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_CLI_INTERRUPT_H_
