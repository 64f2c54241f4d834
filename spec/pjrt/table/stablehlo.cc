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

#include "absl/strings/str_split.h"
#include "spec/pjrt/convert.pb.h"

extern char** environ;

namespace hlocts::pjrt {
namespace {

std::string CommandOf(std::string command) {
  if (!command.empty()) return command;
  const char* variable = getenv(kConverterVariable);
  return variable == nullptr ? "" : variable;
}

// A signal is no end of a read or a write.
bool WriteAll(int fd, absl::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

bool ReadAll(int fd, char* bytes, size_t size) {
  while (size > 0) {
    const ssize_t count = read(fd, bytes, size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes += count;
    size -= static_cast<size_t>(count);
  }
  return true;
}

// A frame of the worker protocol: its size as a varint, then as many bytes.
bool WriteFrame(int fd, const std::string& bytes) {
  std::string size;
  for (uint64_t left = bytes.size(); size.empty() || left > 0; left >>= 7)
    size.push_back(static_cast<char>((left & 0x7f) | (left > 0x7f ? 0x80 : 0)));
  return WriteAll(fd, size) && WriteAll(fd, bytes);
}

bool ReadFrame(int fd, std::string& bytes) {
  constexpr uint64_t kFrameBytesMax = uint64_t{2} << 30;  // of a protocol buffer
  uint64_t size = 0;
  for (int shift = 0;; shift += 7) {
    char byte = 0;
    if (shift > 35 || !ReadAll(fd, &byte, 1)) return false;
    size |= uint64_t{static_cast<uint8_t>(byte) & 0x7fu} << shift;
    if ((byte & 0x80) == 0) break;
  }
  if (size > kFrameBytesMax) return false;
  bytes.resize(size);
  return ReadAll(fd, bytes.data(), size);
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
  // A socket and no pipe: a write to a converter that ended is an error and no signal.
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
  to_ = from_ = ends[0];
  return absl::OkStatus();
}

void StablehloConverter::Stop() {
  if (pid_ == 0) return;
  close(from_);
  kill(pid_, SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = 0;
  to_ = from_ = -1;
}

absl::StatusOr<std::string> StablehloConverter::Ask(absl::string_view mlir) {
  ConvertCall call;
  call.mutable_convert()->set_module(std::string(mlir));
  call.mutable_convert()->set_from("stablehlo");
  call.mutable_convert()->set_to("hlo");
  std::string bytes;
  if (!WriteFrame(to_, call.SerializeAsString()) || !ReadFrame(from_, bytes))
    return absl::AbortedError("the StableHLO converter ended over this module");
  ConvertAnswer answer;
  if (!answer.ParseFromString(bytes))
    return absl::AbortedError("the StableHLO converter answered with no message of its protocol");
  if (!answer.has_error()) return std::move(*answer.mutable_converted());
  return absl::Status(static_cast<absl::StatusCode>(answer.error().code()),
                      answer.error().message());
}

absl::StatusOr<std::string> StablehloConverter::ToHlo(absl::string_view mlir) {
  if (command_.empty()) {
    return Unsupported("program format \"mlir\": no StableHLO converter; set ", kConverterVariable,
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
