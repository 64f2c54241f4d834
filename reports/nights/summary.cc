// SPDX-License-Identifier: Apache-2.0
#include "reports/nights/summary.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "nlohmann/json.hpp"
#include "spec/base/count_text.h"
#include "spec/base/json_text.h"

namespace hlocts::reports {
namespace {

constexpr size_t kOperations = 30;  // the number of operations listed, fewest checked bits first

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
    for (const auto& [word, count] : CountVerdicts(engine))
      absl::StrAppend(&text, " ", count, " ", word);
    text += "\n";
  }
  return text;
}

std::string FamilyOf(const std::string& engine) { return engine.substr(0, engine.find('@')); }

// The first bad release of an engine of those with a verdict, and the first good one after the last
// bad one.
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
    if (IsFailureMark(mark->second)) {
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
    absl::StrAppend(&text, "    of these, first bad ", span.first_bad,
                    span.good_after.empty() ? "" : ", good again in " + span.good_after, "\n");
  }
  return text;
}

// Returns the measurements of the newest nightly run, a line per function, type and stated bound:
// "tanh f32, ulp(7): xla 1.34, ...". Returns "" if there are none.
std::string Ulps(const History& history) {
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

std::string Bits(const History& history) {
  std::vector<BitsChecked> rows = history.bits;
  std::sort(rows.begin(), rows.end(), [](const BitsChecked& a, const BitsChecked& b) {
    return std::tuple(a.median / a.significand, a.operation, a.engine) <
           std::tuple(b.median / b.significand, b.operation, b.engine);
  });
  std::string text = "\nOperations with the fewest significant bits checked\n";
  for (size_t i = 0; i < std::min(rows.size(), kOperations); ++i) {
    const BitsChecked& row = rows[i];
    absl::StrAppendFormat(
        &text, "  %-40s %-16s of %2d bits: median %.1f, 5th percentile %.1f (%d)\n", row.operation,
        row.engine, row.significand, row.median, row.p5, row.elements);
  }
  return text;
}

using Json = nlohmann::ordered_json;

constexpr size_t kNamed = 3;  // entries of each list in Markdown

// Returns a name as Markdown code.
std::string Code(const std::string& text) {
  return absl::StrCat("`", absl::StrReplaceAll(text, {{"`", "'"}, {"\n", " "}}), "`");
}

// Returns a text, such as a name that a user chose, as Markdown without markup. "&" stays, since an
// entity is never markup, and the text is also read in mail and on the terminal.
std::string Plain(const std::string& text) {
  return absl::StrReplaceAll(text, {{"<", "&lt;"}, {"[", "\\["}, {"\n", " "}});
}

// Returns " in NIGHT" for an older nightly run than that of the headline.
std::string InOlder(const std::string& night, const std::string& since) {
  return night.empty() || night == since ? "" : " in " + Plain(night);
}

std::string MarkdownLine(const NamedChanges& list, const std::string& since) {
  std::vector<std::string> named;
  for (const Change& change : *list.changes) {
    if (named.size() == kNamed) break;
    const std::string now = MarkWord(change.now, change.before);
    const std::string before = MarkWord(change.before, change.now);
    const std::string was = absl::StrCat(before, InOlder(change.before_night, since), " → ");
    named.push_back(absl::StrCat(Code(change.address), " on ", Code(change.engine), " (",
                                 before == now || !IsRun(change.before) ? "" : was, now,
                                 change.since.empty() ? "" : ", since " + Plain(change.since),
                                 ")"));
  }
  const size_t more = list.changes->size() - named.size();
  return absl::StrCat("- ", absl::StrReplaceAll(list.name, {{"_", " "}}), ": ",
                      absl::StrJoin(named, ", "),
                      more > 0 ? absl::StrCat(", and ", more, " more") : "", "\n");
}

std::string LessPreciseLine(const NightlyRunDiff& changes) {
  const UlpsChange& first = changes.less_precise[0];
  const size_t more = changes.less_precise.size() - 1;
  return absl::StrFormat("- less precise, yet accepted: %s of %s on %s (%.2f ulps, was %.2f%s)%s\n",
                         Code(first.function), first.type, Code(first.engine), first.now,
                         first.before, InOlder(first.before_night, changes.since),
                         more > 0 ? absl::StrCat(", and ", more, " more") : "");
}

}  // namespace

std::string NightlyRunText(const History& history, const NightlyRunDiff& changes) {
  if (history.nights.empty()) return NightlySummaryLine(history, changes) + "\n";
  const NightlyRun& now = history.nights.back();
  std::string text = Heading(now, NightlySummaryLine(history, changes)) + Engines(now);
  if (!now.findings.empty()) text += "\nFindings by release, oldest first\n";
  for (const auto& [name, marks] : now.findings) text += FindingLine(name, marks, history.releases);
  return text + Ulps(history) + Bits(history);
}

