// SPDX-License-Identifier: Apache-2.0
// Handles --repeat=N: runs a module many times, for failures that are not deterministic. The
// verdict states how often the module failed.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "backends/backend.h"
#include "reports/verdict_fwd.h"
#include "tools/cli/flags.h"

namespace hlocts::tools {

// The number of runs by outcome; empty for a single run.
using OutcomeCounts = std::map<std::string, int64_t>;

struct RepeatedRun {
  backends::RunOutcome outcome;  // of the first failure, or of the first run
  OutcomeCounts counts;
};

void AddRepeat(Flags& flags, int64_t* runs);

// Runs `runs` times, or until Ctrl-C. `judge` is not called for a single run.
RepeatedRun RunRepeatedly(
    int64_t runs, const std::function<backends::RunOutcome()>& run,
    const std::function<reports::Verdict(const backends::RunOutcome&)>& judge);

// Adds the counts of repeated runs to the verdict if they differ.
void RecordRunCounts(const OutcomeCounts& counts, reports::Verdict& verdict);

}  // namespace hlocts::tools
