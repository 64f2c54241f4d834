// SPDX-License-Identifier: Apache-2.0
// Runs cases on engines: several at a time, each engine in a worker of its own per job. Every
// verdict goes to the sink as soon as it arrives.
#ifndef HLOCTS_SUITES_RUNNER_H_
#define HLOCTS_SUITES_RUNNER_H_

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
  // Called for every verdict: true runs the case again, `again` times; differing verdicts are a
  // flake.
  std::function<bool(const reports::Verdict&)> is_surprise = [](const reports::Verdict&) {
    return false;
  };
  int again = 2;
  // Polled between cases, and while an engine works: true stops the run (Ctrl-C). Running cases are
  // abandoned and have no verdict.
  std::function<bool()> stop = [] { return false; };
  // Called under the sink's lock when a case begins on an engine.
  std::function<void(const Case& one)> began = [](const Case&) {};
};

// Called under a lock, in the order in which verdicts arrive.
using VerdictSink = std::function<void(const Case& one, const reports::Verdict& verdict)>;

// Running engines, by the names that they were given by.
struct Engines {
  std::vector<std::string> names;
  std::vector<std::unique_ptr<backends::Backend>> all;
};

// Starts the engines. One that cannot start is a call of `unavailable`, or without it an error. A
// name or an option that no engine knows is an error in any case: kNotFound, kInvalidArgument.
absl::StatusOr<Engines> StartEngines(
    const std::vector<std::string>& names,
    const std::function<void(const std::string& name, const absl::Status&)>& unavailable);

// Runs each case on every engine; starts more processes of an engine for more jobs.
void RunCases(const std::vector<Case>& cases, Engines& engines, const RunnerOptions& options,
              const VerdictSink& sink);

// Runs one case on one engine. `error` verdicts say that case, reference or harness is at fault.
// `stop` is polled inside of long cases.
reports::Verdict RunCase(
    const Case& one, backends::Backend& backend, const backends::DiffOptions& options,
    const std::function<bool()>& stop = [] { return false; });

}  // namespace hlocts::suites

#endif  // HLOCTS_SUITES_RUNNER_H_
