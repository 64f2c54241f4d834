// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "spec/base/status.h"

namespace hlocts::tools {

// Checks an output directory ("" for none) before long work. kInvalidArgument if it is not a
// directory, or if it or its first existing parent cannot be written. Creates nothing.
absl::Status CheckOutputFolder(const std::string& flag, const std::string& path);

}  // namespace hlocts::tools
