// SPDX-License-Identifier: Apache-2.0
// Declares the subcommands of hlocts, one function each (commands.def).
#ifndef HLOCTS_TOOLS_COMMANDS_H_
#define HLOCTS_TOOLS_COMMANDS_H_

#include "tools/cli/flags.h"

namespace hlocts::tools {
#define HLOCTS_COMMAND(Name) Command Name##Command();
#include "tools/commands.def"
#undef HLOCTS_COMMAND
}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_COMMANDS_H_
