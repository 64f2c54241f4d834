// SPDX-License-Identifier: Apache-2.0
#include "reports/nights/nights.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <tuple>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "reports/run_record.h"
#include "reports/verdict.h"

namespace hlocts::reports {
namespace {

constexpr int kFewCases = 10;  // with fewer cases, even a working engine may crash on all

// Returns true if no case ran, or if at least kFewCases ran, each with a crash, timeout or error.
bool HasNoVerdicts(const NightlyEngineResult& engine) {
  if (!engine.tally.empty()) return false;  // pruned, which deletes the verdicts of a dead engine
  int ended = 0;
  for (char mark : engine.marks) {
    mark = WithoutExpectation(mark);
    if (!IsRun(mark)) continue;
    if (mark != 'c' && mark != 'e' && mark != 't') return false;
    ++ended;
  }
  return ended == 0 || ended >= kFewCases;
}

char MarkAt(const NightlyEngineResult* engine, size_t one) {
  return engine && one < engine->marks.size() ? engine->marks[one] : kAbsentMark;
}

const NightlyEngineResult* EngineOf(const NightlyRun* night, const std::string& name) {
  if (!night) return nullptr;
  auto found = night->engines.find(name);
  return found == night->engines.end() ? nullptr : &found->second;
}

struct Latest {
  char mark = kAbsentMark;
  size_t night = 0;  // index of the nightly run; 0 also for an earlier one that is not loaded
  std::string label;
};

// Returns the latest verdict of a case on an engine up to the nightly run of index `until` - 1, or
// kAbsentMark. Skips nightly runs in which the engine was dead (HasNoVerdicts).
Latest LatestVerdict(const History& history, size_t until, const std::string& name, size_t one) {
  for (; until > 0; --until) {
    const NightlyEngineResult* engine = EngineOf(&history.nights[until - 1], name);
    const char mark = MarkAt(engine, one);
    if (IsRun(mark) && !HasNoVerdicts(*engine))
      return {mark, until - 1, history.nights[until - 1].label};
  }
  auto earlier = history.earlier.find(name);
  auto label = history.earlier_nights.find({name, one});
  return {earlier == history.earlier.end() ? kAbsentMark : MarkAt(&earlier->second, one), 0,
          label == history.earlier_nights.end() ? "" : label->second};
}

// Returns the index of a nightly run; the number of nightly runs if there is none with this label.
size_t IndexOf(const History& history, const std::string& label) {
  size_t at = 0;
  while (at < history.nights.size() && history.nights[at].label != label) ++at;
  return at;
}

// Returns, for each case, true if it was requested on any engine.
std::vector<bool> RequestedCases(const History& history, const NightlyRun& night) {
  std::vector<bool> asked(history.cases.size(), false);
  for (const auto& [name, engine] : night.engines) {
    for (size_t i = 0; i < asked.size(); ++i) {
      if (MarkAt(&engine, i) != kAbsentMark) asked[i] = true;
    }
  }
  return asked;
}

// Returns true if different cases were requested. A missing case then need not be lost.
bool RequestedDifferentCases(const NightlyRun& before, const NightlyRun& now) {
  return before.suite != now.suite || before.tier != now.tier || before.queries != now.queries;
}

// Returns true if a run has an engine only with other options after '?', which `before` lacks.
bool HasOtherOptions(const NightlyRun& before, const NightlyRun& now, const std::string& name) {
  auto label = [](const std::string& one) { return one.substr(0, one.find('?')); };
  return std::any_of(now.engines.begin(), now.engines.end(), [&](const auto& one) {
    return label(one.first) == label(name) && !before.engines.contains(one.first);
  });
}

// Returns true if a case became bad, or is no longer supported.
bool IsWorse(char before, char now) {
  return !IsBad(before) && (IsBad(now) || (now == kUnsupportedMark && before != kUnsupportedMark &&
                                           before != kFlakeMark));
}

// Returns true if a case passes although an expectation lists it as a failure, unlike before.
bool IsNewlyUnexpectedPass(const Change& change) {
  return change.now == kUnexpectedPassMark && change.before != change.now;
}

void Sort(const Change& change, NightlyRunDiff& changes) {
  const char before = WithoutExpectation(change.before), now = WithoutExpectation(change.now);
  const bool was_covered = IsBad(change.before) && !IsUnexpected(change.before);
  if (now == kFlakeMark) {
    changes.flaky.push_back(change);
  } else if (!IsRun(now)) {
    if (IsRun(before) || now == kMissingMark) changes.not_run.push_back(change);
  } else if (!IsRun(before)) {
    auto& list = changes.since.empty() ? changes.regressed : changes.first_run;
    if (IsUnexpected(change.now)) list.push_back(change);
  } else if (IsWorse(before, now) || (was_covered && IsUnexpected(change.now)) ||
             (before == now && IsNewlyUnexpectedPass(change))) {
    changes.regressed.push_back(change);
  } else if (IsBad(before) && now == kPassMark) {
    changes.fixed.push_back(change);
  } else if (before == now && IsUnexpected(change.before) && !IsUnexpected(change.now)) {
    changes.now_expected.push_back(change);
  } else if (before != now && before != kFlakeMark) {
    changes.changed.push_back(change);
  }
}

// Adds a case that an earlier nightly run already reported: it is still unexpected, or it was once
// supported and is still unsupported. Sets `since` to the first run of the sequence of such
// verdicts, which skips runs without the case.
void AddLasting(const History& history, size_t until, size_t one, Change change,
                NightlyRunDiff& changes) {
  if (WithoutExpectation(change.now) == kFlakeMark) return;
  const bool is_open = IsUnexpected(change.now) && IsUnexpected(change.before);
  auto lasts = [&](char mark) { return is_open ? IsUnexpected(mark) : mark == kUnsupportedMark; };
  if (!lasts(change.now) || !lasts(change.before)) return;
  size_t first = until;
  Latest last = LatestVerdict(history, first, change.engine, one);
  while (lasts(last.mark) && first > 0) {
    first = last.night;
    last = LatestVerdict(history, first, change.engine, one);
  }
  change.since = history.nights[first].label;
  const bool was_supported = IsRun(last.mark) && IsWorse(last.mark, kUnsupportedMark);
  if (is_open || was_supported) (is_open ? changes.open : changes.support_lost).push_back(change);
}

// Returns the earliest `since` of the changes, or "" if there are no changes.
std::string EarliestOf(const std::vector<Change>& changes) {
  auto first = std::min_element(changes.begin(), changes.end(),
                                [](const auto& a, const auto& b) { return a.since < b.since; });
  return first == changes.end() ? "" : first->since;
}

void CompareBuckets(const History& history, const NightlyRun& now, NightlyRunDiff& changes) {
  std::set<std::pair<std::string, std::string>> known;
  for (const NightlyRun& night : history.nights) {
    if (&night == &now || night.label == now.label) break;
    for (const auto& [engine, buckets] : night.buckets) {
      for (const auto& [bucket, origin] : buckets) {
        known.emplace(engine, bucket);
        // A failure may be renamed when it is minimised; its original module was reported.
        if (!origin.empty()) known.emplace(engine, origin);
      }
    }
  }
  for (const auto& [engine, buckets] : now.buckets) {
    for (const auto& [bucket, origin] : buckets) {
      if (!known.contains({engine, bucket}) && !known.contains({engine, origin}))
        changes.new_buckets.emplace_back(engine, bucket);
    }
  }
}

// The least increase of the distance from the exact value, in ulps, that is reported.
constexpr double kUlpsReported = 0.05;

// Returns the functions that are less precise in a nightly run than in PrecisionBase, with the
// largest increase first.
std::vector<UlpsChange> LessPrecise(const History& history, const NightlyRun& now) {
  std::map<std::tuple<std::string, std::string, std::string, std::string>, double> all;
  for (const auto& [night, engine, one] : history.ulps)
    all[{night, engine, one.function, one.type}] = one.ulps;
  std::vector<UlpsChange> changes;
  for (const auto& [night, engine, one] : history.ulps) {
    if (night != now.label) continue;
    const std::string base = PrecisionBase(history, now, engine);
    auto was = all.find({base, engine, one.function, one.type});
    if (was != all.end() && one.ulps > was->second + kUlpsReported)
      changes.push_back({engine, one.function, one.type, was->second, one.ulps, base});
  }
  std::sort(changes.begin(), changes.end(), [](const UlpsChange& a, const UlpsChange& b) {
    return std::tuple(b.now - b.before, a.engine, a.function, a.type) <
           std::tuple(a.now - a.before, b.engine, b.function, b.type);
  });
  return changes;
}

// Returns a sort key that orders "0.11.2" before "2025.11" by numbers.
std::vector<std::pair<int64_t, std::string>> NaturalKey(const std::string& text) {
  std::vector<std::pair<int64_t, std::string>> key;
  for (size_t i = 0; i < text.size();) {
    if (absl::ascii_isdigit(static_cast<unsigned char>(text[i]))) {
      char* end = nullptr;
      key.emplace_back(std::strtoll(text.c_str() + i, &end, 10), "");
      i = static_cast<size_t>(end - text.c_str());
    } else {
      key.emplace_back(-1, std::string(1, text[i++]));
    }
  }
  return key;
}

}  // namespace

char MarkOf(const Verdict& verdict) {
  const Outcome kind = IsInconclusive(verdict.kind) ? Outcome::kInconclusive : verdict.kind;
  const char mark = verdict.flake.empty() ? OutcomeName(kind)[0] : kFlakeMark;
  return verdict.expected ? mark : absl::ascii_toupper(static_cast<unsigned char>(mark));
}

bool IsUnexpected(char mark) { return mark != WithoutExpectation(mark); }

int64_t CountUnexpected(const NightlyRun& night) {
  int64_t count = 0;
  for (const auto& [name, engine] : night.engines) {
    for (const auto& [mark, cases] : TallyOf(engine)) count += IsUnexpected(mark) ? cases : 0;
  }
  return count;
}

std::map<char, int64_t> TallyOf(const NightlyEngineResult& engine) {
  std::map<char, int64_t> tally = engine.tally;
  if (tally.empty()) {
    for (char mark : engine.marks) ++tally[mark];
  }
  tally.erase(kAbsentMark);
  return tally;
}

bool IsPruned(const NightlyRun& night) {
  return std::any_of(night.engines.begin(), night.engines.end(),
                     [](const auto& one) { return !one.second.tally.empty(); });
}

char WithoutExpectation(char mark) { return absl::ascii_tolower(static_cast<unsigned char>(mark)); }

absl::string_view MarkName(char mark) {
  mark = WithoutExpectation(mark);
  if (mark == kFlakeMark) return "flaky";
  for (int kind = 0; kind <= static_cast<int>(kLastOutcome); ++kind) {
    absl::string_view name = OutcomeName(static_cast<Outcome>(kind));
    if (name[0] == mark) return name;
  }
  return "not run";
}

std::string MarkWord(char mark, char other) {
  const bool only_listed = mark != other && mark == WithoutExpectation(other) && IsBad(mark);
  return absl::StrCat(mark == kUnexpectedPassMark ? "unexpected "
                      : only_listed               ? "known "
                                                  : "",
                      MarkName(mark));
}

bool IsRun(char mark) { return mark != kMissingMark && mark != kAbsentMark; }

bool IsBad(char mark) {
  mark = WithoutExpectation(mark);
  return IsRun(mark) && mark != kPassMark && mark != kUnsupportedMark && mark != kNanBitsMark &&
         mark != kFlakeMark;
}

bool IsFailureMark(char mark) {
  mark = WithoutExpectation(mark);
  return mark == 'f' || mark == 'r' || mark == 'a' || mark == 'c' || mark == 't';
}

std::vector<NamedChanges> ListsOf(const NightlyRunDiff& changes) {
  return {{"regressed", &changes.regressed},
          {"first_run", &changes.first_run},
          {"fixed", &changes.fixed},
          {"changed", &changes.changed},
          {"now_expected", &changes.now_expected},
          {"flaky", &changes.flaky},
          {"not_run", &changes.not_run},
          {"open", &changes.open},
          {"support_lost", &changes.support_lost}};
}

size_t NewFailures(const NightlyRunDiff& changes) {
  return changes.regressed.size() + changes.first_run.size() + changes.new_buckets.size();
}

NightlyRunDiff CompareNightlyRuns(const History& history, const NightlyRun* before,
                                  const NightlyRun& now) {
  NightlyRunDiff changes;
  if (before) changes.since = before->label;
  std::set<std::string> names;
  for (const auto& [name, engine] : now.engines) names.insert(name);
  if (before) {
    for (const auto& [name, engine] : before->engines) {
      if (!HasOtherOptions(*before, now, name)) names.insert(name);
    }
  }
  const std::vector<bool> asked = RequestedCases(history, now);
  const bool other_suite = before && RequestedDifferentCases(*before, now);
  const size_t until = before ? IndexOf(history, before->label) + 1 : 0;
  std::set<size_t> gone;
  for (const std::string& name : names) {
    const NightlyEngineResult* engine = EngineOf(&now, name);
    const NightlyEngineResult* old = EngineOf(before, name);
    if (!engine || HasNoVerdicts(*engine)) {
      changes.dead.push_back(name);
      continue;
    }
    for (size_t i = 0; i < history.cases.size(); ++i) {
      const char mark = MarkAt(engine, i);
      const bool requested = mark != kAbsentMark || MarkAt(old, i) != kAbsentMark;
      const Latest last = requested ? LatestVerdict(history, until, name, i) : Latest();
      const Change change = {name, history.cases[i], last.mark, mark, last.label};
      changes.asked += IsRun(change.now) || IsRun(change.before) || change.now == kMissingMark;
      changes.ran += IsRun(change.now);
      if (other_suite && !asked[i] && IsRun(change.before)) {
        gone.insert(i);
        --changes.asked;
        continue;
      }
      Sort(change, changes);
      AddLasting(history, until, i, change, changes);
    }
  }
  changes.open_since = EarliestOf(changes.open);
  changes.support_lost_since = EarliestOf(changes.support_lost);
  for (size_t i : gone) changes.gone.push_back(history.cases[i]);
  CompareBuckets(history, now, changes);
  if (before && !other_suite) changes.less_precise = LessPrecise(history, now);
  return changes;
}

std::string PrecisionBase(const History& history, const NightlyRun& now,
                          const std::string& engine) {
  for (size_t until = IndexOf(history, now.label); until > 0; --until) {
    const NightlyRun& night = history.nights[until - 1];
    const NightlyEngineResult* result = EngineOf(&night, engine);
    if (result && result->tally.empty() && !HasNoVerdicts(*result) &&
        result->marks.find(kMissingMark) == std::string::npos &&
        !RequestedDifferentCases(night, now))
      return night.label;
  }
  return "";
}

NightlyRunDiff NewestChanges(const History& history) {
  if (history.nights.empty() || IsPruned(history.nights.back())) return {};
  const size_t n = history.nights.size();
  const bool has_base = n > 1 && !IsPruned(history.nights[n - 2]);
  return CompareNightlyRuns(history, has_base ? &history.nights[n - 2] : nullptr,
                            history.nights[n - 1]);
}

Alarm AlarmOf(const NightlyRun& now, const NightlyRunDiff& changes) {
  if (IsPruned(now)) return Alarm::kYellow;
  const bool surprising =
      changes.since.empty()
          ? CountUnexpected(now) > 0
          : std::any_of(changes.fixed.begin(), changes.fixed.end(), IsNewlyUnexpectedPass);
  if (surprising || NewFailures(changes) > 0 || !changes.dead.empty() || !changes.not_run.empty() ||
      !now.problems.empty()) {
    return Alarm::kRed;
  }
  return changes.flaky.empty() && changes.changed.empty() ? Alarm::kGreen : Alarm::kYellow;
}

absl::string_view AlarmName(Alarm alarm) {
  return alarm == Alarm::kRed ? "red" : alarm == Alarm::kYellow ? "yellow" : "green";
}

OpenFindings NewestReleaseFindings(const History& history) {
  OpenFindings still;
  if (history.nights.empty()) return still;
  const auto& findings = history.nights.back().findings;
  for (const std::string& engine : history.releases) {
    if (engine.find('@') == std::string::npos && engine != "xla") continue;  // not a release
    if (!history.nights.back().engines.contains(engine)) continue;           // did not run
    OpenFindings one = {.engine = engine};
    for (const auto& [finding, marks] : findings) {
      auto mark = marks.find(engine);
      if (mark == marks.end() || !IsRun(mark->second)) continue;
      ++one.looked_at;
      one.wrong += IsFailureMark(mark->second);
      one.inconclusive += WithoutExpectation(mark->second) == 'i';
    }
    if (one.looked_at > 0) still = one;
  }
  return still;
}

namespace {

using SummaryParts = std::vector<SummaryPart>;

// Returns a count and, in parentheses, how many of these cases pass although a list of known
// failures has them.
SummaryPart Counted(size_t count, absl::string_view words, std::string list, int64_t passes = 0) {
  const std::string passed =
      absl::StrCat(" (", passes, " unexpected ", passes == 1 ? "pass" : "passes", ")");
  return {absl::StrCat(count, " ", words, passes > 0 ? passed : ""), std::move(list)};
}

int64_t UnexpectedPasses(const std::vector<Change>& changes) {
  return std::count_if(changes.begin(), changes.end(),
                       [](const Change& one) { return one.now == kUnexpectedPassMark; });
}

// Returns the counts of changes; without an earlier run, only of unexpected, flaky and lost cases.
SummaryParts ChangeCounts(const History& history, const NightlyRunDiff& changes) {
  const NightlyRun& now = history.nights.back();
  const SummaryPart flaky = {
      absl::StrCat(
          changes.flaky.size(), " flaky",
          now.not_repeated > 0 ? absl::StrCat(" (", now.not_repeated, " not repeated)") : ""),
      "flaky"};
  const SummaryPart not_run = Counted(changes.not_run.size(), "not run", "not_run");
  if (changes.since.empty()) {
    const size_t count = CountUnexpected(now) + changes.new_buckets.size();
    return {{absl::StrCat("run of ", now.label, ": ")},
            Counted(count, "not as expected", "new", UnexpectedPasses(changes.regressed)),
            {", "},
            flaky,
            {", "},
            not_run,
            {history.nights.size() > 1 ? "; only the counts of earlier runs are kept"
                                       : "; no earlier run to compare with"}};
  }
  const size_t base = IndexOf(history, changes.since);
  const bool is_whole = base == history.nights.size() || history.nights[base].problems.empty();
  return {Counted(NewFailures(changes), "new", "new",
                  UnexpectedPasses(changes.regressed) + UnexpectedPasses(changes.first_run)),
          {", "},
          Counted(changes.fixed.size(), "fixed", "fixed", UnexpectedPasses(changes.fixed)),
          {", "},
          Counted(changes.changed.size(), "changed", "changed", UnexpectedPasses(changes.changed)),
          {", "},
          flaky,
          {", "},
          not_run,
          {absl::StrCat(" since ", changes.since, is_whole ? "" : " (incomplete)")}};
}

std::string PrunedText(const NightlyRun& now) {
  int64_t verdicts = 0;
  for (const auto& [name, engine] : now.engines) {
    for (const auto& [mark, cases] : TallyOf(engine)) verdicts += IsRun(mark) ? cases : 0;
  }
  return absl::StrCat("run of ", now.label,
                      " (pruned, so only counts are kept): ", CountUnexpected(now), " of ",
                      verdicts, " verdicts not as expected.");
}

void AddWhatLasts(const NightlyRunDiff& changes, SummaryParts& parts) {
  const std::string never;
  for (const auto& [list, words, name, since] :
       {std::tuple(&changes.open, "still open", "open", &changes.open_since),
        std::tuple(&changes.support_lost, "with support lost", "support_lost",
                   &changes.support_lost_since),
        std::tuple(&changes.now_expected, "no longer unexpected (list changed)", "now_expected",
                   &never)}) {
    if (list->empty()) continue;
    parts.push_back({"; "});
    parts.push_back(Counted(list->size(), words, name, UnexpectedPasses(*list)));
    if (!since->empty()) parts.push_back({" since " + *since});
  }
}

void AddFindings(const History& history, SummaryParts& parts) {
  const OpenFindings still = NewestReleaseFindings(history);
  if (still.looked_at == 0) return;
  parts.push_back({"; "});
  parts.push_back({absl::StrCat(still.wrong, " of ", still.looked_at, " findings"), "findings"});
  std::string rest = " replayed still fail on " + still.engine;
  const size_t stored = std::max(history.findings.size(), history.nights.back().findings.size());
  if (stored > static_cast<size_t>(still.looked_at))
    absl::StrAppend(&rest, " (", stored, " are in the store)");
  if (still.inconclusive > 0) absl::StrAppend(&rest, ", ", still.inconclusive, " inconclusive");
  parts.push_back({rest});
}

}  // namespace

std::vector<SummaryPart> NightlySummary(const History& history, const NightlyRunDiff& changes) {
  if (history.nights.empty()) return {{"The store is empty: no run has been imported."}};
  const NightlyRun& now = history.nights.back();
  if (IsPruned(now)) return {{PrunedText(now)}};
  SummaryParts parts = ChangeCounts(history, changes);
  AddWhatLasts(changes, parts);
  std::string text;
  for (const std::string& engine : changes.dead)
    absl::StrAppend(&text, "; ", engine,
                    now.engines.contains(engine) ? " returned no verdict for any case"
                                                 : " is not an engine of this run");
  int64_t lost = changes.asked - changes.ran;
  for (const auto& [name, engine] : now.engines) {
    const int64_t left = std::count(engine.marks.begin(), engine.marks.end(), kMissingMark);
    if (!engine.cut || left == 0 || HasNoVerdicts(engine)) continue;
    const int64_t done = std::count_if(engine.marks.begin(), engine.marks.end(), IsRun);
    absl::StrAppend(&text, "; ", name, " was cut after ", done, " of ", done + left, " cases");
    lost -= left;
  }
  if (lost > 0 && !changes.not_run.empty())
    absl::StrAppend(&text, "; the run lost ", lost, " of ", changes.asked, " verdicts");
  if (text.empty() && !now.problems.empty())
    text = absl::StrCat("; ", now.problems[0].substr(0, now.problems[0].find('\n')));
  parts.push_back({text});
  AddFindings(history, parts);
  parts.push_back({"."});
  return parts;
}

std::string NightlySummaryLine(const History& history, const NightlyRunDiff& changes) {
  std::string text;
  for (const SummaryPart& part : NightlySummary(history, changes)) text += part.text;
  return text;
}

std::map<std::string, int64_t> CountVerdicts(const NightlyEngineResult& engine) {
  std::map<std::string, int64_t> counts;
  for (const auto& [mark, cases] : TallyOf(engine)) counts[std::string(MarkName(mark))] += cases;
  return counts;
}

void AddRun(const RunRecord& record, const MergedRun& run, History& history, NightlyRun& night) {
  std::map<std::string, size_t> index;
  for (size_t i = 0; i < history.cases.size(); ++i) index[history.cases[i]] = i;
  auto number = [&](const std::string& address) {
    auto [at, added] = index.emplace(address, history.cases.size());
    if (added) history.cases.push_back(address);
    return at->second;
  };
  auto put = [&](const std::string& engine, const std::string& address, char mark) {
    std::string& marks = night.engines[engine].marks;
    const size_t at = number(address);
    if (marks.size() <= at) marks.resize(at + 1, kAbsentMark);
    if (mark != kMissingMark || !IsRun(marks[at])) marks[at] = mark;
  };
  for (const Verdict& verdict : run.verdicts) {
    put(verdict.backend, verdict.case_address, MarkOf(verdict));
    night.engines[verdict.backend].version = verdict.backend_version;
    night.engines[verdict.backend].seconds += verdict.seconds;
  }
  for (const std::string& engine : record.backends) {
    night.engines[engine].cut |= record.finished.empty();
    for (const std::string& address : record.selection) put(engine, address, kMissingMark);
  }
  night.problems.insert(night.problems.end(), run.problems.begin(), run.problems.end());
}

std::vector<std::string> InReleaseOrder(std::vector<std::string> engines,
                                        const std::map<std::string, ReleaseDate>& dates) {
  auto key = [&](const std::string& engine) {
    auto known = dates.find(engine.substr(0, engine.find('?')));
    const ReleaseDate date = known != dates.end()
                                 ? known->second
                                 : ReleaseDate{engine.substr(0, engine.find_first_of("@?")), ""};
    return std::tuple(date.family, date.day, NaturalKey(engine));
  };
  std::sort(engines.begin(), engines.end(),
            [&](const std::string& a, const std::string& b) { return key(a) < key(b); });
  return engines;
}

}  // namespace hlocts::reports
