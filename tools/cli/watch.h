// SPDX-License-Identifier: Apache-2.0
// Handles --watch, which runs a command again when a file that it reads has changed.
#pragma once

#include <string>
#include <vector>

namespace hlocts::tools {

// The files and directories that a command line reads: its words that are existing paths, also
// after "=", "pjrt:" and "exec:", except values of output options. If there are none, the cases of
// the suite.
std::vector<std::string> WatchedPaths(const std::vector<std::string>& words);

// Runs the command line, without --watch, in a child process, and again after each change. Ends
// only at Ctrl-C or SIGTERM, with 130 or 143.
[[noreturn]] void RunWatching(const std::vector<std::string>& words);

}  // namespace hlocts::tools
