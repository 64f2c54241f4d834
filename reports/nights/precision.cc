// SPDX-License-Identifier: Apache-2.0
#include "reports/nights/precision.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace hlocts::reports {

std::vector<UlpsChange> LessPrecise(const History& history, const std::string& before,
                                    const std::string& now) {
  std::map<std::tuple<std::string, std::string, std::string>, double> earlier;
  for (const MeasuredUlps& one : history.ulps) {
    if (one.night == before)
      earlier[{one.engine, one.worst.function, one.worst.type}] = one.worst.ulps;
  }
  std::vector<UlpsChange> changes;
  for (const MeasuredUlps& one : history.ulps) {
    auto was = earlier.find({one.engine, one.worst.function, one.worst.type});
    if (one.night != now || was == earlier.end()) continue;
    if (one.worst.ulps <= was->second + kUlpsReported) continue;
    changes.push_back(
        {one.engine, one.worst.function, one.worst.type, was->second, one.worst.ulps});
  }
  std::sort(changes.begin(), changes.end(), [](const UlpsChange& a, const UlpsChange& b) {
    return std::tuple(b.now - b.before, a.engine, a.function, a.type) <
           std::tuple(a.now - a.before, b.engine, b.function, b.type);
  });
  return changes;
}

std::string UlpsText(const History& history) {
  if (history.nights.empty()) return "";
  std::map<std::string, std::map<std::string, double>> rows;  // (function, type, bound) -> engine
  for (const MeasuredUlps& one : history.ulps) {
    if (one.night != history.nights.back().label) continue;
    rows[absl::StrCat(one.worst.function, " ", one.worst.type, ", ", one.worst.rule)][one.engine] =
        one.worst.ulps;
  }
  if (rows.empty()) return "";
  std::string text = "\nWorst accepted values: ulps from the exact value, and the stated bound\n";
  for (const auto& [row, engines] : rows) {
    absl::StrAppend(&text, "  ", row, ":");
    for (const std::string& name : history.releases) {
      if (auto found = engines.find(name); found != engines.end())
        absl::StrAppendFormat(&text, " %s %.2f;", name, found->second);
    }
    text.back() = '\n';
  }
  return text;
}

}  // namespace hlocts::reports
