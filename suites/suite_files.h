// SPDX-License-Identifier: Apache-2.0
// Selects cases of the suite by query (spec/files/home_folder.h locates them).
#pragma once

#include <string>
#include <vector>

#include "spec/files/home_folder.h"
#include "suites/case.h"

namespace hlocts::suites {

using hlocts::HomeFolder;
// Returns the cases of `tier` and of smaller tiers that a query selects, or all if there are no
// queries. If a query selects no case, returns an error with the nearest address.
absl::StatusOr<std::vector<Case>> SelectCases(const std::vector<std::string>& queries, Tier tier);

}  // namespace hlocts::suites
