// SPDX-License-Identifier: Apache-2.0
// The program as data: subcommands, options, exit statuses, help topics and examples. Help,
// completion and the man page are made from it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace hlocts::tools {

struct OptionInfo {
  std::string name;      // e.g. "--jobs", "-o,--output"; "MODULE" for a positional argument
  std::string argument;  // e.g. "N", "DURATION"; "" for a switch
  std::string standard;  // the default value, or ""
  std::string help;
  std::vector<std::string> choices;  // of a positional argument: of its first word
  bool positional = false;
};

struct CommandInfo {
  std::string name, help;
  std::vector<OptionInfo> options;
};

using ProgramTable = std::vector<CommandInfo>;

// Return the contents of exit_status.def, topics.def and examples.def.
std::string ExitStatusText();
std::vector<std::pair<std::string, std::string>> HelpTopics();  // name, text
// HelpPagesText returns the line of `help` about the guides of docs/pages; HelpPage returns one
// guide. If a topic or subcommand has the same name, the name must end in ".md".
std::string HelpPagesText();
absl::StatusOr<std::string> HelpPage(absl::string_view name);
std::string ExamplesOf(const std::string& command);  // as lines; "" if there are none

std::string BashCompletion(const ProgramTable& table);
std::string ZshCompletion(const ProgramTable& table);
// Returns the man page of section 1, for `man -l`.
std::string ManPage(const ProgramTable& table, const std::string& version);

}  // namespace hlocts::tools
