// SPDX-License-Identifier: Apache-2.0
// Reads the finding of a directory (finding.textproto): title, clause, the compiler pass at fault,
// and the results by release that `history --keep` recorded.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"
#include "reports/nights/nights.h"

namespace hlocts::reports {

// Returns a field of an object, or "" if there is no text.
std::string Field(const nlohmann::json& json, const char* key);

// Calls `take` for each line of a file of JSON lines. Fails for a line that is no object, unless it
// is the last one and has no newline: it may be cut off.
absl::Status ReadLines(const std::string& path,
                       const std::function<absl::Status(const nlohmann::json&)>& take);

// Returns the lines of findings.jsonl of a campaign (CONTRACT.md) that hold at its end: without
// those of known and cut failures, and without those of unshrunk ones that a later line replaces.
absl::StatusOr<std::vector<nlohmann::json>> LastingFindings(const std::string& path);

// Returns the finding with an empty module. All fields are empty if there is no finding.textproto.
Finding ReadFinding(const std::string& folder);

// Returns each release with its mark (MarkOf), from history.json. A mark says that the release is
// wrong in the same way, right, unsupported or inconclusive. Omits releases that did not run or
// whose compiler did not get the module. Returns none if there is no such file.
std::vector<std::pair<std::string, char>> RecordedMarks(const std::string& folder);

}  // namespace hlocts::reports