std::string ToMarkdown(const History& history, const NightlyRunDiff& changes) {
  const std::string headline = Plain(NightlySummaryLine(history, changes));
  if (history.nights.empty()) return headline + "\n";
  const NightlyRun& now = history.nights.back();
  std::string text = absl::StrCat("**", headline, "**\n");
  for (size_t i = 0; i < std::min(now.notes.size(), kNamed); ++i)
    absl::StrAppend(&text, "- ", Plain(now.notes[i]), "\n");
  for (const NamedChanges& list : ListsOf(changes)) {
    if (list.changes->empty()) continue;
    // In a first run, `regressed` has all unexpected cases.
    const bool is_first = changes.since.empty() && list.changes == &changes.regressed;
    const bool is_new = list.changes == &changes.first_run;
    const char* name = is_first ? "not as expected"
                       : is_new ? "first run, not as expected"
                                : list.name;
    text += MarkdownLine({name, list.changes}, changes.since);
  }
  if (!changes.new_buckets.empty()) {
    absl::StrAppend(&text, "- found by campaigns: ", changes.new_buckets.size(), ", the first ",
                    Code(changes.new_buckets[0].second), " on ", Code(changes.new_buckets[0].first),
                    "\n");
  }
  if (!changes.less_precise.empty()) text += LessPreciseLine(changes);
  // Only the last line has the options of engines, unless two engines differ in nothing else.
  std::map<std::string, std::vector<std::string>> names;  // full names by names without options
  for (const auto& [name, engine] : now.engines)
    names[Code(name.substr(0, name.find('?')))].push_back(Code(name));
  std::string full;
  for (const auto& [name, all] : names) {
    if (all.size() == 1) text = absl::StrReplaceAll(text, {{all[0], name}});
    if (all[0] != name)
      absl::StrAppend(&full, full.empty() ? ": " : ", ", absl::StrJoin(all, ", "));
  }
  if (IsPruned(now)) return text + absl::StrReplaceAll(Engines(now), {{"<", "&lt;"}});
  absl::StrAppend(
      &text, "\n", AlarmName(AlarmOf(now, changes)), ": ", CountText(now.engines.size(), "engine"),
      ", ", CountText(changes.ran, "verdict"), ", tier ", Plain(now.tier), ", suite ",
      now.suite.substr(0, 8), full,
      now.notes.size() > kNamed ? absl::StrCat("; notes on the page: ", now.notes.size()) : "",
      "\n");
  return text;
}

std::string ToSummaryJson(const History& history, const NightlyRunDiff& changes) {
  const NightlyRun none, &now = history.nights.empty() ? none : history.nights.back();
  const Alarm alarm = &now == &none ? Alarm::kYellow : AlarmOf(now, changes);
  Json json = {{"sentence", NightlySummaryLine(history, changes)},
               {"alarm", std::string(AlarmName(alarm))},
               {"night", now.label},
               {"since", changes.since},
               {"open_since", changes.open_since},
               {"support_lost_since", changes.support_lost_since},
               {"problems", now.problems},
               {"notes", now.notes},
               {"not_repeated", now.not_repeated},
               {"pruned", IsPruned(now)},
               {"engines", Json::object()}};
  for (const auto& [name, engine] : now.engines) json["engines"][name] = CountVerdicts(engine);
  for (const NamedChanges& list : ListsOf(changes)) {
    json[list.name] = Json::array();
    for (const Change& change : *list.changes) {
      json[list.name].push_back({{"engine", change.engine},
                                 {"case", change.address},
                                 {"before", std::string(MarkName(change.before))},
                                 {"before_night", IsRun(change.before) ? change.before_night : ""},
                                 {"now", std::string(MarkName(change.now))}});
      if (!change.since.empty()) json[list.name].back()["since"] = change.since;
    }
  }
  json["dead"] = changes.dead;
  json["gone"] = changes.gone;
  json["new_buckets"] = Json::array();
  for (const auto& [engine, bucket] : changes.new_buckets)
    json["new_buckets"].push_back({{"engine", engine}, {"bucket", bucket}});
  json["less_precise"] = Json::array();
  for (const auto& [engine, function, type, before, now, night] : changes.less_precise) {
    Json one = {{"engine", engine}, {"function", function}, {"type", type}};
    one.update({{"before", before}, {"before_night", night}, {"now", now}});
    json["less_precise"].push_back(one);
  }
  return JsonText(json);
}

std::string ToBadge(const History& history, const NightlyRunDiff& changes) {
  const Alarm alarm =
      history.nights.empty() ? Alarm::kYellow : AlarmOf(history.nights.back(), changes);
  const size_t fresh = NewFailures(changes);
  std::string text = history.nights.empty()            ? "no run"
                     : IsPruned(history.nights.back()) ? "pruned"
                     : fresh > 0                       ? absl::StrCat(fresh, " new")
                     : !changes.dead.empty()           ? absl::StrCat(changes.dead.size(), " dead")
                     : !changes.not_run.empty() ? absl::StrCat(changes.not_run.size(), " not run")
                     : !history.nights.back().problems.empty() ? "incomplete"
                                                               : "0 new";
  if (!history.nights.empty() && history.nights.back().not_repeated > 0) text += ", not repeated";
  const char* colour = alarm == Alarm::kRed      ? "#b3261e"
                       : alarm == Alarm::kYellow ? "#7a5c00"
                                                 : "#1b6e35";
  // Seven units per letter fit the fonts of browsers.
  const size_t left = 52, right = 14 + 7 * text.size();
  return absl::StrCat(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", left + right,
      "\" height=\"20\" role=\"img\" aria-label=\"hlocts: ", text, "\"><title>hlocts: ", text,
      "</title><rect width=\"", left, "\" height=\"20\" fill=\"#444\"/><rect x=\"", left,
      "\" width=\"", right, "\" height=\"20\" fill=\"", colour,
      "\"/><g fill=\"#fff\" text-anchor=\"middle\" font-family=\"sans-serif\" font-size=\"11\">"
      "<text x=\"",
      left / 2, "\" y=\"14\">hlocts</text><text x=\"", left + right / 2, "\" y=\"14\">", text,
      "</text></g></svg>\n");
}

}  // namespace hlocts::reports
