// SPDX-License-Identifier: Apache-2.0
// A directory that is removed with its owner.
#ifndef HLOCTS_SPEC_FILES_TEMPORARY_FOLDER_H_
#define HLOCTS_SPEC_FILES_TEMPORARY_FOLDER_H_

#include <string>

#include "spec/base/status.h"

namespace hlocts {

class TemporaryFolder {
 public:
  // Empty, accessible to its owner only, in $TMPDIR or /tmp. kUnavailable: it cannot be created.
  static absl::StatusOr<TemporaryFolder> Make(const std::string& name);
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&& other) = delete;
  ~TemporaryFolder();

  const std::string& path() const { return path_; }
  // At the end its files are moved to `folder`, which need not exist, instead of being removed.
  void KeepAs(const std::string& folder) { keep_ = folder; }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::string path_, keep_;
};

}  // namespace hlocts

#endif  // HLOCTS_SPEC_FILES_TEMPORARY_FOLDER_H_
