// SPDX-License-Identifier: Apache-2.0
// What `hlocts run --out=DIR` leaves.
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

// Records, scorecard and, for everything that neither passed nor was unsupported, known or not, the
// files and the line in replay.txt that show it again. With an empty path nothing is written.
class RunFolder {
 public:
  // `engines`: as given on the command line, by the name that records have.
  RunFolder(std::string path, const backends::DiffOptions& options, reports::RunRecord record,
            std::map<std::string, std::string> engines);
  // What an earlier run has left there is taken away, unless `resume`: then its verdicts are
  // returned, and new ones written behind them. Errors: the folder cannot be written, is written by
  // another process, holds files and no run, or holds a run of something else than is asked for
  // now.
  absl::StatusOr<std::vector<reports::Verdict>> Open(bool resume);
  // An earlier run is there, which Open without `resume` would take away.
  bool HoldsRun() const;
  // An error where something could not be written: a run whose records are lost ends.
  absl::Status Add(const Case& one, const reports::Verdict& verdict);
  absl::Status Finish(const std::string& scorecard, bool complete);
  // How to look at what failed; "" when nothing did.
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
  // Of failing.txt, which lists inconclusive cases too; surprises are not as expected.
  int64_t failures_ = 0, inconclusive_ = 0, surprises_ = 0;
};

}  // namespace hlocts::suites

#endif  // HLOCTS_SUITES_RUN_FOLDER_H_
