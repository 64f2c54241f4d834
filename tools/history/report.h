// SPDX-License-Identifier: Apache-2.0
// Prints the results of releases for users and for programs.
#pragma once

#include <string>
#include <vector>

#include "tools/history/releases.h"

namespace hlocts::tools {

// The history as text: one line per release for one subject, or for several subjects a table of
// marks with a column per release and a legend.
std::string HistoryText(const std::vector<Subject>& subjects, const Releases& releases);
// The history as one JSON object on one line (CONTRACT.md, "Other JSON").
std::string HistoryJson(const Subject& subject, const Releases& releases);
// The rows of history.json in the bundle's directory; empty without the file. kInvalidArgument: not
// a history.
absl::StatusOr<std::vector<Row>> ReadKept(const std::string& folder);
// Writes history.json in the bundle's directory, and the line "History: ..." of its README.md
// unless the page is generated from a finding.textproto. A stored answer stays until its release
// gives another.
absl::Status KeepInBundle(const Subject& subject, const Releases& releases);

}  // namespace hlocts::tools
