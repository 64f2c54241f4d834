// SPDX-License-Identifier: Apache-2.0
// Declares nightly runs: the verdicts of a set of runs on every case and engine, and the comparison
// of two nightly runs. This directory computes every number and every summary sentence of a report.
//
// The page, the pull request and the exit status of the nightly run use the lists of this
// directory, so that they agree. A new list needs changes in NightlyRunDiff, Sort, summary.cc and
// the page, and in nights_test.cc a run in which only that list has entries.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "reports/verdict_fwd.h"
#include "reports/verdict_parts.h"

namespace hlocts::reports {

// Defines marks. A mark is one letter for the result of a case on an engine.

// Returns the first letter of the verdict, in upper case if it is not as expected ('P': a case that
// should fail passes, 'X': a flake that is not listed): 'p' pass, 'u' unsupported, 'n' nan_bits,
// 'f' or 'F' fail, 'r' rejected, 'a' accepted, 'c' crash, 't' timeout, 'i' inconclusive or
// probable, 's' suspect, 'e' error. Other marks: 'x' a flake, 'l' lost (requested, without a
// verdict), '.' not requested.
inline constexpr char kPassMark = 'p', kUnsupportedMark = 'u', kNanBitsMark = 'n', kFlakeMark = 'x',
                      kMissingMark = 'l', kAbsentMark = '.', kUnexpectedPassMark = 'P';
char MarkOf(const Verdict& verdict);
// Returns "pass", "fail", "flaky", "not run" and so on.
absl::string_view MarkName(char mark);
// Returns the word of a mark beside another one of the case: "unexpected pass", or "known fail" if
// only the list of known failures distinguishes the two.
std::string MarkWord(char mark, char other);
char WithoutExpectation(char mark);  // maps 'F' to 'f' and so on
bool IsUnexpected(char mark);        // the verdict is not as expected: Verdict::expected
bool IsRun(char mark);               // the case has a verdict
bool IsBad(char mark);               // a person or an expectation must explain the verdict
// True if the engine is wrong: a bad mark other than inconclusive, suspect or error.
bool IsFailureMark(char mark);

struct MergedRun;  // reports/run_record.h
struct RunRecord;

struct NightlyEngineResult {
  std::string version;
  std::string marks;   // one letter per case of the history (MarkOf)
  double seconds = 0;  // time in the engine
  bool cut = false;    // true if one of its runs ended early
  // Number of cases by mark, for a nightly run that is pruned: `marks` then has only those that
  // comparisons need. If empty, count `marks`.
  std::map<char, int64_t> tally;
};

struct NightlyRun {
  std::string label;  // 2026-11-24
  std::string started, finished;
  std::string tier, profile, queries, program, suite, cpu;
  int64_t cores = 0;
  std::vector<std::string> problems;  // reasons why its runs are incomplete
  std::vector<std::string> notes;     // further remarks, written by hand
  int64_t not_repeated = 0;  // new or changed cases that were not run again to detect flakes
  std::map<std::string, NightlyEngineResult> engines;  // by name
  // Marks by finding and engine.
  std::map<std::string, std::map<std::string, char>> findings;
  int64_t campaign_modules = 0;                                       // random modules that ran
  std::map<std::string, std::map<std::string, std::string>> buckets;  // engine -> bucket -> origin
};

// Returns an engine's number of cases by mark, without those that were not requested.
std::map<char, int64_t> TallyOf(const NightlyEngineResult& engine);
// Returns true if the verdicts of a nightly run were deleted, and only their counts remain.
bool IsPruned(const NightlyRun& night);

// Returns the number of verdicts that are not as expected, as the scorecard counts them.
int64_t CountUnexpected(const NightlyRun& night);

// A module on which some release is wrong.
struct Finding {
  std::string title, clause, failing_phase, module;
};

struct FailureDetail {
  std::string night, engine, address;
  std::string record;  // the verdict as JSON
  std::string module;  // HLO text, or empty
};

struct BitsChecked {
  std::string engine, operation;
  int significand = 0;  // significand bits of the format
  int64_t elements = 0;
  double median = 0, p5 = 0;
};

// The largest distance between an accepted value of a function and the exact value, on an engine.
struct MeasuredUlps {
  std::string night, engine;
  WorstUlps worst;
};

// Minimised failures that campaigns found and that have one probable cause.
struct Bucket {
  std::string engine, name;
  std::string origin;  // "seed 7, module 29, stream edge"
  std::string module;  // HLO text, or empty
};

struct History {
  std::vector<std::string> cases;  // addresses
  std::vector<NightlyRun> nights;  // ordered, the newest last
  // Latest verdicts before the first of `nights`, by engine.
  std::map<std::string, NightlyEngineResult> earlier;
  // The labels of the nightly runs with these verdicts, by engine and index of the case.
  std::map<std::pair<std::string, size_t>, std::string> earlier_nights;
  std::map<std::string, Finding> findings;
  std::vector<FailureDetail> failures;  // of the two newest nightly runs
  std::vector<BitsChecked> bits;        // of the newest nightly run
  std::vector<MeasuredUlps> ulps;
  std::vector<Bucket> buckets;        // of the newest nightly run
  std::vector<std::string> releases;  // engines, oldest release first
};

struct Change {
  std::string engine, address;
  char before = kAbsentMark, now = kAbsentMark;
  std::string before_night;  // the label of the nightly run with the verdict `before`
  // For changes in `open` and `support_lost`: the label of the first nightly run in the
  // uninterrupted sequence of such verdicts.
  std::string since;
};

struct UlpsChange {
  std::string engine, function, type;
  double before = 0, now = 0;  // ulps of the worst accepted value
  std::string before_night;    // PrecisionBase
};

// The differences between two nightly runs. An engine without any verdict is only in `dead`. The
// previous verdict of a case is its latest one on that engine, up to the earlier run.
struct NightlyRunDiff {
  std::string since;  // label of the earlier nightly run; empty for the first
  // Cases that were good and now are bad or unsupported, or that were expected and now are not. In
  // the first nightly run: all unexpected cases.
  std::vector<Change> regressed;
  std::vector<Change> first_run;     // unexpected now, without a verdict before
  std::vector<Change> fixed;         // was bad, passes now
  std::vector<Change> changed;       // another verdict, but neither in `regressed` nor in `fixed`
  std::vector<Change> now_expected;  // was unexpected; same verdict, another list of failures
  std::vector<Change> flaky;
  std::vector<Change> not_run;  // no verdict now, but ran before or was requested
  // Unexpected now and before, with any verdicts: reported already, but not fixed yet.
  std::vector<Change> open;
  std::vector<Change> support_lost;            // unsupported now and before, good before that
  std::string open_since, support_lost_since;  // the earliest `since` of these two lists
  std::vector<std::string> dead;
  std::vector<std::string> gone;  // cases that are no longer in the suite
  std::vector<std::pair<std::string, std::string>> new_buckets;  // engine, bucket
  std::vector<UlpsChange> less_precise;  // accepted values farther from the exact ones; no alarm
  int64_t asked = 0, ran = 0;            // pairs of case and engine, without dead engines
};
struct NamedChanges {
  const char* name;  // a field of JSON
  const std::vector<Change>* changes;
};
std::vector<NamedChanges> ListsOf(const NightlyRunDiff& changes);
size_t NewFailures(const NightlyRunDiff& changes);  // regressed, first_run and new_buckets

// Compares two nightly runs; `before` is nullptr for the first.
NightlyRunDiff CompareNightlyRuns(const History& history, const NightlyRun* before,
                                  const NightlyRun& now);
// Returns the label of the newest nightly run before `now` in which the engine has a verdict for
// each case of the same request, so that the arguments of all functions are equal; "" if none.
std::string PrecisionBase(const History& history, const NightlyRun& now, const std::string& engine);
// Compares the newest nightly run with the previous one, or with none if that one is pruned.
NightlyRunDiff NewestChanges(const History& history);

enum class Alarm { kGreen, kYellow, kRed };
// Returns red for new failures (also lost support), new unexpected passes, an engine without
// verdicts, lost cases or an incomplete run. Returns yellow for flaky or changed cases, and for a
// pruned run, whose changes are unknown. Otherwise returns green. A failure causes red only once.
Alarm AlarmOf(const NightlyRun& now, const NightlyRunDiff& changes);
absl::string_view AlarmName(Alarm alarm);

// The findings on which an engine's newest release is still wrong: "xla@0.11.2", 14 of 31.
struct OpenFindings {
  std::string engine;
  int wrong = 0, inconclusive = 0, looked_at = 0;
};
// Returns these numbers for the last of `history.releases` (a name with a version, or `xla`) that
// was tested on any finding in the newest nightly run. The name is empty if none was tested.
OpenFindings NewestReleaseFindings(const History& history);

// Returns the summary sentence: "2 new, 1 fixed, 0 changed, 0 flaky, 0 not run since 2026-11-23; 4
// still open since 2026-11-20; 14 of 31 findings replayed still fail on xla (40 are in the store)."
std::string NightlySummaryLine(const History& history, const NightlyRunDiff& changes);

// A part of the summary sentence. If it is a count, `list` names the list that it counts: a list of
// ListsOf, "findings", or "new" for NewFailures.
struct SummaryPart {
  std::string text, list = "";
};
std::vector<SummaryPart> NightlySummary(const History& history, const NightlyRunDiff& changes);

// Returns an engine's number of cases by verdict, in a fixed order of words.
std::map<std::string, int64_t> CountVerdicts(const NightlyEngineResult& engine);

// Adds a merged run, with the verdicts of `run`, to a nightly run. Requested cases without a
// verdict are marked as lost. `record` is the record of the first shard.
void AddRun(const RunRecord& record, const MergedRun& run, History& history, NightlyRun& night);

// The family of releases built from the same sources, and a release's date: "xla", "2026-09-17".
struct ReleaseDate {
  std::string family, day;
};
// Orders engines by family and date. Engines without a date are ordered by name, and versions after
// '@' as numbers ("xla@0.9" before "xla@0.11.2"). Family and date ignore options after '?'.
std::vector<std::string> InReleaseOrder(std::vector<std::string> engines,
                                        const std::map<std::string, ReleaseDate>& dates = {});

}  // namespace hlocts::reports
