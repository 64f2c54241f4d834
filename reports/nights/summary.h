// SPDX-License-Identifier: Apache-2.0
// Formats short summaries of the newest nightly run for a pull request, scripts and a front page.
#pragma once

#include <string>

#include "reports/nights/nights.h"

namespace hlocts::reports {

// Returns a short text for results/nightly: the machine; the summary sentence; verdicts by engine;
// findings by release, each with its first bad release and the first good one after the last bad
// one; worst ulps by function and release; the operations with the fewest bits checked.
std::string NightlyRunText(const History& history, const NightlyRunDiff& changes);

// Returns at most ten lines: the summary sentence, then the first cases of each list.
std::string ToMarkdown(const History& history, const NightlyRunDiff& changes);
// Returns one line with the summary sentence, the alarm, the lists, and the counts by engine.
std::string ToSummaryJson(const History& history, const NightlyRunDiff& changes);
// Returns an SVG of one line, "hlocts | 2 new", in the alarm's colour.
std::string ToBadge(const History& history, const NightlyRunDiff& changes);

}  // namespace hlocts::reports
