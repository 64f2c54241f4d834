// SPDX-License-Identifier: Apache-2.0
// Removes from the store's texts what identifies a machine or its owner.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace hlocts::reports {

// Shortens absolute paths ("/opt/me/plugin.so") and those from ".", ".." or "~", also in quotes or
// after '=' or ':', to the last part. "and/or" and addresses ("movement/pad") do not change. The
// name of this machine, `host`, becomes "HOST"; the two-argument form is for tests.
std::string Scrubbed(absl::string_view text, absl::string_view host);
std::string Scrubbed(absl::string_view text);

}  // namespace hlocts::reports
