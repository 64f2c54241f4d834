// SPDX-License-Identifier: Apache-2.0
#include "reports/nights/night_text.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "reports/nights/precision.h"

namespace hlocts::reports {
namespace {

constexpr size_t kOperations = 30;  // the ones with the fewest bits checked

std::string Heading(const NightlyRun& now, const std::string& sentence) {
  return absl::StrFormat(
      "nightly run %s: %s\n\ntier %s, profile %s, suite %s, hlocts %s\n%s, %d cores\n%d random "
      "modules\n",
      now.label, sentence, now.tier, now.profile, now.suite.substr(0, 16), now.program, now.cpu,
      now.cores, now.campaign_modules);
}

std::string Engines(const NightlyRun& now) {
  std::string text = "\nVerdicts by engine\n";
  for (const auto& [name, engine] : now.engines) {
    absl::StrAppend(&text, "  ", name, " (", engine.version, ")\n   ");
    for (const auto& [word, count] : CountMarks(engine.marks))
      absl::StrAppend(&text, " ", count, " ", word);
    text += "\n";
  }
  return text;
}

std::string FamilyOf(const std::string& engine) { return engine.substr(0, engine.find('@')); }

// The first bad release of an engine, and the first good one after the last bad one.
struct Span {
  std::string first_bad, good_after;
};

std::string FindingLine(const std::string& name, const std::map<std::string, char>& marks,
                        const std::vector<std::string>& releases) {
  std::map<std::string, Span> spans;
  std::string cells;
  for (const std::string& release : releases) {
    auto mark = marks.find(release);
    if (mark == marks.end()) continue;
    Span& span = spans[FamilyOf(release)];
    if (IsBad(mark->second)) {
      if (span.first_bad.empty()) span.first_bad = release;
      span.good_after.clear();
    } else if (mark->second == kPassMark && !span.first_bad.empty() && span.good_after.empty()) {
      span.good_after = release;
    }
    absl::StrAppend(&cells, "  ", release, " ", MarkName(mark->second));
  }
  std::string text = absl::StrCat("  ", name, ":", cells, "\n");
  for (const auto& [family, span] : spans) {
    if (span.first_bad.empty()) continue;
    absl::StrAppend(&text, "    first bad ", span.first_bad,
                    span.good_after.empty() ? "" : ", good again in " + span.good_after, "\n");
  }
  return text;
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

std::string NightlyRunText(const History& history, const NightlyRunDiff& changes) {
  if (history.nights.empty()) return NightlySummaryLine(history, changes) + "\n";
  const NightlyRun& now = history.nights.back();
  std::string text = Heading(now, NightlySummaryLine(history, changes)) + Engines(now);
  if (!now.findings.empty()) text += "\nFindings by release, oldest first\n";
  for (const auto& [name, marks] : now.findings) text += FindingLine(name, marks, history.releases);
  return text + UlpsText(history) + Bits(history);
}

}  // namespace hlocts::reports
