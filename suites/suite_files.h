// SPDX-License-Identifier: Apache-2.0
// Selects cases of the suite by query (spec/files/home_folder.h locates them).
#pragma once

#include <string>
#include <vector>

#include "spec/files/home_folder.h"
#include "suites/case.h"

namespace hlocts::suites {

using hlocts::HomeFolder;
// Returns those cases of `tier` and the smaller tiers that any query selects; all of them if there
// are no queries. Returns an error that names the nearest match if a query selects no case.
absl::StatusOr<std::vector<Case>> SelectCases(const std::vector<std::string>& queries, Tier tier);

}  // namespace hlocts::suites
