// SPDX-License-Identifier: Apache-2.0
// How far accepted values of functions are from the exact ones, by release: what engines may do and
// yet differ in.
#ifndef HLOCTS_REPORTS_NIGHTS_PRECISION_H_
#define HLOCTS_REPORTS_NIGHTS_PRECISION_H_

#include <string>
#include <vector>

#include "reports/nights/nights.h"

namespace hlocts::reports {

// What is farther from the exact value in the later night by more than this is told.
inline constexpr double kUlpsToTell = 0.05;

// The functions that became less precise between two nights, given by label, the largest step
// first. Both asked for the same cases, so that the arguments are the same.
std::vector<UlpsChange> LessPrecise(const History& history, const std::string& before,
                                    const std::string& now);

// The newest night, a line a function, type and stated bound: "tanh f32, ulp(7): xla 1.34, ...".
// Empty where nothing was measured.
std::string UlpsText(const History& history);

}  // namespace hlocts::reports

#endif  // HLOCTS_REPORTS_NIGHTS_PRECISION_H_
