// SPDX-License-Identifier: Apache-2.0
// Reads the record of a failure in a directory: verdict.json of a bundle (a minimised failure), or
// finding.textproto of a finding, which adds title, clause and cause (schema: finding.proto).
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
