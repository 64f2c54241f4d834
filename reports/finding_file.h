// SPDX-License-Identifier: Apache-2.0
// The record of a failure in a directory: verdict.json of a bundle, or finding.textproto of a
// finding (results/findings), which also has title, clause and cause. Schema: finding.proto.
#ifndef HLOCTS_REPORTS_FINDING_FILE_H_
#define HLOCTS_REPORTS_FINDING_FILE_H_

#include <string>

#include "absl/status/statusor.h"
#include "reports/finding.pb.h"

namespace hlocts::reports {

// Reads the file. NotFound without it; InvalidArgument with path, line and reason.
absl::StatusOr<findings::Finding> ReadFindingFile(const std::string& folder);

bool HasRecordedVerdict(const std::string& folder);

// One line of JSON (VerdictFromJson). verdict.json is preferred where both files exist.
absl::StatusOr<std::string> RecordedVerdict(const std::string& folder);

}  // namespace hlocts::reports

#endif  // HLOCTS_REPORTS_FINDING_FILE_H_
