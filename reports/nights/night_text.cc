// SPDX-License-Identifier: Apache-2.0
#include "reports/nights/night_text.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace hlocts::reports {
namespace {

constexpr size_t kOperations = 30;  // with the fewest bits checked

std::string Heading(const Night& now, const std::string& sentence) {
  return absl::StrFormat(
      "night %s: %s\n\ntier %s, profile %s, suite %s, hlocts %s\n%s, %d cores\n%d random modules\n",
      now.label, sentence, now.tier, now.profile, now.suite.substr(0, 16), now.program, now.cpu,
      now.cores, now.campaign_modules);
}

std::string Engines(const Night& now) {
  std::string text = "\nVerdicts by engine\n";
  for (const auto& [name, engine] : now.engines) {
    absl::StrAppend(&text, "  ", name, " (", engine.version, ")\n   ");
    for (const auto& [word, count] : CountMarks(engine.marks))
      absl::StrAppend(&text, " ", count, " ", word);
    text += "\n";
  }
  return text;
}

// One finding on all releases, oldest first.
std::string FindingLine(const std::string& name, const std::map<std::string, char>& marks,
                        const std::vector<std::string>& releases) {
  std::string first_bad = "none", good_after, cells;
  for (const std::string& release : releases) {
    auto mark = marks.find(release);
    if (mark == marks.end()) continue;
    if (IsBad(mark->second)) {
      if (first_bad == "none") first_bad = release;
      good_after.clear();
    } else if (mark->second == kPassMark && first_bad != "none" && good_after.empty()) {
      good_after = release;
    }
    absl::StrAppend(&cells, "  ", release, " ", MarkName(mark->second));
  }
  return absl::StrCat("  ", name, "\n    first bad ", first_bad,
                      good_after.empty() ? "" : ", good again in " + good_after, ":", cells, "\n");
}

std::string Bits(const History& history) {
  std::vector<BitsChecked> rows = history.bits;
  std::sort(rows.begin(), rows.end(), [](const BitsChecked& a, const BitsChecked& b) {
    return std::tuple(a.median / a.significand, a.operation, a.engine) <
           std::tuple(b.median / b.significand, b.operation, b.engine);
  });
  std::string text = "\nOperations of which the sets left least to check\n";
  for (size_t i = 0; i < std::min(rows.size(), kOperations); ++i) {
    const BitsChecked& row = rows[i];
    absl::StrAppendFormat(
        &text, "  %-40s %-16s of %2d bits: median %.1f, 5th percentile %.1f (%d)\n", row.operation,
        row.engine, row.significand, row.median, row.p5, row.elements);
  }
  return text;
}

}  // namespace

std::string ToNightText(const History& history, const NightChanges& changes) {
  if (history.nights.empty()) return Sentence(history, changes) + "\n";
  const Night& now = history.nights.back();
  std::string text = Heading(now, Sentence(history, changes)) + Engines(now);
  if (!now.findings.empty()) text += "\nFindings by release, oldest first\n";
  for (const auto& [name, marks] : now.findings) text += FindingLine(name, marks, history.releases);
  return text + Bits(history);
}

}  // namespace hlocts::reports
