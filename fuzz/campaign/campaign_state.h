// SPDX-License-Identifier: Apache-2.0
// The state of a campaign on disk: the numbers that are done. It is written whole or not at all.
#ifndef HLOCTS_FUZZ_CAMPAIGN_CAMPAIGN_STATE_H_
#define HLOCTS_FUZZ_CAMPAIGN_CAMPAIGN_STATE_H_

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "spec/base/status.h"
#include "spec/files/folder_lock.h"

namespace hlocts::fuzz {

struct CampaignState {
  uint64_t seed = 1;
  std::string recipe;                 // what else decides which module a number is
  std::vector<std::string> backends;  // as records name them; a campaign may go on with others
  int64_t next = 0;                   // all before this number are done,
  std::set<int64_t> done;             // and these beyond it

  void Done(int64_t number);
  bool IsDone(int64_t number) const { return number < next || done.count(number) > 0; }

  absl::Status Save(const std::string& path) const;
  // Errors: no such file; a state of another seed or recipe.
  absl::Status Load(const std::string& path);
};

// Renames the directory of a campaign to OUT.1, OUT.2, ...: nothing is deleted.
absl::Status SetAside(const std::string& out);

std::string StatePath(const std::string& out);
// Makes the directory, or sets aside the campaign in it, and locks it. True: its state is to be
// continued. Errors: a campaign exists, and neither flag is set; another process writes the
// directory.
absl::StatusOr<bool> OpenFolder(const std::string& out, bool resume, bool restart,
                                FolderLock& lock);

}  // namespace hlocts::fuzz

#endif  // HLOCTS_FUZZ_CAMPAIGN_CAMPAIGN_STATE_H_
