// SPDX-License-Identifier: Apache-2.0
// A folder that goes away with its owner.
#ifndef HLOCTS_SPEC_FILES_TEMPORARY_FOLDER_H_
#define HLOCTS_SPEC_FILES_TEMPORARY_FOLDER_H_

#include <string>

#include "spec/base/status.h"

namespace hlocts {

class TemporaryFolder {
 public:
  // Empty, readable by its owner only, in $TMPDIR or /tmp. kUnavailable: it cannot be made.
  static absl::StatusOr<TemporaryFolder> Make(const std::string& name);
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&& other) = delete;
  ~TemporaryFolder();

  const std::string& path() const { return path_; }
  // In the end its files are moved there instead, into a folder that need not exist.
  void KeepAs(const std::string& folder) { keep_ = folder; }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::string path_, keep_;
};

}  // namespace hlocts

#endif  // HLOCTS_SPEC_FILES_TEMPORARY_FOLDER_H_
