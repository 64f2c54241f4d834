// SPDX-License-Identifier: Apache-2.0
// What the page shows besides nights: clauses, real programs, releases. And what `report`, `view`
// and `store` share.
#ifndef HLOCTS_TOOLS_CMD_REPORT_PAGE_H_
#define HLOCTS_TOOLS_CMD_REPORT_PAGE_H_

#include <string>

#include "reports/page/page.h"
#include "reports/store/run_store.h"

namespace hlocts::tools {

inline constexpr char kStorePath[] = "out/store.db";
inline constexpr int kNightsShown = 14;

// The newest `nights` nights up to `night` (empty: the newest); releases in the order of their days
// (backends/engines.textproto).
absl::StatusOr<reports::History> LoadHistory(reports::RunStore& store, int64_t nights,
                                             const std::string& night = "");

// A suite, clauses or a list of engines that cannot be read leave their part of the page empty.
reports::PageInput PageInputOf(reports::History history);

}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_CMD_REPORT_PAGE_H_
