// SPDX-License-Identifier: Apache-2.0
#include "spec/pjrt/table/stablehlo.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "spec/base/frame.h"
#include "spec/pjrt/convert.pb.h"

extern char** environ;

namespace hlocts::pjrt {
namespace {

std::string CommandOf(std::string command) {
  const char* variable = getenv(kConverterVariable);
  if (command.empty() && variable != nullptr) command = variable;
  return std::string(absl::StripAsciiWhitespace(command));
}

// Writes all bytes to a socket. Returns false, without SIGPIPE, if the converter has ended.
bool SendAll(int fd, absl::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

}  // namespace

StablehloConverter::StablehloConverter(std::string command)
    : command_(CommandOf(std::move(command))) {}

StablehloConverter::~StablehloConverter() { Stop(); }

absl::Status StablehloConverter::Start() {
  const char separator = absl::StrContains(command_, '\n') ? '\n' : ' ';
  const std::vector<std::string> arguments = absl::StrSplit(command_, separator, absl::SkipEmpty());
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return absl::InternalError(absl::StrCat("socketpair: ", strerror(errno)));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  const int failed = posix_spawnp(&pid_, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (failed != 0) {
    close(ends[0]);
    pid_ = 0;
    return InvalidInput(kConverterOption, ": cannot start ", arguments[0], ": ", strerror(failed));
  }
  socket_ = ends[0];
  return absl::OkStatus();
}

void StablehloConverter::Stop() {
  if (pid_ == 0) return;
  close(socket_);
  kill(pid_, SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = 0;
  socket_ = -1;
}

absl::StatusOr<std::string> StablehloConverter::Ask(absl::string_view mlir) {
  ConvertCall call;
  call.mutable_convert()->set_module(std::string(mlir));
  call.mutable_convert()->set_from("stablehlo");
  call.mutable_convert()->set_to("hlo");
  std::string frame;
  AppendFrame(call.SerializeAsString(), frame);
  const bool sent = SendAll(socket_, frame);
  const absl::StatusOr<std::string> bytes =
      sent ? FrameReader(socket_).Read() : absl::AbortedError("");
  if (!bytes.ok()) return absl::AbortedError("the StableHLO converter crashed on this module");
  ConvertAnswer answer;
  if (!answer.ParseFromString(*bytes))
    return absl::AbortedError("the StableHLO converter sent a malformed reply");
  if (!answer.has_error()) return std::move(*answer.mutable_converted());
  const auto code = static_cast<absl::StatusCode>(answer.error().code());
  return absl::Status(code == absl::StatusCode::kOk ? absl::StatusCode::kInternal : code,
                      answer.error().message());
}

absl::StatusOr<std::string> StablehloConverter::ToHlo(absl::string_view mlir) {
  if (command_.empty()) {
    return Unsupported("program format \"mlir\": no StableHLO converter; set  ", kConverterVariable,
                       " to a program that answers Convert of backends/worker.proto, such as "
                       "\"python3 -m hlocts.stablehlo\" where jaxlib is installed");
  }
  std::lock_guard<std::mutex> lock(mutex_);
  if (pid_ == 0) HLOCTS_RETURN_IF_ERROR(Start());
  absl::StatusOr<std::string> hlo = Ask(mlir);
  if (absl::IsAborted(hlo.status())) Stop();
  return hlo;
}

}  // namespace hlocts::pjrt
