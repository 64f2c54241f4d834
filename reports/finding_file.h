// SPDX-License-Identifier: Apache-2.0
// Reads the record of a failure in a directory. A bundle (a minimised failure) has verdict.json,
// inputs.txt and actual.txt. A finding has finding.textproto instead, with the same texts as fields
// and with title, clause and cause (finding.proto). If a directory has both, the bundle is read.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "reports/finding.pb.h"
#include "spec/files/literals_file.h"

namespace hlocts::reports {

// Returns NotFound if finding.textproto is missing, or InvalidArgument with path, line and reason.
absl::StatusOr<findings::Finding> ReadFindingFile(const std::string& folder);

// Returns the path of the installed finding `path` (results/findings/NAME...) if only that exists,
// otherwise `path`.
std::string InstalledFinding(const std::string& path);

bool HasRecordedVerdict(const std::string& folder);

// Returns the verdict as one line of JSON (VerdictFromJson).
absl::StatusOr<std::string> RecordedVerdict(const std::string& folder);

// Reads a file of literals (ReadLiterals). If the folder has a finding instead of the file, reads
// the finding's field with the same text.
absl::StatusOr<LiteralsFile> ReadRecordedLiterals(const std::string& path,
                                                  const std::optional<ExpectedLeaves>& expected);

}  // namespace hlocts::reports
