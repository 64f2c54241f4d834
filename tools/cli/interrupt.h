// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and SIGTERM as a question: long work asks, finishes what it is at, and keeps what it has.
#ifndef HLOCTS_TOOLS_CLI_INTERRUPT_H_
#define HLOCTS_TOOLS_CLI_INTERRUPT_H_

namespace hlocts::tools {

// From here on SIGINT and SIGTERM no longer end the process; Interrupted() says that one came.
void CatchInterrupts();
bool Interrupted();

}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_CLI_INTERRUPT_H_
