// SPDX-License-Identifier: Apache-2.0
// Declares the subcommands of hlocts, one function each (commands.def).
#pragma once

#include "tools/cli/flags.h"

namespace hlocts::tools {
#define HLOCTS_COMMAND(Name) Command Name##Command();
#include "tools/commands.def"
#undef HLOCTS_COMMAND
}  // namespace hlocts::tools
