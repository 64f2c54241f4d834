// SPDX-License-Identifier: Apache-2.0
// The main function of hlocts. Each subcommand has a file cmd_<name>.cc, which defines its Command.
#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <system_error>
#include <thread>

#include "tools/cli/flags.h"
#include "tools/commands.h"

namespace {

// Nested modules and deep calls need this much stack.
[[maybe_unused]] constexpr rlim_t kStackBytes = rlim_t{8} << 20;

// Gives closed standard streams descriptors on which reads and writes fail. Otherwise the next file
// or pipe that the program opens would be its standard input or output.
void OccupyStandardStreams() {
  for (int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) < 0) open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

int Main(int argc, char** argv) {
  std::vector<hlocts::tools::Command> commands;
#define HLOCTS_COMMAND(Name) commands.push_back(hlocts::tools::Name##Command());
#include "tools/commands.def"
#undef HLOCTS_COMMAND
  return hlocts::tools::RunCommands(argc, argv, commands);
}

}  // namespace

int main(int argc, char** argv) {
  OccupyStandardStreams();
  std::signal(SIGXFSZ, SIG_IGN);  // a write beyond `ulimit -f` then fails
#ifdef __GLIBC__
  // The stack of the first thread is fixed, so another one, of sufficient size, runs the program.
  rlimit stack{};
  if (getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur < kStackBytes) {
    pthread_attr_t large;
    pthread_attr_init(&large);
    pthread_attr_setstacksize(&large, kStackBytes);
    pthread_setattr_default_np(&large);
    try {
      int status = 0;
      std::thread([&] { status = Main(argc, argv); }).join();
      return status;
    } catch (const std::system_error&) {  // no further thread is permitted
    }
  }
#endif
  return Main(argc, argv);
}
