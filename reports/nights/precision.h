// SPDX-License-Identifier: Apache-2.0
// Reports the distance of accepted function values from the exact ones by release: differences that
// the rules permit.
#pragma once

#include <string>
#include <vector>

#include "reports/nights/nights.h"

namespace hlocts::reports {

// The increase of the distance, in ulps, above which the later nightly run reports it.
inline constexpr double kUlpsReported = 0.05;

// Returns the functions that became less precise between two nightly runs, given by label, with the
// largest increase first. Both ran the same cases, so the arguments are equal.
std::vector<UlpsChange> LessPrecise(const History& history, const std::string& before,
                                    const std::string& now);

// Formats the newest nightly run, a line per function, type and stated bound: "tanh f32, ulp(7):
// xla 1.34, ...". Returns "" without measurements.
std::string UlpsText(const History& history);

}  // namespace hlocts::reports
