// SPDX-License-Identifier: Apache-2.0
// Computes SHA-256 of bytes and files, as lower-case hexadecimal digits.
#ifndef HLOCTS_SUITES_SHA256_H_
#define HLOCTS_SUITES_SHA256_H_

#include <string>

#include "spec/base/status.h"

namespace hlocts::suites {

std::string Sha256(absl::string_view bytes);
absl::StatusOr<std::string> Sha256OfFile(const std::string& path);
// Returns the hash of the names and contents of all regular files below a directory, independent of
// their order on disk.
absl::StatusOr<std::string> Sha256OfFolder(const std::string& folder);

}  // namespace hlocts::suites

#endif  // HLOCTS_SUITES_SHA256_H_
