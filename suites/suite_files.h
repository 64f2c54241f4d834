// SPDX-License-Identifier: Apache-2.0
// Selects cases of the suite by query (spec/files/home_folder.h locates them).
#pragma once

#include <string>
#include <vector>

#include "spec/files/home_folder.h"
#include "suites/case.h"

namespace hlocts::suites {

using hlocts::HomeFolder;
// Returns the cases of `tier` and the smaller tiers that any query selects; without queries, all of
// them. A query that selects no case is an error that names the nearest match.
absl::StatusOr<std::vector<Case>> SelectCases(const std::vector<std::string>& queries, Tier tier);

}  // namespace hlocts::suites
