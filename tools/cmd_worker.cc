// SPDX-License-Identifier: Apache-2.0
// The subcommand `hlocts worker`: serves one engine on standard input and output. Other commands
// start it.
#include <unistd.h>

#include "backends/adapters/stablehlo/converter.h"
#include "backends/backend_list.h"
#include "backends/worker/worker_server.h"
#include "tools/cli/common.h"
#include "tools/commands.h"

namespace hlocts::tools {
namespace {

// Reports on the pipe, not only on standard error, why the engine cannot serve.
class UnavailableBackend : public backends::Backend {
 public:
  UnavailableBackend(std::string name, absl::Status status)
      : name_(std::move(name)), status_(std::move(status)) {}
  backends::BackendInfo info() override {
    return {.name = name_, .available = false, .error = ErrorOf(status_)};
  }
  absl::StatusOr<std::unique_ptr<backends::Executable>> Load(
      const Module&, const backends::LoadOptions&) override {
    return absl::UnavailableError(status_.message());
  }

 private:
  std::string name_;
  absl::Status status_;
};

int RunConverter() {
  absl::Status status = backends::ServeConversions(STDIN_FILENO, backends::ReserveStandardOutput());
  if (status.ok()) _exit(kExitOk);
  return Fail(status);
}

int RunWorker(const std::string& name) {
  int output_fd = backends::ReserveStandardOutput();
  auto backend = backends::MakeInProcessBackend(name);
  const absl::Status made = backend.status();
  if (!backend.ok()) backend = std::make_unique<UnavailableBackend>(name, backend.status());
  absl::Status status = backends::ServeWorker(**backend, STDIN_FILENO, output_fd);
  // _exit skips an engine's static destructors, which are unnecessary once the parent has exited.
  if (status.ok()) status = made;
  if (status.ok()) _exit(kExitOk);
  return Fail(status);
}

}  // namespace

Command WorkerCommand() {
  return {"worker", "serve one engine on standard input and output (internal)", [](Flags& flags) {
            auto name = std::make_shared<std::string>();
            auto convert = std::make_shared<bool>(false);
            flags.Add("--backend", name.get(), "engine to serve");
            flags.Add("--convert", convert.get(), "serve XLA's StableHLO converters, no engine");
            return [name, convert] { return *convert ? RunConverter() : RunWorker(*name); };
          }};
}

}  // namespace hlocts::tools
