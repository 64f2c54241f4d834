// SPDX-License-Identifier: Apache-2.0
// Formats the newest nightly run as a short text for results/nightly.
#pragma once

#include <string>

#include "reports/nights/nights.h"

namespace hlocts::reports {

// Returns the machine; the summary sentence; verdicts by engine; findings by release, with the
// first bad release and the first good release after the last bad one; worst ulps by function and
// release; the operations with the fewest bits checked.
std::string NightlyRunText(const History& history, const NightlyRunDiff& changes);

}  // namespace hlocts::reports
