// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/output_folder.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace hlocts::tools {

absl::Status CheckOutputFolder(const std::string& flag, const std::string& path) {
  namespace fs = std::filesystem;
  if (path.empty()) return absl::OkStatus();
  std::error_code none;
  fs::path place = fs::absolute(path);
  while (!fs::exists(place, none) && place.has_relative_path()) place = place.parent_path();
  if (!fs::is_directory(place, none))
    return InvalidInput(flag, ": ", path, ": expected a directory, ", place.string(), " is a file");
  if (access(place.c_str(), W_OK | X_OK) == 0) return absl::OkStatus();
  return InvalidInput(flag, ": ", path, ": cannot be written: ", std::strerror(errno));
}

}  // namespace hlocts::tools
