// hlocts: the one program. Each subcommand is a file cmd_<name>.cc that defines its Command.
#include "tools/commands.h"
#include "tools/cli/flags.h"

int main(int argc, char** argv) {
  std::vector<hlocts::Command> commands;
#define HLOCTS_COMMAND(Name) commands.push_back(hlocts::Name##Command());
#include "tools/commands.def"
#undef HLOCTS_COMMAND
  return hlocts::RunCommands(argc, argv, commands);
}
