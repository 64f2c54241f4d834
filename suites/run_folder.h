// SPDX-License-Identifier: Apache-2.0
// Writes the output directory of `hlocts run --out=DIR`.
#pragma once

#include <fstream>
#include <functional>
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

// Returns the plugin file of an engine: of pjrt:PATH, of this project's engines, and of releases
// that are plugins. Returns "" for other engines.
std::string PluginFileOf(const backends::BackendName& name);

// Returns the hash of each plugin file that can be read, by the recorded name of the engine.
// `engines` maps recorded names to names on the command line.
std::map<std::string, std::string> PluginHashes(const std::map<std::string, std::string>& engines);

// Returns true if both records have the same request.
bool SameRun(const reports::RunRecord& a, const reports::RunRecord& b);

// The output directory of a run: records, the scorecard, and files for every case that neither
// passes nor is unsupported (expected or not), with a line of replay.txt that reproduces its
// verdict. If the path is empty, nothing is written.
class RunFolder {
 public:
  // Hashes the plugins of `engines`; must therefore be called before the engines start.
  RunFolder(std::string path, const backends::DiffOptions& options, reports::RunRecord record,
            std::map<std::string, std::string> engines);
  // Removes the files of an earlier run of the same request or without verdicts. If `resume`,
  // returns its verdicts instead, except those of cases that must run again; Add appends to them.
  // Cases with a verdict for which `is_current` is false run again: files of the case have its
  // marks. Fails if the directory cannot be written, is in use by another process, has cases/ but
  // no run, or has verdicts of another request or (if `resume`) of another plugin file.
  using IsCurrent = std::function<bool(const reports::Verdict&)>;
  absl::StatusOr<std::vector<reports::Verdict>> Open(bool resume, const IsCurrent& is_current);
  // Returns true if an earlier run has a verdict. Open removes the run unless `resume` is true.
  bool HoldsVerdicts() const;
  // Returns an error if a write fails. The run must then end, because records would be lost.
  absl::Status Add(const Case& one, const reports::Verdict& verdict);
  absl::Status Finish(const std::string& scorecard, bool complete);
  // Returns a text about how to inspect the failures, or "" if there are none.
  std::string Summary() const;

 private:
  absl::Status CheckSameRequest(const reports::RunRecord& earlier) const;
  absl::Status CheckSamePlugins(const reports::LoadedRun& earlier) const;
  absl::StatusOr<std::vector<reports::Verdict>> LoadEarlier(const IsCurrent& is_current);
  absl::Status Clean() const;
  std::string CaseFolder(const reports::Verdict& verdict) const;
  // Returns the verdicts of complete cases: each has a current verdict on every engine, and its
  // failures have their files. Writes failing.txt and replay.txt from these files, and
  // verdicts.jsonl without other verdicts. `records` are the lines of the verdicts.
  absl::StatusOr<std::vector<reports::Verdict>> Take(absl::string_view records,
                                                     std::vector<reports::Verdict> verdicts,
                                                     const IsCurrent& is_current);
  // Writes the files that repeat the verdict, and the entries of failing.txt and replay.txt.
  absl::Status WriteCaseFolder(const Case& one, const reports::Verdict& verdict) const;
  void Count(const reports::Verdict& verdict);

  std::string path_;
  backends::DiffOptions options_;
  reports::RunRecord record_;
  std::map<std::string, std::string> engines_;
  FolderLock lock_;
  std::ofstream records_, replays_, failing_cases_;
  // The counts of failing.txt, which includes inconclusive cases, and of listed ones that pass.
  int64_t failures_ = 0, inconclusive_ = 0, unexpected_ = 0, fixed_ = 0;
};

}  // namespace hlocts::suites
