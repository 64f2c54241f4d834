// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and SIGTERM. Long work that keeps what it has asks Interrupted() and finishes; whatever
// does not, the process ends within two seconds, its workers with it.
#ifndef HLOCTS_TOOLS_CLI_INTERRUPT_H_
#define HLOCTS_TOOLS_CLI_INTERRUPT_H_

namespace hlocts::tools {

// From here on SIGINT and SIGTERM end the process at once with 130 or 143, and its workers.
void WatchInterrupts();
// The work from here on asks Interrupted() and keeps what it has: it is given a second and a half.
void CatchInterrupts();
bool Interrupted();
// 130 or 143; 0 where none came.
int InterruptStatus();

}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_CLI_INTERRUPT_H_
