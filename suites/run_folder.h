// SPDX-License-Identifier: Apache-2.0
// What `hlocts run --out=DIR` leaves.
#ifndef HLOCTS_SUITES_RUN_FOLDER_H_
#define HLOCTS_SUITES_RUN_FOLDER_H_

#include <fstream>
#include <string>

#include "backends/differ/differ.h"
#include "reports/run_record.h"
#include "reports/verdict.h"
#include "suites/case.h"

namespace hlocts::suites {

// Records, scorecard and, for everything that neither passed nor was unsupported, known or not, the
// files and the line in replay.txt that show it again. With an empty path nothing is written.
class RunFolder {
 public:
  RunFolder(std::string path, const backends::DiffOptions& options, reports::RunRecord record);
  absl::Status Open();
  void Add(const Case& one, const reports::Verdict& verdict);
  absl::Status Finish(const std::string& scorecard, bool complete);
  std::string Summary() const;

 private:
  void AddFailure(const Case& one, const reports::Verdict& verdict);

  std::string path_;
  backends::DiffOptions options_;
  reports::RunRecord record_;
  std::string program_;
  std::ofstream records_, replays_, failing_cases_;
  int64_t failing_ = 0;
};

}  // namespace hlocts::suites

#endif  // HLOCTS_SUITES_RUN_FOLDER_H_
