// SPDX-License-Identifier: Apache-2.0
// What the releases answered, for people and for programs.
#ifndef HLOCTS_TOOLS_HISTORY_REPORT_H_
#define HLOCTS_TOOLS_HISTORY_REPORT_H_

#include <string>
#include <vector>

#include "tools/history/releases.h"

namespace hlocts::tools {

// One subject: a line a release. Several: a table of marks, a column a release, with its legend.
std::string HistoryText(const std::vector<Subject>& subjects, const Releases& releases);
// One JSON object, on one line (CONTRACT.md, "Other JSON").
std::string HistoryJson(const Subject& subject, const Releases& releases);
// What history.json of the bundle's folder says; nothing without one. kInvalidArgument: no history.
absl::StatusOr<std::vector<Row>> ReadKept(const std::string& folder);
// history.json in the bundle's folder, and the line "History: ..." of its README.md unless the page
// is made of a finding.textproto. An answer that was kept stays until its release gives another.
absl::Status KeepInBundle(const Subject& subject, const Releases& releases);

}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_HISTORY_REPORT_H_
