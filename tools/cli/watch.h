// SPDX-License-Identifier: Apache-2.0
// --watch: a command again whenever a file that it reads has changed.
#ifndef HLOCTS_TOOLS_CLI_WATCH_H_
#define HLOCTS_TOOLS_CLI_WATCH_H_

#include <string>
#include <vector>

namespace hlocts::tools {

// Files and folders that a command line reads: words of it that are there, also behind "=", "pjrt:"
// and "exec:", but what its output options name. Without such a file: the cases of the suite.
std::vector<std::string> WatchedPaths(const std::vector<std::string>& words);

// Runs the command line, without --watch, as a process of its own, and again after each change.
// Ends by Ctrl-C or SIGTERM alone, with 130 or 143.
[[noreturn]] void RunWatching(const std::vector<std::string>& words);

}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_CLI_WATCH_H_
