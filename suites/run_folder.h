// SPDX-License-Identifier: Apache-2.0
// Writes the output directory of `hlocts run --out=DIR`.
#pragma once

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "backends/backend_list.h"
#include "backends/differ/differ.h"
#include "reports/run_record.h"
#include "reports/verdict_fwd.h"
#include "spec/files/file_io.h"
#include "suites/case.h"

namespace hlocts::suites {

// Returns the plugin file of an engine: that of pjrt:PATH, of our own engines and of releases that
// are plugins; "" for other engines.
std::string PluginFileOf(const backends::BackendName& name);

// Returns the hash of each plugin file that can be read, by recorded name. `engines` maps recorded
// names to the names on the command line.
std::map<std::string, std::string> PluginHashes(const std::map<std::string, std::string>& engines);

// Returns true if the records are of the same request.
bool SameRun(const reports::RunRecord& a, const reports::RunRecord& b);

// The output directory of a run: records, the scorecard, and, for every case that neither passes
// nor is unsupported (expected or not), files and a line in replay.txt that reproduce its verdict.
// An empty path writes nothing.
class RunFolder {
 public:
  // Hashes the plugins of `engines`, so it is made before they start.
  RunFolder(std::string path, const backends::DiffOptions& options, reports::RunRecord record,
            std::map<std::string, std::string> engines);
  // Removes the files of an earlier run of the same request or, if `resume`, returns its verdicts,
  // except of cases that must run again, and appends new ones. Fails if the directory cannot be
  // written, is being written by another process, has cases/ but no run, or has a run of another
  // request or, if `resume`, of another plugin file.
  absl::StatusOr<std::vector<reports::Verdict>> Open(bool resume);
  // Returns true if there is an earlier run, which Open would remove without `resume`.
  bool HoldsRun() const;
  // Returns an error if a write fails. The run must end then, since its records are lost.
  absl::Status Add(const Case& one, const reports::Verdict& verdict);
  absl::Status Finish(const std::string& scorecard, bool complete);
  // Returns how to inspect the failures, or "" if there are none.
  std::string Summary() const;

 private:
  absl::Status CheckSameRequest(const reports::RunRecord& earlier) const;
  absl::Status CheckSamePlugins(const reports::LoadedRun& earlier) const;
  absl::StatusOr<std::vector<reports::Verdict>> LoadEarlier();
  absl::Status Clean() const;
  std::string CaseFolder(const reports::Verdict& verdict) const;
  // Returns the verdicts of cases that have one on each engine and the files of their failures.
  // Writes failing.txt and replay.txt from these files, and verdicts.jsonl without the others.
  // `records`: the lines of the verdicts.
  absl::StatusOr<std::vector<reports::Verdict>> Take(absl::string_view records,
                                                     std::vector<reports::Verdict> verdicts);
  // Writes what repeats the verdict, and the entries of failing.txt and replay.txt.
  absl::Status WriteCaseFolder(const Case& one, const reports::Verdict& verdict) const;
  void CountFailure(const reports::Verdict& verdict);

  std::string path_;
  backends::DiffOptions options_;
  reports::RunRecord record_;
  std::map<std::string, std::string> engines_;
  FolderLock lock_;
  std::ofstream records_, replays_, failing_cases_;
  // Counts for failing.txt, which has inconclusive cases too; surprises: unexpected verdicts.
  int64_t failures_ = 0, inconclusive_ = 0, unexpected_ = 0;
};

}  // namespace hlocts::suites
