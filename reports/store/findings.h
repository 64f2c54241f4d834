// SPDX-License-Identifier: Apache-2.0
// The finding of a directory (finding.textproto): title, clause, the pass that causes it, and the
// results by release that `history --keep` recorded.
#ifndef HLOCTS_REPORTS_STORE_FINDINGS_H_
#define HLOCTS_REPORTS_STORE_FINDINGS_H_

#include <string>
#include <utility>
#include <vector>

#include "reports/nights/nights.h"

namespace hlocts::reports {

// The module's text is left empty, likewise all fields without a finding.textproto.
Finding ReadFinding(const std::string& folder);

// Releases with a mark (marks.h) each, from history.json: wrong in the finding's own way, right,
// unsupported or inconclusive. What was not asked, or never came to the compiler, says nothing and
// is left out. No file: none.
std::vector<std::pair<std::string, char>> RecordedMarks(const std::string& folder);

}  // namespace hlocts::reports

#endif  // HLOCTS_REPORTS_STORE_FINDINGS_H_
