// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/run_program.h"

#include <sys/wait.h>
#include <unistd.h>

#include <iostream>

#include "absl/strings/str_cat.h"

namespace hlocts::tools {

absl::StatusOr<int> RunProgram(std::vector<std::string> words) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::cout.flush();
  pid_t child = fork();
  if (child == 0) {
    execvp(argv[0], argv.data());
    _exit(127);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
    return absl::UnavailableError(absl::StrCat(words[0], " did not run to its end"));
  return WEXITSTATUS(status);
}

}  // namespace hlocts::tools
