// SPDX-License-Identifier: Apache-2.0
#include "spec/files/file_io.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"

namespace hlocts {
namespace {

absl::Status FromErrno(absl::string_view what, absl::string_view path, int error) {
  std::string message = absl::StrCat(what, " ", path, ": ", std::strerror(error));
  return error == ENOENT ? absl::NotFoundError(message) : absl::InvalidArgumentError(message);
}

// Returns true for a device such as /dev/zero, whose content has no end. A terminal's input ends.
bool IsDevice(std::FILE* stream) {
  struct stat status;
  return fstat(fileno(stream), &status) == 0 && S_ISCHR(status.st_mode) && !isatty(fileno(stream));
}

absl::Status WriteStream(std::FILE* stream, absl::string_view path, absl::string_view content) {
  size_t written = std::fwrite(content.data(), 1, content.size(), stream);
  if (written == content.size() && std::fflush(stream) == 0) return absl::OkStatus();
  return FromErrno("cannot write", path, errno);
}

// Opens a new file beside `path`. Unlike fopen, O_EXCL follows no link that another user of the
// directory may have made in its place.
std::FILE* OpenBeside(const std::string& path, std::string& name) {
  constexpr int kNamesMax = 1000;
  for (int number = 0;; ++number) {
    name = absl::StrCat(path, ".tmp.", getpid(), ".", number);
    const int fd = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0) return fdopen(fd, "wb");
    if (errno != EEXIST || number == kNamesMax) return nullptr;
  }
}

}  // namespace

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  bool standard = path == "-";
  std::FILE* stream = standard ? stdin : std::fopen(path.c_str(), "rb");
  if (!stream) return FromErrno("cannot read", path, errno);
  std::string content;
  char buffer[1 << 16];
  size_t count;
  const bool endless = IsDevice(stream);  // except /dev/null, which is empty
  while ((count = std::fread(buffer, 1, sizeof(buffer), stream)) > 0 && !endless)
    content.append(buffer, count);
  int error = std::ferror(stream) ? errno : 0;  // a directory can be opened but not read
  if (!standard) std::fclose(stream);
  if (count > 0) return InvalidInput("cannot read ", path, ": it is a device, which has no end");
  if (error != 0) return FromErrno("cannot read", path, error);
  return content;
}

absl::Status WriteFile(const std::string& path, absl::string_view content) {
  if (path == "-") return WriteStream(stdout, "standard output", content);
  struct stat existing;
  bool special = stat(path.c_str(), &existing) == 0 && !S_ISREG(existing.st_mode);
  std::string temporary = path;
  std::FILE* stream = special ? std::fopen(path.c_str(), "wb") : OpenBeside(path, temporary);
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

FolderLock& FolderLock::operator=(FolderLock&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

FolderLock::~FolderLock() {
  if (fd_ >= 0) close(fd_);
}

absl::StatusOr<FolderLock> FolderLock::Take(const std::string& folder) {
  FolderLock lock(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (lock.fd_ >= 0 && flock(lock.fd_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    return absl::FailedPreconditionError(
        absl::StrCat(folder, ": another process writes this directory"));
  }
  return lock;
}

namespace fs = std::filesystem;

namespace {

struct MadeFolders {
  std::timed_mutex mutex;
  std::set<std::string> paths;
};
// Never freed: an interrupt reads it while another thread may run destructors.
MadeFolders& Made() {
  static auto* const made = new MadeFolders();
  return *made;
}

}  // namespace

void RemoveTemporaryFolders() {
  std::unique_lock lock(Made().mutex, std::chrono::milliseconds(100));
  std::error_code ignored;
  if (!lock) return;
  for (const std::string& path : Made().paths) fs::remove_all(path, ignored);
}

absl::StatusOr<TemporaryFolder> TemporaryFolder::Make(const std::string& name) {
  std::error_code error;
  const fs::path parent = fs::temp_directory_path(error);
  std::string path = absl::StrCat(error ? "/tmp" : parent.string(), "/", name, ".XXXXXX");
  if (!mkdtemp(path.data()))
    return absl::UnavailableError(absl::StrCat(path, ": ", std::strerror(errno)));
  const std::lock_guard lock(Made().mutex);
  Made().paths.insert(path);
  return TemporaryFolder(std::move(path));
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : path_(std::exchange(other.path_, "")), keep_(std::move(other.keep_)) {}

void TemporaryFolder::Clear() const {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(path_, ignored))
    fs::remove_all(entry.path(), ignored);
}

TemporaryFolder::~TemporaryFolder() {
  if (path_.empty()) return;
  std::error_code ignored;
  if (!keep_.empty()) {
    fs::create_directories(keep_, ignored);
    fs::copy(path_, keep_, fs::copy_options::recursive | fs::copy_options::overwrite_existing,
             ignored);
  }
  fs::remove_all(path_, ignored);
  const std::lock_guard lock(Made().mutex);
  Made().paths.erase(path_);
}

}  // namespace hlocts
