// SPDX-License-Identifier: Apache-2.0
// Sorts the directories of an import by kind.
#pragma once

#include <string>
#include <vector>

#include "reports/run_record.h"
#include "spec/base/status.h"

namespace hlocts::reports {

struct RunShards {
  std::vector<std::string> folders;
  std::vector<RunRecord> records;
};

struct ImportWork {
  std::vector<RunShards> runs;
  std::vector<std::string> campaigns, histories, bundles;
  std::string first_day;
};

absl::StatusOr<ImportWork> SortFolders(const std::vector<std::string>& folders);

// Returns a text that identifies a run, also among runs of the same command at other times.
std::string IdentityOf(const RunShards& run);

}  // namespace hlocts::reports
