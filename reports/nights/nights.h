// SPDX-License-Identifier: Apache-2.0
// Nightly runs: the verdicts of a set of runs on every case and engine, and their comparison. Every
// number and every leading sentence of a report is computed here, by rule.
//
// The page, the pull request and the exit status of the nightly run use the lists of this
// directory, so that they agree. New list: NightChanges, Sort, summary.cc, the page, and a run in
// nights_test.cc that contains exactly it.
#ifndef HLOCTS_REPORTS_NIGHTS_NIGHTS_H_
#define HLOCTS_REPORTS_NIGHTS_NIGHTS_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "reports/nights/marks.h"
#include "reports/verdict_parts.h"

namespace hlocts::reports {

struct MergedRun;  // reports/run_record.h
struct RunRecord;

struct NightEngine {
  std::string version;
  std::string marks;   // one letter per case of the history (marks.h)
  double seconds = 0;  // in the engine
  // Cases by mark, for a nightly run whose marks are no longer kept; empty: count the marks.
  std::map<char, int64_t> tally;
};

struct Night {
  std::string label;  // 2026-11-24
  std::string started, finished;
  std::string tier, profile, queries, program, suite, cpu;
  int64_t cores = 0;
  std::vector<std::string> problems;           // reasons why its runs are incomplete
  std::vector<std::string> notes;              // further remarks, written by hand
  std::map<std::string, NightEngine> engines;  // by name
  // Marks of the findings, by finding and engine.
  std::map<std::string, std::map<std::string, char>> findings;
  int64_t campaign_modules = 0;                                       // random ones that ran
  std::map<std::string, std::map<std::string, std::string>> buckets;  // engine, bucket: origin
};

// A module that some release gets wrong.
struct Finding {
  std::string title, clause, guilty, module;
};

struct FailureDetail {
  std::string night, engine, address;
  std::string record;  // the verdict as JSON
  std::string module;  // text, or empty
};

struct BitsChecked {
  std::string engine, operation;
  int significand = 0;  // bits of the format
  int64_t elements = 0;
  double median = 0, p5 = 0;
};

// The largest distance of accepted values of a function from the exact ones, on an engine.
struct MeasuredUlps {
  std::string night, engine;
  WorstUlps worst;
};

// A failure that campaigns found: one cause, minimised.
struct Bucket {
  std::string engine, name;
  std::string origin;  // "seed 7, module 29, stream edge"
  std::string module;  // text, or empty
};

struct History {
  std::vector<std::string> cases;  // addresses
  std::vector<Night> nights;       // the newest last
  std::map<std::string, Finding> findings;
  std::vector<FailureDetail> failures;  // of the newest nightly run and the previous one
  std::vector<BitsChecked> bits;        // of the newest nightly run
  std::vector<MeasuredUlps> ulps;       // of the newest nightly run and the previous one
  std::vector<Bucket> buckets;          // of the newest nightly run
  std::vector<std::string> releases;    // engines, oldest release first
};

struct Change {
  std::string engine, address;
  char before = kAbsentMark, now = kAbsentMark;
};

struct UlpsChange {
  std::string engine, function, type;
  double before = 0, now = 0;  // ulps of the worst accepted value
};

// The differences between two nightly runs. An engine that gave no verdict at all is in `dead` and
// in no other list.
struct NightChanges {
  std::string since;              // label of the earlier nightly run; empty: this is the first
  std::vector<Change> regressed;  // good, or new and not expected; now bad
  std::vector<Change> fixed;      // bad, now a pass
  std::vector<Change> changed;    // bad in another way; unsupported, or no longer
  std::vector<Change> flaky;
  std::vector<Change> not_run;  // ran before, or was asked for; no verdict now
  // Not expected now and bad in the previous nightly run: already reported, still to fix.
  std::vector<Change> open;
  std::string open_since;  // the earliest night from which one of them has been bad without a break
  std::vector<std::string> dead;
  std::vector<std::string> gone;  // cases that the suite no longer has
  std::vector<std::pair<std::string, std::string>> new_buckets;  // engine, bucket
  std::vector<UlpsChange> less_precise;  // accepted, and farther from exact; no alarm
  int64_t asked = 0, ran = 0;            // cases times engines, without dead engines
};
// `before`: nullptr for the first nightly run.
NightChanges CompareNights(const History& history, const Night* before, const Night& now);
// The newest nightly run of a history against the previous one.
NightChanges NewestChanges(const History& history);

enum class Alarm { kGreen, kYellow, kRed };
// Red: a regression or a new failure, a dead engine, or lost cases. Yellow: flaky or changed.
// Green: no change; each failure is reported once.
Alarm AlarmOf(const Night& now, const NightChanges& changes);
absl::string_view AlarmName(Alarm alarm);

// The number of findings that the newest release of an engine still has: "xla@0.11.2", 14, 31.
struct StillThere {
  std::string engine;
  int wrong = 0, looked_at = 0;
};
// For the last release in `releases` (a name with a version, or `xla`) that ran in this nightly run
// and tried any finding; no name: none did.
StillThere NewestReleaseFindings(const History& history);

// "2 new, 1 fixed, 0 changed, 0 flaky, 0 not run since 2026-11-23; 4 still open since 2026-11-20;
// xla@0.11.2 still has 14 of 31 findings."
std::string Sentence(const History& history, const NightChanges& changes);

// The number of cases by verdict for one engine's marks, in a fixed order of words.
std::map<std::string, int64_t> CountMarks(const std::string& marks);

// Adds a merged run to a nightly run, with the verdicts of `run`; cases that were asked for and are
// missing are lost. `record`: of the first shard.
void AddRun(const RunRecord& record, const MergedRun& run, History& history, Night& night);

// The family of releases built from the same sources, and the date: "xla", "2026-09-17".
struct ReleaseDate {
  std::string family, day;
};
// Engines by family, within a family by date; those without a known date by name, versions after
// '@' in natural order ("xla@0.9" before "xla@0.11.2"). Options after '?' do not count.
std::vector<std::string> InReleaseOrder(std::vector<std::string> engines,
                                        const std::map<std::string, ReleaseDate>& dates = {});

}  // namespace hlocts::reports

#endif  // HLOCTS_REPORTS_NIGHTS_NIGHTS_H_
