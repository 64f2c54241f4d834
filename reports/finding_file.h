// SPDX-License-Identifier: Apache-2.0
// Reads the record of a failure in a directory. A bundle (a minimised failure) has verdict.json. A
// finding has finding.textproto instead, which adds title, clause and cause (finding.proto).
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "reports/finding.pb.h"

namespace hlocts::reports {

// Reads the file. Returns NotFound if there is none, or InvalidArgument with path, line and reason.
absl::StatusOr<findings::Finding> ReadFindingFile(const std::string& folder);

bool HasRecordedVerdict(const std::string& folder);

// Returns the verdict as one line of JSON (VerdictFromJson), from verdict.json if both files exist.
absl::StatusOr<std::string> RecordedVerdict(const std::string& folder);

}  // namespace hlocts::reports
