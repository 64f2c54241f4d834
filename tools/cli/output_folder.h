// SPDX-License-Identifier: Apache-2.0
#ifndef HLOCTS_TOOLS_CLI_OUTPUT_FOLDER_H_
#define HLOCTS_TOOLS_CLI_OUTPUT_FOLDER_H_

#include <string>

#include "spec/base/status.h"

namespace hlocts::tools {

// Before long work: a folder to write, "" for none. kInvalidArgument where it is no folder, or it,
// or the first folder above it that exists, cannot be written. Nothing is made.
absl::Status CheckOutputFolder(const std::string& flag, const std::string& path);

}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_CLI_OUTPUT_FOLDER_H_
