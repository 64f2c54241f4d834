// A test program on the worker protocol: returns its arguments as outputs, unless the module's name
// asks for something worse ("abort", "hang", "rubbish", "memory", "exit", "wrong_size").
#include <unistd.h>

#include <cstdlib>
#include <vector>

#include "backends/frame.h"
#include "backends/worker_server.h"

namespace hlocts {
namespace {

constexpr size_t kGiB = size_t{1} << 30;

// Touches memory until the driver has had enough.
void UseMemory() {
  std::vector<std::vector<char>> blocks;
  while (true) {
    blocks.emplace_back(kGiB / 16, 1);
    usleep(10'000);
  }
}

class Mirror : public Executable {
 public:
  explicit Mirror(std::string name) : name_(std::move(name)) {}
  absl::StatusOr<ExecuteResult> Execute(const ExecuteRequest& request) override {
    if (name_ == "abort") std::abort();
    if (name_ == "exit") _exit(7);
    while (name_ == "hang") usleep(100'000);
    if (name_ == "memory") UseMemory();
    ExecuteResult result;
    result.outputs = request.arguments;
    return result;
  }

 private:
  std::string name_;
};

class MirrorBackend : public Backend {
 public:
  explicit MirrorBackend(int output_fd) : output_fd_(output_fd) {}
  BackendInfo info() override {
    BackendInfo info;
    info.name = "mirror";
    info.version = "1";
    info.capabilities = {"execute"};
    return info;
  }
  absl::StatusOr<std::unique_ptr<Executable>> Load(const Module& module,
                                                   const LoadOptions&) override {
    if (module.name() == "refuse") return absl::InvalidArgumentError("I do not like it");
    if (module.name() == "unsupported") return absl::UnimplementedError("not here");
    if (module.name() == "rubbish") {
      ssize_t ignored = write(output_fd_, "\xff\xff\xff\xff\xff\xff\xff\xff", 8);
      static_cast<void>(ignored);
    }
    if (module.name() == "no_reply_message") WriteFrame(output_fd_, "\xff\xff").IgnoreError();
    return std::unique_ptr<Executable>(std::make_unique<Mirror>(module.name()));
  }

 private:
  int output_fd_;
};

}  // namespace
}  // namespace hlocts

int main() {
  int output_fd = hlocts::ReserveStandardOutput();
  hlocts::MirrorBackend backend(output_fd);
  return hlocts::ServeWorker(backend, STDIN_FILENO, output_fd).ok() ? 0 : 1;
}
