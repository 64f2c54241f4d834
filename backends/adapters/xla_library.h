// SPDX-License-Identifier: Apache-2.0
// Finds libhlocts_xla.so, the part of hlocts that contains the C++ of the pinned wheel. It is a
// file next to this program, which a worker process opens at run time.
#pragma once

#include <string>

#include "backends/adapters/xla/xla_c_api.h"
#include "spec/base/status.h"

namespace hlocts::backends {

// Returns the path: $HLOCTS_XLA_LIBRARY, or the file next to the program.
std::string XlaLibraryPath();
// Returns kUnavailable, with one sentence, if this build has no libhlocts_xla.so.
absl::Status CheckXlaLibrary();
absl::StatusOr<void*> OpenXlaLibrary();

absl::Status StatusOfXla(hlocts_xla_status status, absl::string_view message);

}  // namespace hlocts::backends
