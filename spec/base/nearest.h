// SPDX-License-Identifier: Apache-2.0
// Finds the name nearest to a mistyped one, for "did you mean".
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace hlocts {

// Returns the fewest insertions, deletions, replacements and swaps of adjacent letters from a to b.
int EditDistance(absl::string_view a, absl::string_view b);
// Returns the nearest name, or "" if every name differs from `typed` in more than two letters and
// in more than a third of its letters.
std::string Nearest(absl::string_view typed, const std::vector<std::string>& names);
// Returns "; did you mean NAME?", or "" if no name is near.
std::string DidYouMean(absl::string_view typed, const std::vector<std::string>& names);

}  // namespace hlocts
