// SPDX-License-Identifier: Apache-2.0
// "Did you mean": the name nearest to the typed one.
#ifndef HLOCTS_SPEC_BASE_NEAREST_H_
#define HLOCTS_SPEC_BASE_NEAREST_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace hlocts {

// The number of insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`.
int EditDistance(absl::string_view a, absl::string_view b);
// "" if no name is near, that is, if more than a third of the letters would have to change.
std::string Nearest(absl::string_view typed, const std::vector<std::string>& names);
// "; did you mean NAME?", or "".
std::string DidYouMean(absl::string_view typed, const std::vector<std::string>& names);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_BASE_NEAREST_H_
