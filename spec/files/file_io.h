// SPDX-License-Identifier: Apache-2.0
// Reads and writes whole files; "-" is standard input or output.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "spec/base/status.h"

namespace hlocts {

// Returns the content of the file. Errors name path and reason; a missing file is a NotFoundError.
// A device with content, such as /dev/zero, is an error.
absl::StatusOr<std::string> ReadFile(const std::string& path);
// Writes to a temporary file, then renames it, so a regular file is never incomplete.
absl::Status WriteFile(const std::string& path, absl::string_view content);

// Returns the extension: "pb" for "a/b.pb"; "" for "-" and for a path without an extension.
std::string ExtensionOf(absl::string_view path);

// An advisory lock on a directory (flock), so that only one process at a time writes to it. It
// leaves no file, and is released when the object is destroyed or the process ends.
class FolderLock {
 public:
  FolderLock() = default;  // locks nothing
  FolderLock(FolderLock&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  FolderLock& operator=(FolderLock&& other) noexcept;
  ~FolderLock();

  // Locks `folder`, which must exist. Returns kFailedPrecondition if another process, or another
  // FolderLock of this process, has locked it. On a file system without locks, returns a FolderLock
  // that locks nothing.
  static absl::StatusOr<FolderLock> Take(const std::string& folder);

 private:
  explicit FolderLock(int fd) : fd_(fd) {}
  int fd_ = -1;
};

// A temporary directory that is removed when the object that owns it is destroyed.
class TemporaryFolder {
 public:
  // Makes an empty directory in $TMPDIR or /tmp, to which only its owner has access. Returns
  // kUnavailable if it cannot be created.
  static absl::StatusOr<TemporaryFolder> Make(const std::string& name);
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&& other) = delete;
  ~TemporaryFolder();

  const std::string& path() const { return path_; }
  void Clear() const;  // removes what is in it
  // Makes the destructor move the files to `folder`, which need not exist, instead of removing
  // them.
  void MoveToOnDestruction(const std::string& folder) { keep_ = folder; }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::string path_, keep_;
};

// Removes the temporary directories of this process, which then ends without destructors.
void RemoveTemporaryFolders();

}  // namespace hlocts
