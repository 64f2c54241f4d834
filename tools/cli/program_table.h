// SPDX-License-Identifier: Apache-2.0
// Describes the program as data: subcommands and options, exit statuses, help topics and examples.
// Help, completion and the man page are printed from it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace hlocts::tools {

struct OptionInfo {
  std::string name;      // "--jobs"; "-o,--output"; "MODULE" for a positional
  std::string argument;  // "N", "DURATION", ...; "" for a switch
  std::string standard;  // default value, or ""
  std::string help;
  std::vector<std::string> choices;
  bool positional = false;
};

struct CommandInfo {
  std::string name, help;
  std::vector<OptionInfo> options;
};

using ProgramTable = std::vector<CommandInfo>;

// The contents of exit_status.def, topics.def and examples.def.
std::string ExitStatusText();
std::vector<std::pair<std::string, std::string>> HelpTopics();  // name, text
// The line of `help` on the guides of docs/pages, and the text of one. A name that a topic or a
// subcommand has too needs its ".md".
std::string HelpPagesText();
absl::StatusOr<std::string> HelpPage(absl::string_view name);
std::string ExamplesOf(const std::string& command);  // lines, or ""

std::string BashCompletion(const ProgramTable& table);
std::string ZshCompletion(const ProgramTable& table);
// The man page of section 1, for `man -l`.
std::string ManPage(const ProgramTable& table, const std::string& version);

}  // namespace hlocts::tools
