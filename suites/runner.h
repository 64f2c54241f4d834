// SPDX-License-Identifier: Apache-2.0
// Runs cases on engines: several at a time, each engine in a worker of its own per job, every
// verdict handed over as soon as it is there.
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
  // Asked of every verdict: true runs the case again, `again` times; verdicts that differ are a
  // flake.
  std::function<bool(const reports::Verdict&)> is_surprise = [](const reports::Verdict&) {
    return false;
  };
  int again = 2;
  // Asked between cases, and while an engine works: true stops the run (Ctrl-C). What runs then is
  // given up and has no verdict.
  std::function<bool()> stop = [] { return false; };
  // Called under the sink's lock when a case begins on an engine.
  std::function<void(const Case& one)> began = [](const Case&) {};
};

// Called under a lock, in the order in which verdicts arrive.
using VerdictSink = std::function<void(const Case& one, const reports::Verdict& verdict)>;

// Engines that run, by the names that they were given by.
struct Engines {
  std::vector<std::string> names;
  std::vector<std::unique_ptr<backends::Backend>> all;
};

// Those that can be started. An engine that cannot is one call of `unavailable`, or without it an
// error. A name or an option that no engine knows is an error in any case: kNotFound,
// kInvalidArgument.
absl::StatusOr<Engines> StartEngines(
    const std::vector<std::string>& names,
    const std::function<void(const std::string& name, const absl::Status&)>& unavailable);

// Each engine gets every case; more processes of it are started for more jobs.
void RunCases(const std::vector<Case>& cases, Engines& engines, const RunnerOptions& options,
              const VerdictSink& sink);

// One case on one engine. `error` verdicts say that case, reference or harness is at fault.
// `stop` is asked inside of cases that take long.
reports::Verdict RunCase(
    const Case& one, backends::Backend& backend, const backends::DiffOptions& options,
    const std::function<bool()>& stop = [] { return false; });

}  // namespace hlocts::suites

#endif  // HLOCTS_SUITES_RUNNER_H_
