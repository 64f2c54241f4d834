// SPDX-License-Identifier: Apache-2.0
// The main function of hlocts. Each subcommand has a file cmd_<name>.cc, which defines its Command.
#include "tools/cli/flags.h"
#include "tools/commands.h"

int main(int argc, char** argv) {
  std::vector<hlocts::tools::Command> commands;
#define HLOCTS_COMMAND(Name) commands.push_back(hlocts::tools::Name##Command());
#include "tools/commands.def"
#undef HLOCTS_COMMAND
  return hlocts::tools::RunCommands(argc, argv, commands);
}
