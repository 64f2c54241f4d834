// SPDX-License-Identifier: Apache-2.0
// A short summary of the newest nightly run, for a pull request, for scripts and for a front page.
#ifndef HLOCTS_REPORTS_NIGHTS_SUMMARY_H_
#define HLOCTS_REPORTS_NIGHTS_SUMMARY_H_

#include <string>

#include "reports/nights/nights.h"

namespace hlocts::reports {

// At most ten lines: the sentence, then the first cases of each list.
std::string ToMarkdown(const History& history, const NightChanges& changes);
// One line: sentence, alarm, lists, counts by engine.
std::string ToSummaryJson(const History& history, const NightChanges& changes);
// An SVG of one line: "hlocts | 2 new", in the alarm's colour.
std::string ToBadge(const History& history, const NightChanges& changes);

}  // namespace hlocts::reports

#endif  // HLOCTS_REPORTS_NIGHTS_SUMMARY_H_
