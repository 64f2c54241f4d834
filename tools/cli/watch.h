// SPDX-License-Identifier: Apache-2.0
// Handles --watch, which runs a command again when a file that it reads changes.
#pragma once

#include <string>
#include <vector>

namespace hlocts::tools {

// Returns the files and directories that a command line reads: the words that are existing paths,
// also after "=", "pjrt:" and "exec:", except the values of output options. If there are none,
// returns the cases of the suite.
std::vector<std::string> WatchedPaths(const std::vector<std::string>& words);

// Runs the command line, without --watch, in a child process, and again after each change. Ends
// only on Ctrl-C or SIGTERM, with exit status 130 or 143.
[[noreturn]] void RunWatching(const std::vector<std::string>& words);

}  // namespace hlocts::tools
