// SPDX-License-Identifier: Apache-2.0
// The distance of accepted values of functions from the exact ones, by release: permitted
// differences between engines.
#ifndef HLOCTS_REPORTS_NIGHTS_PRECISION_H_
#define HLOCTS_REPORTS_NIGHTS_PRECISION_H_

#include <string>
#include <vector>

#include "reports/nights/nights.h"

namespace hlocts::reports {

// A larger increase of the distance from the exact value, in the later nightly run, is reported.
inline constexpr double kUlpsToTell = 0.05;

// The functions that became less precise between two nightly runs, given by label, the largest step
// first. Both ran the same cases, so that the arguments are the same.
std::vector<UlpsChange> LessPrecise(const History& history, const std::string& before,
                                    const std::string& now);

// The newest nightly run, a line per function, type and stated bound: "tanh f32, ulp(7): xla 1.34,
// ...". Empty without measurements.
std::string UlpsText(const History& history);

}  // namespace hlocts::reports

#endif  // HLOCTS_REPORTS_NIGHTS_PRECISION_H_
