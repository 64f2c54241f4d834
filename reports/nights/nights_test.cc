// SPDX-License-Identifier: Apache-2.0
// Tests the sentence and lists of three nightly runs; the last one lost a third of its cases.
#include "reports/nights/nights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "reports/nights/summary.h"
#include "reports/verdict.h"
#include "spec/base/json_text.h"

namespace hlocts::reports {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Returns a history of the cases a/b:0, a/b:1, ...
History Cases(size_t count) {
  History history;
  for (size_t i = 0; i < count; ++i) history.cases.push_back(absl::StrCat("a/b:", i));
  return history;
}

NightlyRun NightOf(const std::string& label, const std::map<std::string, std::string>& marks) {
  NightlyRun night{.label = label, .tier = "nightly", .suite = "suite"};
  for (const auto& [engine, letters] : marks) night.engines[engine].marks = letters;
  return night;
}

std::vector<std::string> Named(const std::vector<Change>& changes) {
  std::vector<std::string> named;
  for (const Change& change : changes) {
    named.push_back(absl::StrCat(change.engine, " ", change.address, ": ", MarkName(change.before),
                                 " -> ", MarkName(change.now)));
  }
  return named;
}

History ThreeNights() {
  History history = Cases(12);
  history.nights = {
      NightOf("2026-11-22",
              {{"dead", "pppppppppppp"}, {"lossy", "pppppppppppp"}, {"xla", "pppfrppupppp"}}),
      // This run has a regression, a fix, a flake, and a crash in place of a wrong value.
      NightOf("2026-11-23",
              {{"dead", "pppppppppppp"}, {"lossy", "pppppppppppp"}, {"xla", "pFppcpxupppp"}}),
      // Reported failures remain, one engine gives no verdict, and a third of the cases is lost.
      NightOf("2026-11-24",
              {{"dead", "CCCCCCCCCCCC"}, {"lossy", "ppppppppllll"}, {"xla", "pFppcppupppp"}})};
  return history;
}

TEST(NightsTest, EachListNamesExactlyWhatChanged) {
  History history = ThreeNights();
  NightlyRunDiff changes = CompareNightlyRuns(history, &history.nights[0], history.nights[1]);
  EXPECT_THAT(Named(changes.regressed), ElementsAre("xla a/b:1: pass -> fail"));
  EXPECT_THAT(Named(changes.fixed), ElementsAre("xla a/b:3: fail -> pass"));
  EXPECT_THAT(Named(changes.changed), ElementsAre("xla a/b:4: rejected -> crash"));
  EXPECT_THAT(Named(changes.flaky), ElementsAre("xla a/b:6: pass -> flaky"));
  EXPECT_THAT(changes.not_run, IsEmpty());
  EXPECT_THAT(changes.dead, IsEmpty());
  history.nights.pop_back();
  EXPECT_EQ(NightlySummaryLine(history, changes),
            "1 new, 1 fixed, 1 changed, 1 flaky, 0 not run since 2026-11-22.");
  EXPECT_EQ(AlarmOf(history.nights[1], changes), Alarm::kRed);
}

TEST(NightsTest, EngineWithoutVerdictsAndMissingCasesRaiseOneAlarm) {
  History history = ThreeNights();
  NightlyRunDiff changes = NewestChanges(history);
  EXPECT_THAT(changes.regressed, IsEmpty()) << "the previous nightly run reported xla's regression";
  EXPECT_THAT(changes.fixed, IsEmpty());
  EXPECT_THAT(changes.flaky, IsEmpty());
  EXPECT_THAT(changes.dead, ElementsAre("dead"));
  EXPECT_THAT(Named(changes.not_run),
              ElementsAre("lossy a/b:8: pass -> not run", "lossy a/b:9: pass -> not run",
                          "lossy a/b:10: pass -> not run", "lossy a/b:11: pass -> not run"));
  EXPECT_EQ(NightlySummaryLine(history, changes),
            "0 new, 0 fixed, 0 changed, 0 flaky, 4 not run since 2026-11-23; 1 still open since "
            "2026-11-23; dead returned no verdict for any case; the run lost 4 of 24 verdicts.");
  EXPECT_EQ(AlarmOf(history.nights[2], changes), Alarm::kRed);
}

TEST(NightsTest, TheSameAgainIsGreen) {
  History history = ThreeNights();
  history.nights = {history.nights[1], history.nights[1]};
  history.nights[0].engines["xla"].marks[6] = history.nights[1].engines["xla"].marks[6] = 'p';
  NightlyRunDiff changes = NewestChanges(history);
  EXPECT_EQ(AlarmOf(history.nights[1], changes), Alarm::kGreen);
  EXPECT_THAT(NightlySummaryLine(history, changes),
              HasSubstr("0 new, 0 fixed, 0 changed, 0 flaky"));
}

TEST(NightsTest, AnEngineThatIsNotThereAnyMoreIsDead) {
  History history = ThreeNights();
  history.nights.resize(2);
  history.nights[1].engines.erase("lossy");
  EXPECT_THAT(NewestChanges(history).dead, ElementsAre("lossy"));
  EXPECT_THAT(NightlySummaryLine(history, NewestChanges(history)),
              HasSubstr("; lossy is not an engine of this run"));
  history.nights[1].engines["lossy"].marks = "llllllllllll";
  EXPECT_THAT(NewestChanges(history).dead, ElementsAre("lossy"));
  history.nights[1].engines.erase("lossy");
  history.nights[1].engines["lossy?a=b"].marks = "pppppppppppp";
  EXPECT_THAT(NewestChanges(history).dead, IsEmpty()) << "its options changed";
  history.nights[0].engines["lossy?a=b"].marks = "pppppppppppp";
  EXPECT_THAT(NewestChanges(history).dead, ElementsAre("lossy")) << "both were there";
  history.nights[0].engines["lossy"].marks = "llllllllllll";
  EXPECT_THAT(NewestChanges(history).dead, ElementsAre("lossy"))
      << "it was dead and is now dropped";
}

TEST(NightsTest, ANewCaseThatFailsAsExpectedIsNoNews) {
  History history = Cases(2);
  history.nights = {NightOf("1", {{"xla", ".."}}), NightOf("2", {{"xla", "fF"}})};
  NightlyRunDiff changes = NewestChanges(history);
  EXPECT_THAT(Named(changes.first_run), ElementsAre("xla a/b:1: not run -> fail"));
  EXPECT_THAT(changes.regressed, IsEmpty()) << "what did not run before is not worse than before";
  history.nights[1].notes = {"xla is another engine", "b", "c", "d"};
  EXPECT_THAT(
      ToMarkdown(history, changes),
      AllOf(HasSubstr("**\n- xla is another engine\n- b\n- c\n- first run, not as expected: "
                      "`a/b:1` on `xla` (fail)\n"),
            HasSubstr("\nred: 1 engine, "), HasSubstr("; notes on the page: 4\n")));
  EXPECT_EQ(AlarmOf(history.nights[1], changes), Alarm::kRed);
}

TEST(NightsTest, WhatWasBeforeIsTheLatestVerdictInTheStore) {
  History history = Cases(5);
  history.nights = {NightOf("1", {{"xla", "FpFp."}}), NightOf("2", {{"xla", "l.lpp"}}),
                    NightOf("3", {{"xla", "FFppF"}})};
  NightlyRunDiff changes = NewestChanges(history);
  EXPECT_THAT(Named(changes.regressed),
              ElementsAre("xla a/b:1: pass -> fail", "xla a/b:4: pass -> fail"));
  EXPECT_THAT(changes.first_run, IsEmpty());
  EXPECT_THAT(Named(changes.open), ElementsAre("xla a/b:0: fail -> fail"));
  EXPECT_EQ(changes.open_since, "1");
  EXPECT_THAT(Named(changes.fixed), ElementsAre("xla a/b:2: fail -> pass"));
  EXPECT_THAT(changes.not_run, IsEmpty());
  EXPECT_THAT(ToMarkdown(history, changes),
              HasSubstr("`a/b:1` on `xla` (pass in 1 → fail), `a/b:4` on `xla` (pass → fail)"));
  history.nights.erase(history.nights.begin());
  EXPECT_THAT(NewestChanges(history).first_run, SizeIs(2)) << "without the verdicts of run 1";
  history.earlier["xla"].marks = "FpFp.";
  EXPECT_EQ(Named(NewestChanges(history).regressed), Named(changes.regressed));
  EXPECT_EQ(Named(NewestChanges(history).open), Named(changes.open));
  history.nights[1].engines["xla"].marks = ".....";
  EXPECT_THAT(NewestChanges(history).dead, ElementsAre("xla"));
}

TEST(NightsTest, WhatIsLostTwiceHasItsLatestVerdict) {
  History history = Cases(2);
  history.nights = {NightOf("1", {{"xla", "pp"}}), NightOf("2", {{"xla", "pl"}}),
                    NightOf("3", {{"xla", "pl"}})};
  history.nights[1].problems = {"1 case missing"};
  const NightlyRunDiff changes = NewestChanges(history);
  EXPECT_THAT(ToMarkdown(history, changes),
              AllOf(HasSubstr("1 not run since 2 (incomplete)"),
                    HasSubstr("`a/b:1` on `xla` (pass in 1 → not run)")));
  const auto json = ParseJson<nlohmann::json>(ToSummaryJson(history, changes));
  EXPECT_EQ(json["not_run"][0]["before_night"], "1");
  history.nights[2] = NightOf("3", {{"xla", "p."}});
  history.nights[2].suite = "another";
  EXPECT_THAT(NewestChanges(history).gone, ElementsAre("a/b:1"));
}

TEST(NightsTest, ANightWithoutVerdictsOfAnEngineHidesNoRegression) {
  History history = Cases(10);
  history.nights = {NightOf("1", {{"xla", "pppppppppp"}}), NightOf("2", {{"xla", "CCCCCCCCCC"}}),
                    NightOf("3", {{"xla", "pppppppppF"}})};
  NightlyRunDiff changes = NewestChanges(history);
  EXPECT_THAT(Named(changes.regressed), ElementsAre("xla a/b:9: pass -> fail"));
  EXPECT_THAT(changes.fixed, IsEmpty());
}

TEST(NightsTest, LostSupportIsRedOnce) {
  History history = Cases(3);
  history.nights = {NightOf("1", {{"xla", "pFp"}}), NightOf("2", {{"xla", "uup"}}),
                    NightOf("3", {{"xla", "uup"}})};
  NightlyRunDiff changes = CompareNightlyRuns(history, &history.nights[0], history.nights[1]);
  EXPECT_THAT(Named(changes.regressed), ElementsAre("xla a/b:0: pass -> unsupported"));
  EXPECT_THAT(Named(changes.changed), ElementsAre("xla a/b:1: fail -> unsupported"));
  EXPECT_EQ(AlarmOf(history.nights[1], changes), Alarm::kRed);
  changes = NewestChanges(history);
  EXPECT_EQ(AlarmOf(history.nights[2], changes), Alarm::kGreen);
  EXPECT_THAT(Named(changes.support_lost), ElementsAre("xla a/b:0: unsupported -> unsupported"));
  EXPECT_THAT(NightlySummaryLine(history, changes),
              HasSubstr("not run since 2; 1 with support lost since 2."));
  EXPECT_THAT(ToMarkdown(history, changes),
              HasSubstr("- support lost: `a/b:0` on `xla` (unsupported, since 2)\n"));
  History cut = history;
  cut.nights.erase(cut.nights.begin());
  EXPECT_THAT(NewestChanges(cut).support_lost, IsEmpty()) << "whether it was supported is unknown";
  cut.earlier["xla"].marks = "ppp";
  EXPECT_EQ(NewestChanges(cut).support_lost_since, "2");
  history.nights[0].engines["xla"].marks = "upp";
  EXPECT_THAT(NewestChanges(history).support_lost,
              ElementsAre(::testing::Field(&Change::address, "a/b:1")))
      << "what was never supported is not lost";
}

TEST(NightsTest, CasesThatTheSuiteNoLongerHasAreGoneAndNotLost) {
  History history = Cases(3);
  history.nights = {NightOf("1", {{"cpu", "ppp"}, {"xla", "ppp"}}),
                    NightOf("2", {{"cpu", "pp."}, {"xla", "p.."}})};
  history.nights[1].suite = "another";
  NightlyRunDiff changes = NewestChanges(history);
  EXPECT_THAT(changes.gone, ElementsAre("a/b:2"));
  EXPECT_THAT(Named(changes.not_run), ElementsAre("xla a/b:1: pass -> not run"));
  history.nights[1].suite = "suite";
  EXPECT_THAT(NewestChanges(history).not_run, SizeIs(3)) << "of the same suite they were lost";
}

TEST(NightsTest, NewBucketsAreReportedOnce) {
  History history = Cases(1);
  for (const char* label : {"1", "2", "3"})
    history.nights.push_back(NightOf(label, {{"xla", "p"}}));
  history.nights[0].buckets["xla"]["fail dot"] = "generated:1:7";
  history.nights[1].buckets["xla"]["fail add"] = "generated:2:9";
  history.nights[2].buckets["xla"] = {{"fail dot", "x"},
                                      {"fail add", "x"},
                                      {"crash sort", "x"},
                                      {"fail add of nan", "generated:2:9"}};
  NightlyRunDiff changes = NewestChanges(history);
  EXPECT_THAT(changes.new_buckets, ElementsAre(std::pair("xla", "crash sort")));
  EXPECT_THAT(NightlySummaryLine(history, changes), HasSubstr("1 new"));
}

TEST(NightsTest, TheNewestReleaseCountsItsFindings) {
  History history = Cases(1);
  history.nights = {NightOf("1", {{"xla", "p"}, {"xla@0.11.2", "p"}})};
  history.nights[0].findings = {{"a", {{"xla@0.9", 'f'}, {"xla@0.11.2", 'f'}}},
                                {"b", {{"xla@0.9", 'f'}, {"xla@0.11.2", 'p'}}},
                                {"c", {{"xla@0.11.2", 'c'}}}};
  history.releases = InReleaseOrder({"xla@0.11.2", "cpu", "xla@0.9"});
  EXPECT_THAT(history.releases, ElementsAre("cpu", "xla@0.9", "xla@0.11.2"));
  EXPECT_THAT(InReleaseOrder({"xla@2026.06", "jaxlib@0.9", "xla", "xla@0.11.2?a=b", "cpu"},
                             {{"xla", {"xla", "2026-03"}},
                              {"xla@2026.06", {"xla", "2026-06-23"}},
                              {"xla@0.11.2", {"xla", "2026-09-17"}},
                              {"jaxlib@0.9", {"xla", "2026-01-20"}}}),
              ElementsAre("cpu", "jaxlib@0.9", "xla", "xla@2026.06", "xla@0.11.2?a=b"))
      << "a version says nothing about the day where two hands number one code";
  EXPECT_EQ(NightlySummaryLine(history, NewestChanges(history)),
            "run of 1: 0 not as expected, 0 flaky, 0 not run; no earlier run to compare "
            "with; 2 of 3 findings replayed still fail on xla@0.11.2.");
  history.nights[0].findings["d"] = {{"xla@0.9", 'f'}, {"xla@0.11.2", 'i'}};
  history.nights[0].findings["e"] = {{"xla@0.9", 'f'}};
  EXPECT_THAT(NightlySummaryLine(history, NewestChanges(history)),
              HasSubstr(" still fail on xla@0.11.2 (5 are in the store), 1 inconclusive."));
  history.nights[0].engines.erase("xla@0.11.2");
  EXPECT_EQ(NewestReleaseFindings(history).looked_at, 0)
      << "a release that did not run in this nightly run";
}

TEST(NightsTest, OpenFailuresAreListedButAlarmOnce) {
  History history = Cases(4);
  history.nights = {NightOf("1", {{"xla", "ppfp"}}), NightOf("2", {{"xla", "pFfp"}}),
                    NightOf("3", {{"xla", "FFfp"}}), NightOf("4", {{"xla", "FFfp"}})};
  NightlyRunDiff changes = NewestChanges(history);
  EXPECT_THAT(Named(changes.open),
              ElementsAre("xla a/b:0: fail -> fail", "xla a/b:1: fail -> fail"));
  EXPECT_THAT(NightlySummaryLine(history, changes), HasSubstr("since 3; 2 still open since 2."));
  EXPECT_EQ(AlarmOf(history.nights[3], changes), Alarm::kGreen);
  history.nights.pop_back();
  EXPECT_THAT(Named(NewestChanges(history).open), ElementsAre("xla a/b:1: fail -> fail"));
}

TEST(NightsTest, AFailureThatWasExpectedIsNewAndOpenFromThenOn) {
  History history = Cases(5);
  // Runs 2 and 3: pass -> fail, fail -> crash, an expectation that ends, one that begins, and
  // a failure in place of an inconclusive verdict.
  history.nights = {NightOf("1", {{"xla", "pffFp"}}), NightOf("2", {{"xla", "FCFfI"}}),
                    NightOf("3", {{"xla", "FCFfF"}})};
  NightlyRunDiff changes = CompareNightlyRuns(history, &history.nights[0], history.nights[1]);
  EXPECT_THAT(Named(changes.regressed),
              ElementsAre("xla a/b:0: pass -> fail", "xla a/b:1: fail -> crash",
                          "xla a/b:2: fail -> fail", "xla a/b:4: pass -> inconclusive"));
  EXPECT_THAT(changes.open, IsEmpty());
  EXPECT_EQ(changes.open_since, "");
  changes = NewestChanges(history);
  EXPECT_THAT(changes.open, SizeIs(4));
  EXPECT_THAT(changes.open, ::testing::Each(::testing::Field(&Change::since, "2")));
  EXPECT_EQ(changes.open_since, "2");
  EXPECT_THAT(Named(changes.changed), ElementsAre("xla a/b:4: inconclusive -> fail"));
  history.nights.push_back(NightOf("4", {{"xla", "pl.FF"}}));
  history.nights.push_back(NightOf("5", {{"xla", "FCFFF"}}));
  changes = NewestChanges(history);
  EXPECT_THAT(Named(changes.regressed), ElementsAre("xla a/b:0: pass -> fail"));
  auto json = ParseJson<nlohmann::json>(ToSummaryJson(history, changes));
  ASSERT_EQ(json["open"].size(), 4u);
  EXPECT_EQ(json["open"][0]["since"], "2") << "nights without the case interrupt no sequence";
  EXPECT_EQ(json["open"][2]["since"], "4");
  EXPECT_EQ(json["open_since"], "2");
  EXPECT_FALSE(json["regressed"][0].contains("since"));
}

TEST(NightsTest, TheTextNamesTheFirstBadReleaseAndTheFirstGoodOneAfter) {
  History history = Cases(1);
  history.nights = {NightOf("1", {{"xla@1", "p"}})};
  history.nights[0].findings = {
      {"fixed", {{"xla@1", 'p'}, {"xla@2", 'f'}, {"xla@3", 'c'}, {"xla@10", 'p'}}},
      {"open", {{"xla@1", 'f'}, {"xla@2", 'p'}, {"xla@3", 'f'}}},
      {"undecided", {{"xla@1", 'i'}, {"xla@2", 's'}, {"xla@3", 'e'}}}};
  history.releases = InReleaseOrder({"xla@10", "xla@3", "xla@2", "xla@1"});
  const std::string text = NightlyRunText(history, NewestChanges(history));
  EXPECT_THAT(text, HasSubstr("fixed:  xla@1 pass  xla@2 fail  xla@3 crash  xla@10 pass\n"
                              "    of these, first bad xla@2, good again in xla@10\n"));
  EXPECT_THAT(text, HasSubstr("xla@3 fail\n    of these, first bad xla@1\n"));
  EXPECT_THAT(text, HasSubstr("undecided:  xla@1 inconclusive  xla@2 suspect  xla@3 error\n\n"));
}

TEST(NightsTest, NothingIsARegressionInTheFirstRun) {
  History history = Cases(2);
  history.nights = {NightOf("1", {{"xla", "pF"}})};
  const std::string markdown = ToMarkdown(history, NewestChanges(history));
  EXPECT_THAT(markdown, HasSubstr("- not as expected: `a/b:1` on `xla` (fail)\n"));
  EXPECT_THAT(markdown, ::testing::Not(HasSubstr("regressed")));
  history.nights = {NightOf("1", {{"mine?a=1", "pF"}})};
  EXPECT_THAT(ToMarkdown(history, NewestChanges(history)),
              AllOf(HasSubstr(" on `mine` (fail)\n"), HasSubstr(": `mine?a=1`\n")));
  history.nights = {NightOf("1", {{"mine?a=1", "pF"}, {"mine?a=2", "pp"}})};
  EXPECT_THAT(ToMarkdown(history, NewestChanges(history)), HasSubstr(" on `mine?a=1` (fail)"));
}

TEST(NightsTest, ANameIsNoMarkup) {
  History history = Cases(1);
  history.nights = {NightOf("<b>&\n# [x](y)", {{"xla", "F"}})};
  history.nights[0].notes = {"<i>"};
  EXPECT_THAT(ToMarkdown(history, NewestChanges(history)),
              AllOf(HasSubstr("&lt;b>& # \\[x](y)"), HasSubstr("- &lt;i>\n"),
                    ::testing::Not(HasSubstr("<b>"))));
}

// Every report counts the same cases as the exit status of a run.
TEST(NightsTest, TheFirstRunCountsWhatTheScorecardCounts) {
  for (int kind = 0; kind <= static_cast<int>(kLastOutcome); ++kind) {
    for (const bool expected : {true, false}) {
      for (const char* flake : {"", "crash, pass"}) {
        Verdict verdict;
        verdict.kind = static_cast<Outcome>(kind);
        verdict.expected = expected;
        verdict.flake = flake;
        EXPECT_EQ(IsUnexpected(MarkOf(verdict)), !expected) << kind << flake;
      }
    }
  }
  History history = Cases(4);
  history.nights = {NightOf("1", {{"xla", "pPXf"}})};
  const NightlyRunDiff changes = NewestChanges(history);
  EXPECT_EQ(CountUnexpected(history.nights[0]), 2);
  EXPECT_THAT(
      ToMarkdown(history, changes),
      AllOf(HasSubstr("run of 1: 2 not as expected (1 unexpected pass), 1 flaky, 0 not run"),
            HasSubstr("- not as expected: `a/b:1` on `xla` (unexpected pass)\n")));
  EXPECT_EQ(AlarmOf(history.nights[0], changes), Alarm::kRed);
  history.nights.push_back(NightOf("2", {{"xla", "PPpf"}}));
  EXPECT_THAT(NightlySummaryLine(history, NewestChanges(history)),
              AllOf(HasSubstr("1 new (1 unexpected pass), 0"), HasSubstr("1 still open (1 unexp")));
}

TEST(NightsTest, APrunedRunHasCountsAndNoComparison) {
  History history = Cases(3);
  history.nights = {NightOf("1", {{"xla", ""}})};
  history.nights[0].engines["xla"].tally = {{'p', 40}, {'F', 2}, {'l', 1}};
  const std::string sentence =
      "run of 1 (pruned, so only counts are kept): 2 of 42 verdicts not as expected.";
  NightlyRunDiff changes = NewestChanges(history);
  EXPECT_EQ(NightlySummaryLine(history, changes), sentence);
  EXPECT_EQ(AlarmOf(history.nights[0], changes), Alarm::kYellow);
  EXPECT_THAT(ToMarkdown(history, changes),
              AllOf(HasSubstr(sentence), HasSubstr("    2 fail 1 not run 40 pass\n")));
  EXPECT_THAT(ToBadge(history, changes), HasSubstr("hlocts: pruned"));
  history.nights.push_back(NightOf("2", {{"xla", "pFp"}}));
  changes = NewestChanges(history);
  EXPECT_EQ(
      NightlySummaryLine(history, changes),
      "run of 2: 1 not as expected, 0 flaky, 0 not run; only the counts of earlier runs are kept.");
}

TEST(NightsTest, WhatWasNotRepeatedIsSaid) {
  History history = Cases(2);
  history.nights = {NightOf("1", {{"xla", "pp"}}), NightOf("2", {{"xla", "pF"}})};
  history.nights[1].not_repeated = 1;
  const NightlyRunDiff changes = NewestChanges(history);
  EXPECT_EQ(NightlySummaryLine(history, changes),
            "1 new, 0 fixed, 0 changed, 0 flaky (1 not repeated), 0 not run since 1.");
  EXPECT_THAT(ToBadge(history, changes), HasSubstr("hlocts: 1 new, not repeated"));
}

TEST(NightsTest, AnUnexpectedPassAlarmsOnce) {
  History history = Cases(3);
  history.nights = {NightOf("1", {{"xla", "fpp"}}), NightOf("2", {{"xla", "PPp"}}),
                    NightOf("3", {{"xla", "PPp"}})};
  NightlyRunDiff changes = NewestChanges(history);
  EXPECT_THAT(Named(changes.open),
              ElementsAre("xla a/b:0: pass -> pass", "xla a/b:1: pass -> pass"));
  EXPECT_EQ(changes.open_since, "2");
  EXPECT_EQ(AlarmOf(history.nights[2], changes), Alarm::kGreen);
  history.nights.pop_back();
  changes = NewestChanges(history);
  EXPECT_THAT(Named(changes.regressed),
              ElementsAre("xla a/b:0: fail -> pass", "xla a/b:1: pass -> pass"));
  EXPECT_THAT(changes.open, IsEmpty());
  EXPECT_EQ(AlarmOf(history.nights[1], changes), Alarm::kRed);
}

TEST(NightsTest, WhatANewListExplainsIsCounted) {
  History history = Cases(4);
  history.nights = {NightOf("1", {{"xla", "PFfp"}}), NightOf("2", {{"xla", "pfFP"}})};
  const NightlyRunDiff changes = NewestChanges(history);
  EXPECT_THAT(Named(changes.now_expected),
              ElementsAre("xla a/b:0: pass -> pass", "xla a/b:1: fail -> fail"));
  EXPECT_EQ(NightlySummaryLine(history, changes),
            "2 new (1 unexpected pass), 0 fixed, 0 changed, 0 flaky, 0 not run since 1; 2 no "
            "longer unexpected (list changed).");
  const std::string markdown = ToMarkdown(history, changes);
  EXPECT_THAT(markdown, HasSubstr("`a/b:2` on `xla` (known fail → fail), `a/b:3` on `xla` (pass → "
                                  "unexpected pass)\n"));
  EXPECT_THAT(markdown, HasSubstr("- now expected: `a/b:0` on `xla` (unexpected pass → pass), "
                                  "`a/b:1` on `xla` (fail → known fail)\n"));
  EXPECT_EQ(ParseJson<nlohmann::json>(ToSummaryJson(history, changes))["now_expected"].size(), 2);
}

TEST(NightsTest, AProbableCaseIsMarkedAsInconclusive) {
  Verdict verdict;
  verdict.kind = Outcome::kProbable;
  EXPECT_EQ(MarkOf(verdict), 'I');
  verdict.expected = true;
  EXPECT_EQ(MarkOf(verdict), 'i');
}

TEST(NightsTest, OtherBitsOfANanAreNeitherAPassNorAFailure) {
  Verdict verdict;
  verdict.kind = Outcome::kNanBits;
  verdict.expected = true;
  EXPECT_EQ(MarkOf(verdict), kNanBitsMark);
  History history = Cases(2);
  history.nights = {NightOf("1", {{"xla", "pn"}}), NightOf("2", {{"xla", "nn"}})};
  NightlyRunDiff changes = NewestChanges(history);
  EXPECT_THAT(changes.regressed, IsEmpty());
  EXPECT_THAT(Named(changes.changed), ElementsAre("xla a/b:0: pass -> nan_bits"));
}

MeasuredUlps Measured(const std::string& night, const std::string& engine,
                      const std::string& function, double ulps) {
  return {night, engine, {function, "f32", ulps, "0.5", "0.46", "ulp(7)", 4096}};
}

TEST(NightsTest, PrecisionLossIsReportedWithoutAlarm) {
  History history = Cases(2);
  history.nights = {NightOf("1", {{"xla", "pp"}, {"new", "pp"}}),
                    NightOf("2", {{"xla", "pp"}, {"new", "pp"}})};
  history.releases = {"new", "xla"};
  history.ulps = {Measured("1", "xla", "tanh", 0.6), Measured("1", "xla", "log", 0.6),
                  Measured("1", "xla", "sine", 2),   Measured("2", "xla", "tanh", 3.25),
                  Measured("2", "xla", "log", 0.62), Measured("2", "xla", "sine", 0.5),
                  Measured("2", "new", "tanh", 6)};
  NightlyRunDiff changes = NewestChanges(history);
  ASSERT_THAT(changes.less_precise, SizeIs(1));
  EXPECT_EQ(changes.less_precise[0].function, "tanh");
  EXPECT_EQ(AlarmOf(history.nights[1], changes), Alarm::kGreen) << "it is accepted";
  EXPECT_THAT(
      ToMarkdown(history, changes),
      HasSubstr("less precise, yet accepted: `tanh` of f32 on `xla` (3.25 ulps, was 0.60)\n"));
  EXPECT_THAT(NightlyRunText(history, changes),
              HasSubstr("  tanh f32, ulp(7): new 6.00; xla 3.25\n"));
  history.nights.insert(history.nights.begin() + 1,
                        NightOf("1.cut", {{"xla", "pl"}, {"new", "pl"}}));
  for (const char* function : {"tanh", "sine"})
    history.ulps.push_back(Measured("1.cut", "xla", function, 0));
  changes = NewestChanges(history);
  ASSERT_THAT(changes.less_precise, SizeIs(1)) << "the run before did not measure all arguments";
  EXPECT_THAT(ToMarkdown(history, changes), HasSubstr("(3.25 ulps, was 0.60 in 1)\n"));
  history.nights[2].suite = "another suite";
  EXPECT_THAT(NewestChanges(history).less_precise, IsEmpty()) << "other arguments";
}

TEST(NightsTest, SummariesSayTheSame) {
  History history = ThreeNights();
  history.nights.pop_back();
  NightlyRunDiff changes = NewestChanges(history);
  const std::string markdown = ToMarkdown(history, changes);
  EXPECT_LE(std::count(markdown.begin(), markdown.end(), '\n'), 10);
  EXPECT_THAT(markdown, HasSubstr("- regressed: `a/b:1` on `xla` (pass → fail)\n"));
  auto json = ParseJson<nlohmann::json>(ToSummaryJson(history, changes));
  EXPECT_EQ(json["alarm"], "red");
  EXPECT_EQ(json["regressed"][0]["case"], "a/b:1");
  EXPECT_EQ(json["engines"]["xla"]["pass"], 8);
  EXPECT_THAT(ToBadge(history, changes), HasSubstr("hlocts: 1 new"));
  changes.not_run = {changes.regressed[0]};
  changes.not_run[0].before = changes.not_run[0].now = kMissingMark;
  EXPECT_THAT(ToMarkdown(history, changes), HasSubstr("- not run: `a/b:1` on `xla` (not run)\n"));
  EXPECT_THAT(ToBadge(history, changes), HasSubstr("hlocts: 1 new"));
  changes.regressed.clear();
  EXPECT_THAT(ToBadge(history, changes), HasSubstr("hlocts: 1 not run"));
  EXPECT_EQ(ToMarkdown(Cases(0), {}), "The store is empty: no run has been imported.\n");
}

}  // namespace
}  // namespace hlocts::reports
