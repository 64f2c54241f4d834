// SPDX-License-Identifier: Apache-2.0
// Tags files written by this user's hlocts with a keyed hash. Files from other users may name code
// to run (an engine's path, a library), so only tagged files are trusted.
#pragma once

#include <string>

namespace hlocts::suites {

// Returns a hash of the text and of a secret, which is created on first use in the user's cache
// directory. Returns "" if no secret can be kept.
std::string OwnershipTag(const std::string& text);
bool IsOwn(const std::string& text, const std::string& mark);

}  // namespace hlocts::suites
