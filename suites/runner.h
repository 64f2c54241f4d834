// SPDX-License-Identifier: Apache-2.0
// Runs cases on engines: several at a time, each engine in a worker of its own per job, every
// verdict handed over as soon as it is there.
#ifndef HLOCTS_SUITES_RUNNER_H_
#define HLOCTS_SUITES_RUNNER_H_

#include <functional>
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
  // An engine that cannot be started at all: the others go on. Without it the run ends with an
  // error.
  std::function<void(const std::string& name, const absl::Status&)> unavailable;
};

// Called under a lock, in the order in which verdicts arrive.
using VerdictSink = std::function<void(const Case& one, const reports::Verdict& verdict)>;

// Each backend name gets every case. kUnavailable when an engine cannot be started at all, and
// nobody hears of it by `unavailable`.
absl::Status RunCases(const std::vector<Case>& cases, const std::vector<std::string>& backends,
                      const RunnerOptions& options, const VerdictSink& sink);

// One case on one engine. `error` verdicts say that case, reference or harness is at fault.
// `stop` is asked inside of cases that take long.
reports::Verdict RunCase(
    const Case& one, backends::Backend& backend, const backends::DiffOptions& options,
    const std::function<bool()>& stop = [] { return false; });

}  // namespace hlocts::suites

#endif  // HLOCTS_SUITES_RUNNER_H_
