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

// The module's text is left empty; without a finding.textproto so are all fields.
Finding ReadFinding(const std::string& folder);

// Releases with a mark (marks.h) each, from history.json: wrong in the finding's own way, right,
// unsupported or inconclusive. Releases that did not run, or whose compiler the module never
// reached, are left out. Empty without the file.
std::vector<std::pair<std::string, char>> RecordedMarks(const std::string& folder);

}  // namespace hlocts::reports

#endif  // HLOCTS_REPORTS_STORE_FINDINGS_H_
