// SPDX-License-Identifier: Apache-2.0
// What a finding's folder says of itself: title and clause, the guilty pass that `blame` found, and
// what `history --keep` recorded of releases.
#ifndef HLOCTS_REPORTS_STORE_FINDINGS_H_
#define HLOCTS_REPORTS_STORE_FINDINGS_H_

#include <string>
#include <utility>
#include <vector>

#include "reports/nights/nights.h"

namespace hlocts::reports {

// Without the module's text. What is missing is empty.
Finding ReadFinding(const std::string& folder);

// Releases with a mark (marks.h) each, from history.json: wrong in the finding's own way, right,
// unsupported or inconclusive. What was not asked, or never came to the compiler, says nothing and
// is left out. No file: none.
std::vector<std::pair<std::string, char>> RecordedMarks(const std::string& folder);

}  // namespace hlocts::reports

#endif  // HLOCTS_REPORTS_STORE_FINDINGS_H_
