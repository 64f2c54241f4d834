// SPDX-License-Identifier: Apache-2.0
// A temporary directory that is removed when the object that owns it is destroyed.
#pragma once

#include <string>

#include "spec/base/status.h"

namespace hlocts {

class TemporaryFolder {
 public:
  // Makes an empty directory, accessible to its owner only, in $TMPDIR or /tmp. Returns
  // kUnavailable if it cannot be created.
  static absl::StatusOr<TemporaryFolder> Make(const std::string& name);
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&& other) = delete;
  ~TemporaryFolder();

  const std::string& path() const { return path_; }
  // Makes the destructor move the files to `folder`, which need not exist, instead of removing
  // them.
  void MoveToOnDestruction(const std::string& folder) { keep_ = folder; }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::string path_, keep_;
};

}  // namespace hlocts
