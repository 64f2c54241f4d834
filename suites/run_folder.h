// SPDX-License-Identifier: Apache-2.0
// The output directory of `hlocts run --out=DIR`.
#ifndef HLOCTS_SUITES_RUN_FOLDER_H_
#define HLOCTS_SUITES_RUN_FOLDER_H_

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "backends/differ/differ.h"
#include "reports/run_record.h"
#include "reports/verdict_fwd.h"
#include "spec/files/folder_lock.h"
#include "suites/case.h"

namespace hlocts::suites {

// Writes records, the scorecard and, for every case that neither passed nor was unsupported, known
// or not, the files and the line in replay.txt that reproduce it. With an empty path nothing is
// written.
class RunFolder {
 public:
  // `engines`: the names given on the command line, by recorded name.
  RunFolder(std::string path, const backends::DiffOptions& options, reports::RunRecord record,
            std::map<std::string, std::string> engines);
  // Removes the files of an earlier run, unless `resume`: then returns its verdicts and appends new
  // ones. Errors: the directory cannot be written, is being written by another process, holds files
  // and no run, or holds a run of another request.
  absl::StatusOr<std::vector<reports::Verdict>> Open(bool resume);
  // True where there is an earlier run, which Open without `resume` would remove.
  bool HoldsRun() const;
  // An error where a write fails: a run whose records are lost ends.
  absl::Status Add(const Case& one, const reports::Verdict& verdict);
  absl::Status Finish(const std::string& scorecard, bool complete);
  // How to inspect the failures; "" without any.
  std::string Summary() const;

 private:
  absl::StatusOr<std::vector<reports::Verdict>> LoadEarlier() const;
  absl::Status Clean() const;
  absl::Status AddFailure(const Case& one, const reports::Verdict& verdict);

  std::string path_;
  backends::DiffOptions options_;
  reports::RunRecord record_;
  std::map<std::string, std::string> engines_;
  FolderLock lock_;
  std::ofstream records_, replays_, failing_cases_;
  // Counts for failing.txt, which lists inconclusive cases too; surprises are unexpected verdicts.
  int64_t failures_ = 0, inconclusive_ = 0, surprises_ = 0;
};

}  // namespace hlocts::suites

#endif  // HLOCTS_SUITES_RUN_FOLDER_H_
