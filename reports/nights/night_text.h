// SPDX-License-Identifier: Apache-2.0
// The newest nightly run as a short text that can be kept with the sources (results/nightly).
#ifndef HLOCTS_REPORTS_NIGHTS_NIGHT_TEXT_H_
#define HLOCTS_REPORTS_NIGHTS_NIGHT_TEXT_H_

#include <string>

#include "reports/nights/nights.h"

namespace hlocts::reports {

// The machine; the sentence; verdicts by engine; findings by release, with the first bad one and
// the first good one after the last bad one; worst ulps by function and release; the operations
// whose sets check least.
std::string ToNightText(const History& history, const NightChanges& changes);

}  // namespace hlocts::reports

#endif  // HLOCTS_REPORTS_NIGHTS_NIGHT_TEXT_H_
