// SPDX-License-Identifier: Apache-2.0
// Prints a count with its noun.
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"

namespace hlocts {

// Returns "1 run" or "2 runs". If the plural is not the noun and "s", `many` is the plural.
inline std::string CountText(int64_t count, absl::string_view noun, absl::string_view many = "") {
  const std::string regular = absl::StrCat(noun, "s");
  return absl::StrCat(count, " ", count == 1 ? noun : many.empty() ? regular : many);
}

}  // namespace hlocts
