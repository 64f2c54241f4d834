// SPDX-License-Identifier: Apache-2.0
// Reads and writes whole files; "-" is standard input or output.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "spec/base/status.h"

namespace hlocts {

// Returns the content. The error for a missing file is NotFoundError; the message names path and
// reason.
absl::StatusOr<std::string> ReadFile(const std::string& path);
// Writes a regular file to a temporary file and renames it, so that it is never incomplete.
absl::Status WriteFile(const std::string& path, absl::string_view content);

// Returns the extension: "pb" for "a/b.pb"; "" for "-" and for a path without an extension.
std::string ExtensionOf(absl::string_view path);

}  // namespace hlocts
