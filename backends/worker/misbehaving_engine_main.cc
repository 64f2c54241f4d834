// SPDX-License-Identifier: Apache-2.0
// A test engine on the worker protocol. It returns its arguments as outputs, unless the module's
// name or the environment selects another behaviour. Module names: "count_loads" reports the number
// of loads as its time; "abort", "hang", "hang_load", "rubbish", "memory", "ten_gigabytes" and
// "exit" misbehave; "no_memory" hangs after a message; "much_memory" uses much, and returns. It
// rejects custom calls and more than one partition; with the argument "options" it rejects every
// module. Environment: MISBEHAVE_ABORT_EVERY=2 aborts every second execution of a process,
// MISBEHAVE_HANG_FROM=3 hangs in the third and every later execution, and MISBEHAVE_MEMORY_EVERY=4
// exhausts memory in every fourth.
#include <poll.h>
#include <unistd.h>

#include <cstdlib>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/worker/worker_server.h"
#include "spec/base/frame.h"
#include "spec/ir/module.h"

namespace hlocts::backends {
namespace {

constexpr size_t kGiB = size_t{1} << 30;

// Allocates memory until the driver kills this process.
void UseMemory() {
  std::vector<std::vector<char>> blocks;
  while (true) {
    blocks.emplace_back(kGiB / 16, 1);
    usleep(10'000);
  }
}

// Allocates all memory at once, like a program that confuses a size with a count.
void AllocateAtOnce(size_t bytes, useconds_t pause) {
  std::vector<char> block(bytes, 1);
  asm volatile("" : : "r"(block.data()) : "memory");  // clang removes an allocation nothing reads
  usleep(pause);
}

int Wanted(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? 0 : std::atoi(value);
}

// Hangs for at most a minute, and only while the driver is alive (its request pipe is open). If the
// driver was killed, nothing else ends this process, and a reader of its output would wait.
void HangWhileDriverAlive() {
  pollfd requests{STDIN_FILENO, 0, 0};
  poll(&requests, 1, 60'000);
}

void MisbehaveByEnvironment() {
  static int executions = 0;
  ++executions;
  int abort_every = Wanted("MISBEHAVE_ABORT_EVERY"), hang_from = Wanted("MISBEHAVE_HANG_FROM");
  int memory_every = Wanted("MISBEHAVE_MEMORY_EVERY");
  if (abort_every > 0 && executions % abort_every == 0) std::abort();
  if (memory_every > 0 && executions % memory_every == 0) UseMemory();
  if (hang_from > 0 && executions >= hang_from) HangWhileDriverAlive();
}

// Prints the message of a failed check, followed by much more text, and aborts.
[[noreturn]] void Complain() {
  std::fprintf(stderr, "starting\nF0000 here.cc:7] Check failed: a == b\x1b[0m %s\n",
               std::string(4000, 'x').c_str());
  std::abort();
}

class Mirror : public Executable {
 public:
  Mirror(std::string name, int loads) : name_(std::move(name)), loads_(loads) {}
  absl::StatusOr<ExecuteResult> Execute(const ExecuteRequest& request) override {
    MisbehaveByEnvironment();
    if (name_ == "abort") std::abort();
    if (name_ == "complain") Complain();
    if (name_ == "warn") std::fprintf(stderr, "F0000 here.cc:7] Check failed: of no account\n");
    if (name_ == "exit") _exit(7);
    if (name_ == "much_memory") AllocateAtOnce(kGiB / 2, 0);
    if (name_ == "no_memory") std::fprintf(stderr, "terminate: std::bad_alloc\n");
    while (name_ == "hang" || name_ == "no_memory") usleep(100'000);
    if (name_ == "memory") UseMemory();
    if (name_ == "ten_gigabytes") AllocateAtOnce(10 * kGiB, 10'000'000);
    ExecuteResult result;
    result.outputs = request.arguments;
    if (name_ == "count_loads") result.seconds = loads_;
    if (name_ == "count_runs")
      result.seconds_of_runs.resize(static_cast<size_t>(request.runs), 0.5);
    return result;
  }
  absl::StatusOr<std::string> OptimizedModule() override {
    if (name_ == "abort") std::abort();
    return absl::StrCat("what became of ", name_);
  }

 private:
  std::string name_;
  int loads_;
};

class MirrorBackend : public Backend {
 public:
  MirrorBackend(int output_fd, bool foreign, bool refuses_all)
      : output_fd_(output_fd), foreign_(foreign), refuses_all_(refuses_all) {}
  BackendInfo info() override {
    BackendInfo info{.name = "mirror", .version = "1", .capabilities = {"execute"}};
    info.capabilities.push_back(foreign_ ? "optimized-module" : "our-parser");
    return info;
  }
  absl::StatusOr<std::unique_ptr<Executable>> Load(const Module& module,
                                                   const LoadOptions& options) override {
    while (module.name() == "hang_load") usleep(100'000);
    if (module.name() == "refuse") return absl::InvalidArgumentError("I do not like it");
    if (module.name() == "colours")
      return absl::InvalidArgumentError(
          "a\ttab\n\x1b[31m red \r\a \xc2\x9b"
          "2J \xc3\xa9");
    if (module.name() == "broken") return absl::InternalError("my own check failed");
    if (options.partitions > 1) return absl::InvalidArgumentError("partitions: switched off");
    if (refuses_all_) return absl::InvalidArgumentError("no such option: speed");
    for (const auto& instruction : module.entry()->instructions()) {
      const std::string* target = instruction->Get<std::string>(Attr::kCustomCallTarget);
      if (target && *target != "quiet")
        return absl::NotFoundError(absl::StrCat("nothing registered for '", *target, "' here"));
      if (target) return absl::InvalidArgumentError("quietly: the layout is not mine");
    }
    if (module.name() == "unsupported") return absl::UnimplementedError("not here");
    if (module.name() == "rubbish") {
      ssize_t ignored = write(output_fd_, "\xff\xff\xff\xff\xff\xff\xff\xff", 8);
      static_cast<void>(ignored);
    }
    if (module.name() == "no_reply_message") WriteFrame(output_fd_, "\xff\xff").IgnoreError();
    return std::unique_ptr<Executable>(std::make_unique<Mirror>(module.name(), ++loads_));
  }

 private:
  int loads_ = 0;
  int output_fd_;
  bool foreign_;      // receives modules as an external engine does
  bool refuses_all_;  // as if started with an unknown option
};

}  // namespace
}  // namespace hlocts::backends

int main(int argc, char** argv) {
  int output_fd = hlocts::backends::ReserveStandardOutput();
  hlocts::backends::MirrorBackend backend(output_fd, /*foreign=*/argc > 1,
                                          argc > 1 && absl::string_view(argv[1]) == "options");
  return hlocts::backends::ServeWorker(backend, STDIN_FILENO, output_fd).ok() ? 0 : 1;
}
