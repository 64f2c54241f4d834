// SPDX-License-Identifier: Apache-2.0
// The state of a campaign on disk: the modules that are done. It is written atomically.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "spec/base/status.h"
#include "spec/files/file_io.h"

namespace hlocts::fuzz {

struct CampaignState {
  uint64_t seed = 1;
  std::string recipe;                 // the options that determine the modules
  std::vector<std::string> backends;  // as recorded; a resumed campaign may use others
  int64_t next = 0;                   // all numbers below this are done
  std::set<int64_t> done;             // numbers above `next` that are done

  void Done(int64_t number);
  bool IsDone(int64_t number) const { return number < next || done.count(number) > 0; }

  absl::Status Save(const std::string& path) const;
  // Errors: a missing file, or a state with another seed or recipe.
  absl::Status Load(const std::string& path);
};

// Renames the directory of a campaign to OUT.1, OUT.2, ..., so that nothing is deleted.
absl::Status RenameOldCampaign(const std::string& out);

std::string StatePath(const std::string& out);
// Creates and locks the directory; with `restart`, first renames a campaign in it. Returns true if
// a campaign in it should be resumed. Errors: the directory contains a campaign and neither flag is
// set, or another process has locked it.
absl::StatusOr<bool> OpenFolder(const std::string& out, bool resume, bool restart,
                                FolderLock& lock);

}  // namespace hlocts::fuzz
