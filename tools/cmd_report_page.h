// SPDX-License-Identifier: Apache-2.0
// Collects the parts of the result page that do not come from nightly runs (clauses, real programs,
// releases). Used by `report`, `view` and `store`.
#pragma once

#include <string>

#include "reports/page/page.h"
#include "reports/store/run_store.h"

namespace hlocts::tools {

inline constexpr char kStorePath[] = "out/store.db";
inline constexpr int kNightlyRunsShown = 14;

// Returns the newest `nights` nightly runs until `night` (until the newest one if `night` is "").
// Releases are ordered by family and date (backends/engines.textproto).
absl::StatusOr<reports::History> LoadHistory(reports::RunStore& store, int64_t nights,
                                             const std::string& night = "");

// Returns the data of the page. A part is empty if its source (the suite, the clauses or the list
// of engines) cannot be read.
reports::PageInput PageInputOf(reports::History history);

}  // namespace hlocts::tools
