// SPDX-License-Identifier: Apache-2.0
// Runs cases on engines, several at a time, with one worker per engine and job. Passes every
// verdict to the sink as soon as it arrives.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backends/differ/differ.h"
#include "reports/verdict_fwd.h"
#include "suites/case.h"

namespace hlocts::suites {

struct RunnerOptions {
  backends::DiffOptions diff;
  int jobs = 1;
  // Called for every verdict. If it returns true, the case runs `again` more times. If these
  // verdicts differ, the case is a flake.
  std::function<bool(const reports::Verdict&)> is_unexpected = [](const reports::Verdict&) {
    return false;
  };
  int again = 2;
  // Polled between cases and while an engine works. If it returns true (after Ctrl-C), the run
  // stops; cases that are running are abandoned without a verdict.
  std::function<bool()> stop = [] { return false; };
  // Called under the lock of the sink when a case begins on an engine.
  std::function<void(const Case& one)> began = [](const Case&) {};
};

// Called under a lock, in the order in which verdicts arrive.
using VerdictSink = std::function<void(const Case& one, const reports::Verdict& verdict)>;

// Engines that have been started, and the names by which they were requested.
struct Engines {
  std::vector<std::string> names;
  std::vector<std::unique_ptr<backends::Backend>> all;
};

// Starts the engines. If one cannot start, calls `unavailable`, or fails if that is null. Fails in
// any case for an unknown name (kNotFound) or option (kInvalidArgument).
absl::StatusOr<Engines> StartEngines(
    const std::vector<std::string>& names,
    const std::function<void(const std::string& name, const absl::Status&)>& unavailable);

// Runs each case on every engine. Each additional job starts one more process of every engine.
void RunCases(const std::vector<Case>& cases, Engines& engines, const RunnerOptions& options,
              const VerdictSink& sink);

// Returns what VerifyModule found: the rule and its sentence, or "a valid module".
std::string FoundText(const absl::Status& verified);

// Runs one case on one engine. The verdict `error` means that the case, the reference or the
// harness is wrong. `stop` is polled in long cases.
reports::Verdict RunCase(
    const Case& one, backends::Backend& backend, const backends::DiffOptions& options,
    const std::function<bool()>& stop = [] { return false; });

}  // namespace hlocts::suites
