// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/interrupt.h"

#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstring>
#include <thread>

#include "backends/worker/worker_process.h"
#include "spec/files/file_io.h"
#include "tools/cli/child.h"

namespace hlocts::tools {
namespace {

constexpr int kGraceMilliseconds = 1500;

volatile std::sig_atomic_t g_signal = 0;
volatile std::sig_atomic_t g_asks = 0;  // true: the running work polls Interrupted()
std::atomic<const char*> g_last_words{"\nhlocts: interrupted\n"};
int g_pipe[2] = {-1, -1};
pid_t g_owner = 0;

void OnSignal(int signal) {
  if (getpid() != g_owner) {  // a child before exec, or a process without WatchInterrupts
    std::signal(signal, SIG_DFL);
    raise(signal);
    return;
  }
  g_signal = signal;
  const char byte = 1;
  ssize_t ignored = write(g_pipe[1], &byte, 1);
  static_cast<void>(ignored);
}

bool WaitForByte(int milliseconds) {
  pollfd ready{g_pipe[0], POLLIN, 0};
  char byte = 0;
  return poll(&ready, 1, milliseconds) == 1 && read(g_pipe[0], &byte, 1) == 1;
}

// Ends the process. Must not wait long for a lock: the interrupted thread may hold it.
[[noreturn]] void EndNow() {
  backends::KillAllWorkers();
  EndChildren();
  RemoveTemporaryFolders();
  const char* message = g_last_words;
  ssize_t ignored = write(STDERR_FILENO, message, std::strlen(message));
  static_cast<void>(ignored);
  _exit(InterruptStatus());
}

void Watch() {
  while (!WaitForByte(-1)) {
  }
  // A second signal ends the wait at once.
  if (g_asks != 0) WaitForByte(kGraceMilliseconds);
  EndNow();
}

}  // namespace

void WatchInterrupts() {
  if (g_owner != 0 || pipe(g_pipe) != 0) return;
  g_owner = getpid();
  struct sigaction action;
  std::memset(&action, 0, sizeof(action));
  action.sa_handler = OnSignal;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  std::thread(Watch).detach();
}

void CatchInterrupts(const std::string& advice) {
  // Never freed: another thread prints it while this one may run destructors.
  if (!advice.empty()) g_last_words = strdup(("\nhlocts: interrupted; " + advice + "\n").c_str());
  g_asks = 1;
  WatchInterrupts();
}

bool Interrupted() { return g_signal != 0; }

int InterruptStatus() { return g_signal == 0 ? 0 : 128 + static_cast<int>(g_signal); }

}  // namespace hlocts::tools
