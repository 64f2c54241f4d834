// SPDX-License-Identifier: Apache-2.0
// Host functions that implement custom calls. A function is `void target(void* out, void** in)`.
// Each argument is a row-major buffer or, for a tuple, an array of pointers.
#pragma once

#include <memory>
#include <string>

#include "spec/base/status.h"

namespace hlocts::plan {

// Opens the library at `path`. The last owner closes it. Returns null for an empty path.
absl::StatusOr<std::shared_ptr<void>> OpenCustomCalls(const std::string& path);

}  // namespace hlocts::plan
