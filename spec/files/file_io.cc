// SPDX-License-Identifier: Apache-2.0
#include "spec/files/file_io.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "absl/strings/ascii.h"

namespace hlocts {
namespace {

absl::Status FromErrno(absl::string_view what, absl::string_view path, int error) {
  std::string message = absl::StrCat(what, " ", path, ": ", std::strerror(error));
  return error == ENOENT ? absl::NotFoundError(message) : absl::InvalidArgumentError(message);
}

absl::Status WriteStream(std::FILE* stream, absl::string_view path, absl::string_view content) {
  size_t written = std::fwrite(content.data(), 1, content.size(), stream);
  if (written == content.size() && std::fflush(stream) == 0) return absl::OkStatus();
  return FromErrno("cannot write", path, errno);
}

}  // namespace

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  bool standard = path == "-";
  std::FILE* stream = standard ? stdin : std::fopen(path.c_str(), "rb");
  if (!stream) return FromErrno("cannot read", path, errno);
  std::string content;
  char buffer[1 << 16];
  size_t count;
  while ((count = std::fread(buffer, 1, sizeof(buffer), stream)) > 0) content.append(buffer, count);
  int error = std::ferror(stream) ? errno : 0;  // opening a directory succeeds, reading fails
  if (!standard) std::fclose(stream);
  if (error != 0) return FromErrno("cannot read", path, error);
  return content;
}

absl::Status WriteFile(const std::string& path, absl::string_view content) {
  if (path == "-") return WriteStream(stdout, "standard output", content);
  struct stat existing;
  bool special = stat(path.c_str(), &existing) == 0 && !S_ISREG(existing.st_mode);
  std::string temporary = special ? path : absl::StrCat(path, ".tmp.", getpid());
  std::FILE* stream = std::fopen(temporary.c_str(), "wb");
  if (!stream) return FromErrno("cannot write", path, errno);
  absl::Status status = WriteStream(stream, path, content);
  if (std::fclose(stream) != 0 && status.ok()) status = FromErrno("cannot write", path, errno);
  if (special) return status;
  if (status.ok() && std::rename(temporary.c_str(), path.c_str()) != 0) {
    status = FromErrno("cannot write", path, errno);
  }
  if (!status.ok()) std::remove(temporary.c_str());
  return status;
}

std::string ExtensionOf(absl::string_view path) {
  size_t slash = path.rfind('/');
  if (slash != absl::string_view::npos) path.remove_prefix(slash + 1);
  size_t dot = path.rfind('.');
  if (dot == absl::string_view::npos || dot == 0) return "";
  return absl::AsciiStrToLower(path.substr(dot + 1));
}

}  // namespace hlocts
