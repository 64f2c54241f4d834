// SPDX-License-Identifier: Apache-2.0
#ifndef HLOCTS_TOOLS_CLI_OUTPUT_FOLDER_H_
#define HLOCTS_TOOLS_CLI_OUTPUT_FOLDER_H_

#include <string>

#include "spec/base/status.h"

namespace hlocts::tools {

// Checks a directory to write ("" for none) before long work. kInvalidArgument where it is no
// directory, or where it, or its first existing parent, cannot be written. Nothing is created.
absl::Status CheckOutputFolder(const std::string& flag, const std::string& path);

}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_CLI_OUTPUT_FOLDER_H_
