// SPDX-License-Identifier: Apache-2.0
// --repeat=N: a failure that comes and goes is run many times, and its verdict says how often.
#ifndef HLOCTS_TOOLS_CLI_REPEAT_H_
#define HLOCTS_TOOLS_CLI_REPEAT_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "backends/backend.h"
#include "reports/verdict_fwd.h"
#include "tools/cli/flags.h"

namespace hlocts::tools {

// Runs by the name of their outcome; empty where a verdict is of one run.
using OutcomeCounts = std::map<std::string, int64_t>;

struct RepeatedRun {
  backends::RunOutcome outcome;  // of the first failure, else of the first run
  OutcomeCounts counts;
};

void AddRepeat(Flags& flags, int64_t* runs);

// Runs `runs` times, or until Ctrl-C; `judge` is not asked about a single run.
RepeatedRun RunRepeatedly(
    int64_t runs, const std::function<backends::RunOutcome()>& run,
    const std::function<reports::Verdict(const backends::RunOutcome&)>& judge);

// The verdict on the outcome of repeated runs says their counts where they differ.
void SayCounts(const OutcomeCounts& counts, reports::Verdict& verdict);

}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_CLI_REPEAT_H_
