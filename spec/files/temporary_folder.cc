// SPDX-License-Identifier: Apache-2.0
#include "spec/files/temporary_folder.h"

#include <stdlib.h>

#include <cstring>
#include <filesystem>
#include <utility>

namespace hlocts {

namespace fs = std::filesystem;

absl::StatusOr<TemporaryFolder> TemporaryFolder::Make(const std::string& name) {
  std::error_code error;
  const fs::path parent = fs::temp_directory_path(error);
  std::string path = absl::StrCat(error ? "/tmp" : parent.string(), "/", name, ".XXXXXX");
  if (!mkdtemp(path.data()))
    return absl::UnavailableError(absl::StrCat(path, ": ", std::strerror(errno)));
  return TemporaryFolder(std::move(path));
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : path_(std::exchange(other.path_, "")), keep_(std::move(other.keep_)) {}

TemporaryFolder::~TemporaryFolder() {
  if (path_.empty()) return;
  std::error_code ignored;
  if (!keep_.empty()) {
    fs::create_directories(keep_, ignored);
    fs::copy(path_, keep_, fs::copy_options::recursive | fs::copy_options::overwrite_existing,
             ignored);
  }
  fs::remove_all(path_, ignored);
}

}  // namespace hlocts
