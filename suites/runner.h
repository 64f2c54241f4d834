// SPDX-License-Identifier: Apache-2.0
// Runs cases on engines, several at a time, with one worker per engine and job. Every verdict goes
// to the sink as soon as it arrives.
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
  // Called for every verdict. If it returns true, the case runs again, `again` times. If any
  // verdict differs, the case is a flake.
  std::function<bool(const reports::Verdict&)> is_unexpected = [](const reports::Verdict&) {
    return false;
  };
  int again = 2;
  // Polled between cases and while an engine works. If it returns true (after Ctrl-C), the run
  // stops: running cases are abandoned without a verdict.
  std::function<bool()> stop = [] { return false; };
  // Called under the sink's lock when a case begins on an engine.
  std::function<void(const Case& one)> began = [](const Case&) {};
};

// Called under a lock, in the order in which verdicts arrive.
using VerdictSink = std::function<void(const Case& one, const reports::Verdict& verdict)>;

// Running engines and the names that were given for them.
struct Engines {
  std::vector<std::string> names;
  std::vector<std::unique_ptr<backends::Backend>> all;
};

// Starts the engines. If an engine cannot start, calls `unavailable`, or fails if that is null.
// Always fails for an unknown name (kNotFound) or option (kInvalidArgument).
absl::StatusOr<Engines> StartEngines(
    const std::vector<std::string>& names,
    const std::function<void(const std::string& name, const absl::Status&)>& unavailable);

// Runs each case on every engine; more jobs start more processes of an engine.
void RunCases(const std::vector<Case>& cases, Engines& engines, const RunnerOptions& options,
              const VerdictSink& sink);

// Runs one case on one engine. An `error` verdict means that case, reference or harness is wrong.
// `stop` is polled in long cases.
reports::Verdict RunCase(
    const Case& one, backends::Backend& backend, const backends::DiffOptions& options,
    const std::function<bool()>& stop = [] { return false; });

}  // namespace hlocts::suites
