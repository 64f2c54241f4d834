// SPDX-License-Identifier: Apache-2.0
// Computes the SHA-256 of bytes and files, as lower-case hexadecimal digits.
#pragma once

#include <string>

#include "spec/base/status.h"

namespace hlocts::suites {

std::string Sha256(absl::string_view bytes);
absl::StatusOr<std::string> Sha256OfFile(const std::string& path);
// Returns a line "hash  name", in the format of `sha256sum`, for each regular file below a
// directory. Names are relative to the directory, and lines are sorted by name.
absl::StatusOr<std::string> HashesOfFolder(const std::string& folder);
// Returns the hash of the lines that HashesOfFolder returns.
absl::StatusOr<std::string> Sha256OfFolder(const std::string& folder);

}  // namespace hlocts::suites
