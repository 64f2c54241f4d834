// SPDX-License-Identifier: Apache-2.0
// Lets only one process at a time write to a directory.
#pragma once

#include <string>

#include "spec/base/status.h"

namespace hlocts {

// An advisory lock on a directory (flock). It is released when the object is destroyed or the
// process ends, and it leaves no file.
class FolderLock {
 public:
  FolderLock() = default;  // locks nothing
  FolderLock(FolderLock&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  FolderLock& operator=(FolderLock&& other) noexcept;
  ~FolderLock();

  // Locks `folder`, which must exist. Returns kFailedPrecondition if another process, or another
  // lock of this process, has locked it. On a file system without locks, returns a FolderLock that
  // locks nothing.
  static absl::StatusOr<FolderLock> Take(const std::string& folder);

 private:
  explicit FolderLock(int fd) : fd_(fd) {}
  int fd_ = -1;
};

}  // namespace hlocts
