// The program from outside, for tests.
#ifndef HLOCTS_TOOLS_CLI_TESTING_H_
#define HLOCTS_TOOLS_CLI_TESTING_H_

#include <sys/wait.h>

#include <cstdio>
#include <string>

#include "absl/strings/str_cat.h"

namespace hlocts::tools {

struct Ran {
  int status = -1;
  std::string out;  // standard output and error together
};

// `before`: what the shell is to put before the program, e.g. variables of its environment.
inline Ran RunHlocts(const std::string& arguments, const std::string& before = "") {
  Ran ran;
  std::string command =
      absl::StrCat(before, " ", HLOCTS_BINARY_DIR, "/hlocts ", arguments, " 2>&1");
  std::FILE* pipe = popen(command.c_str(), "r");
  char chunk[4096];
  while (size_t n = std::fread(chunk, 1, sizeof(chunk), pipe)) ran.out.append(chunk, n);
  int status = pclose(pipe);
  ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ran;
}

}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_CLI_TESTING_H_
