// SPDX-License-Identifier: Apache-2.0
// Reads and writes whole files; "-" is standard input or output.
#ifndef HLOCTS_SPEC_FILES_FILE_IO_H_
#define HLOCTS_SPEC_FILES_FILE_IO_H_

#include <string>

#include "absl/strings/string_view.h"
#include "spec/base/status.h"

namespace hlocts {

// NotFoundError when there is no such file; the message names the path and the reason.
absl::StatusOr<std::string> ReadFile(const std::string& path);
// A regular file is written to a temporary file and renamed, so that it is never incomplete.
absl::Status WriteFile(const std::string& path, absl::string_view content);

// "a/b.pb" -> "pb"; "" without an extension and for "-".
std::string ExtensionOf(absl::string_view path);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_FILES_FILE_IO_H_
