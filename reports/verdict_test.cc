// SPDX-License-Identifier: Apache-2.0
#include "reports/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "absl/strings/match.h"
#include "nlohmann/json.hpp"
#include "reports/causes.h"
#include "reports/effective_bits.h"
#include "reports/scorecard.h"
#include "spec/base/json_text.h"

namespace hlocts::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Verdict Failing() {
  Verdict verdict;
  verdict.kind = Outcome::kFail;
  verdict.backend = "cpu";
  verdict.case_address = "movement/pad:edge:type=f32";
  verdict.first_failure =
      VerdictFailure{0, {2, 3}, "4", "0x40800000", "{3}", "exact", "pad.4", "r"};
  return verdict;
}

TEST(VerdictTest, JsonHasTheFieldsOfTheContract) {
  nlohmann::json json = ParseJson<nlohmann::json>(VerdictToJson(Failing()));
  for (const char* field :
       {"verdict", "module", "case", "backend", "backend_version", "profile", "seed", "replica",
        "reason", "elements", "bits_checked_mean", "unspecified_elements", "first_failure"}) {
    EXPECT_TRUE(json.contains(field)) << field;
  }
  for (const char* field :
       {"output", "index", "actual", "actual_bits", "accepted", "rule", "clause", "instruction"}) {
    EXPECT_TRUE(json["first_failure"].contains(field)) << field;
  }
  EXPECT_EQ(json["verdict"], "fail");
  EXPECT_TRUE(json["seed"].is_null());
}

TEST(VerdictTest, OnlyTheRecordSaysHowMuchTheSetsLeftToCheck) {
  Verdict verdict = Failing();
  verdict.effective_bits_median = 23.5;
  EXPECT_FALSE(ParseJson<nlohmann::json>(VerdictToJson(verdict)).contains("effective_bits"));
  nlohmann::json record = ParseJson<nlohmann::json>(VerdictToRecord(verdict));
  EXPECT_EQ(record["effective_bits"]["median"], 23.5);
  EXPECT_EQ(record["verdict"], "fail");
}

TEST(VerdictTest, TheWorstUlpsOfAFunctionComeBackFromTheRecord) {
  Verdict verdict = Failing();
  AddWorst({"tanh", "f32", 0.5, "1", "0.76", "ulp(7)", 10}, verdict.worst_ulps);
  AddWorst({"tanh", "f32", 3.25, "2", "0.96", "ulp(7)", 4}, verdict.worst_ulps);
  AddWorst({"tanh", "f32", 1, "3", "0.99", "ulp(7)", 1}, verdict.worst_ulps);
  AddWorst({"tanh", "f64", 0.5, "1", "0.76", "ulp(8)", 10}, verdict.worst_ulps);
  EXPECT_FALSE(absl::StrContains(VerdictToJson(verdict), "ulps"));
  const Verdict read = *VerdictFromJson(VerdictToRecord(verdict));
  ASSERT_EQ(read.worst_ulps.size(), 2u);
  EXPECT_EQ(read.worst_ulps[0].ulps, 3.25);
  EXPECT_EQ(read.worst_ulps[0].argument, "2");
  EXPECT_EQ(read.worst_ulps[0].elements, 15);
  EXPECT_EQ(read.worst_ulps[1].rule, "ulp(8)");
}

TEST(VerdictTest, AProbableVerdictHasTheNumbersOfItsPieces) {
  Verdict verdict;
  verdict.kind = Outcome::kProbable;
  verdict.statistical.emplace();
  EXPECT_FALSE(absl::StrContains(VerdictToJson(verdict), "proven"));
  verdict.statistical->bits = 5.5, verdict.statistical->proven = 42,
  verdict.statistical->pieces = 44, verdict.statistical->by_terms = 2;
  const Verdict read = *VerdictFromJson(VerdictToJson(verdict));
  EXPECT_EQ(read.kind, Outcome::kProbable);
  EXPECT_EQ(read.statistical->bits, 5.5);
  EXPECT_EQ(read.statistical->proven, 42);
  EXPECT_EQ(read.statistical->by_terms, 2);
  EXPECT_EQ(read.statistical->pieces, 44);
}

TEST(VerdictTest, TheReasonOfASuspectNamesItsMostImprobableElement) {
  Verdict verdict;
  verdict.kind = Outcome::kSuspect;
  verdict.statistical = {.test = "element",
                         .elements = 4,
                         .most = 9,
                         .limit = 6,
                         .index = {2},
                         .found = 1.5,
                         .expected = 1,
                         .deviation = 0.0625};
  const std::string reason =
      "output 0 [2] is 1.5, but 1 in a run in f64; the difference is 9 standard deviations of "
      "0.062, and a correct engine exceeds the limit of 6 with a probability of at most 1e-7";
  EXPECT_EQ(ReasonText(verdict), reason);
  EXPECT_EQ(VerdictToText(verdict), "suspect\n    " + reason);
  EXPECT_EQ(ReasonText(*VerdictFromJson(VerdictToJson(verdict))), reason);
  verdict.reason = "improbable in isolation";
  verdict.statistical->in_piece = true;
  EXPECT_THAT(ReasonText(*VerdictFromJson(VerdictToJson(verdict))),
              HasSubstr("improbable in isolation; output 0 [2] of the piece is 1.5"));
}

TEST(EffectiveBitsTest, ByPrecisionAndExactDataApart) {
  // Histograms in units of a quarter bit. `random`, which is added twice, has 45 elements at 20
  // bits and 5 at 1.5 bits; `exact` has 7 at 24 bits.
  Verdict random, exact;
  random.effective_quarters[24].resize(257);
  random.effective_quarters[24][80] = 45;
  random.effective_quarters[24][6] = 5;
  exact.effective_quarters[24].resize(257);
  exact.effective_quarters[24][96] = 7;
  exact.exact_data = true;
  EffectiveBitsTable table;
  EXPECT_EQ(table.ToText(), "");
  table.Add(random);
  table.Add(random);
  table.Add(exact);
  EXPECT_THAT(table.ToText(), HasSubstr("of 24: median 20.00, 5th percentile  1.50, 10.0% below 2 "
                                        "bits (100 elements)"));
  EXPECT_THAT(table.ToText(), HasSubstr("exact by construction:\n    of 24: median 24.00, 5th "
                                        "percentile 24.00, 0.0% below 2 bits (7 elements)"));
}

TEST(VerdictTest, BytesThatAreNoUtf8DoNotEndTheRun) {
  Verdict verdict = Failing();
  verdict.reason = "\xff\xfe bad";
  EXPECT_THAT(VerdictToJson(verdict), HasSubstr("bad"));
}

TEST(VerdictTest, ExitStatusFollowsTheContract) {
  const std::pair<Outcome, int> expected[] = {{Outcome::kPass, 0},     {Outcome::kUnsupported, 0},
                                              {Outcome::kFail, 1},     {Outcome::kCrash, 1},
                                              {Outcome::kTimeout, 1},  {Outcome::kRejected, 1},
                                              {Outcome::kAccepted, 1}, {Outcome::kInconclusive, 1},
                                              {Outcome::kProbable, 1}, {Outcome::kError, 3}};
  for (auto [kind, status] : expected) {
    Verdict verdict;
    verdict.kind = kind;
    EXPECT_EQ(ExitStatusOf(verdict), status) << OutcomeName(kind);
    verdict.expected = true;
    EXPECT_EQ(ExitStatusOf(verdict), 0);
  }
}

TEST(ScorecardTest, ASuspectAndNothingWorseHasAnExitStatusOfItsOwn) {
  Scorecard card;
  Verdict suspect;
  suspect.kind = Outcome::kSuspect;
  suspect.backend = "cpu";
  card.Add(suspect);
  EXPECT_EQ(card.ExitStatus(), 4);
  EXPECT_EQ(card.ExitStatus(/*suspect_fails=*/true), 1);
  card.Add(Failing());
  EXPECT_EQ(card.ExitStatus(), 1);
}

TEST(ScorecardTest, SurprisesAreListedAndDecideTheExitStatus) {
  Scorecard card;
  Verdict pass;
  pass.kind = Outcome::kPass;
  pass.backend = "cpu";
  pass.case_address = "movement/pad:a";
  pass.expected = true;
  card.Add(pass);
  EXPECT_EQ(card.ExitStatus(), 0);
  pass.expected = false;  // an unexpected pass
  card.Add(pass);
  EXPECT_EQ(card.ExitStatus(), 1);
  card.Add(Failing());
  EXPECT_THAT(card.ToText(), HasSubstr("movement/pad:edge:type=f32"));
  EXPECT_THAT(card.Summary(), HasSubstr("cpu: 2 of 3 pass (66.7%), 1 fail; 2 not as expected"));
  EXPECT_TRUE(absl::EndsWith(card.ToText(), card.Summary())) << "the summary stands last";
  EXPECT_THAT(card.ToJunit(), HasSubstr("failures=\"2\""));
  EXPECT_THAT(card.ToJunit("", {"shard 2 is <missing>"}),
              HasSubstr("message=\"shard 2 is &lt;missing&gt;\""));
}

TEST(ScorecardTest, OneCauseIsOneLineWhateverTheOperation) {
  Scorecard card;
  constexpr char kLost[] = "a number, where only NaN is accepted";
  const std::pair<const char*, const char*> failures[] = {
      {"max", kLost},
      {"min", kLost},
      {"add", "3 ulps above the largest accepted value"},
      {"clamp", kLost}};
  for (const auto& [operation, distance] : failures) {
    Verdict one = Failing();
    one.case_address = absl::StrCat("elementwise/", operation, ":special_values");
    one.first_failure->operation = operation;
    one.first_failure->distance = distance;
    one.first_failure->categorical = distance == absl::string_view(kLost);
    card.Add(one);
  }
  const std::string text = card.ToText();
  EXPECT_THAT(text,
              HasSubstr("     3  fail: a number, where only NaN is accepted  (clamp, max, min)  "
                        "first: elementwise/max:special_values\n"));
  EXPECT_LT(text.find("elementwise/clamp:"), text.find("elementwise/add:"))
      << "verdicts of one cause stand together";
}

TEST(ScorecardTest, ManySurprisesAreListedInTheRecord) {
  Scorecard card;
  for (int i = 0; i < 40; ++i) {
    Verdict one = Failing();
    one.case_address = absl::StrCat("elementwise/add:", i, ":");
    one.backend = "mine?threads=1";
    card.Add(one);
  }
  EXPECT_THAT(card.ToText(),
              AllOf(HasSubstr("\n  fail  mine  elem"), HasSubstr("\nmine?threads=1 ")));
  EXPECT_THAT(card.ToText(), AllOf(HasSubstr("\n  10 more (in"), Not(HasSubstr("add:35:"))));
  EXPECT_THAT(card.ToText(true), AllOf(HasSubstr("add:35:"), Not(HasSubstr(" more ("))));
}

TEST(ScorecardTest, SaysWhatWasPromised) {
  Scorecard card;
  card.Add(Failing());
  const std::string engine = Failing().backend;
  EXPECT_THAT(card.ToText(), testing::Not(HasSubstr("declares")));
  card.Promise(engine, {"excess.16bit", "dot.tf32"});
  EXPECT_THAT(card.ToText(), HasSubstr("  declares excess.16bit, dot.tf32\n"));
  card.Promise(engine, {});
  EXPECT_THAT(card.ToText(), HasSubstr("declares no facts"));
}

TEST(ScorecardTest, CountsModulesThatTheEnginePartitioned) {
  Scorecard card;
  Verdict verdict;
  verdict.kind = Outcome::kUnsupported;
  card.Add(verdict);
  EXPECT_THAT(card.Summary(), testing::Not(HasSubstr("of the 0 supported")));
  verdict.kind = Outcome::kPass;
  card.Add(verdict);
  EXPECT_THAT(card.ToText(), testing::Not(HasSubstr("partitioned")));
  for (const auto& [devices, kind] :
       {std::pair(2, Outcome::kPass), std::pair(2, Outcome::kFail), std::pair(4, Outcome::kPass),
        std::pair(8, Outcome::kUnsupported)}) {
    verdict.kind = kind;
    verdict.localisation.partitions = devices;
    card.Add(*VerdictFromJson(VerdictToJson(verdict)));
  }
  EXPECT_THAT(card.ToText(), HasSubstr("  passed when the engine partitioned them: 1 of 2 for 2 "
                                       "devices, 1 of 1 for 4 devices\n"));
}

TEST(ScorecardTest, JunitIsEscaped) {
  Scorecard card;
  Verdict verdict = Failing();
  verdict.first_failure.reset();
  verdict.reason = "<a & \"b\"\x01>";
  verdict.seconds = 0.25;
  verdict.case_seconds = 3;
  card.Add(verdict);
  EXPECT_THAT(card.ToJunit(), HasSubstr("&lt;a &amp; &quot;b&quot;&gt;"));
  EXPECT_THAT(card.ToJunit(), HasSubstr(" time=\"0.250000\">")) << "as in the record";
}

TEST(ScorecardTest, JunitTellsKnownFailuresAndEnginesThatDoNotStart) {
  Scorecard card;
  Verdict known = Failing();
  known.expected = true;
  known.expectation = "BUG (pad.4): rounds wrongly";
  card.Add(known);
  EngineError error;
  error.message = "no such file\nsecond line";
  card.AddUnavailable("mine", error);
  const std::string xml = card.ToJunit("2026-01-31T12:00:00Z");
  EXPECT_THAT(xml, HasSubstr("failures=\"0\" errors=\"0\" skipped=\"1\""));
  EXPECT_THAT(xml, HasSubstr("message=\"known fail: BUG (pad.4): rounds wrongly\""));
  EXPECT_THAT(xml, HasSubstr("timestamp=\"2026-01-31T12:00:00\""));
  EXPECT_THAT(xml, HasSubstr("<testsuite name=\"mine\" tests=\"1\" failures=\"0\" errors=\"1\""));
  EXPECT_THAT(xml, HasSubstr("no such file\nsecond line</error>")) << "the body keeps its lines";
  EXPECT_EQ(card.ExitStatus(), 3);
  EXPECT_THAT(card.Summary(), HasSubstr("mine: could not be started: no such file"));
}

TEST(ScorecardTest, UnsupportedIsGroupedByReason) {
  std::vector<Verdict> verdicts(4);
  for (Verdict& verdict : verdicts) verdict.kind = Outcome::kUnsupported;
  verdicts[0].reason = "needs 4 devices, but the plugin has 1";
  verdicts[1].reason = "needs 2 devices, but the plugin has 1";
  verdicts[0].error.devices = 4;
  verdicts[1].error.devices = 2;
  verdicts[2].reason = "%recv.3: opcode recv";
  verdicts[3].reason = "%recv.41: opcode recv";
  const std::string text = UnsupportedReasons(verdicts);
  EXPECT_THAT(text,
              HasSubstr("     2  needs 4 devices, but the plugin has 1\n           a client "
                        "option gives the engine as many, such as '?client.cpu_device_count=4'\n"));
  EXPECT_THAT(text, HasSubstr("cpu_device_count")) << "what helps";
  EXPECT_THAT(text, HasSubstr("     2  %recv.3: opcode recv\n"));
  EXPECT_EQ(UnsupportedReasons({}), "");
}

std::string Folded(const std::string& message, const std::string& log = "") {
  Verdict verdict;
  verdict.error.message = message;
  verdict.error.log = log;
  verdict.reason = verdict.error.Text();
  EXPECT_EQ(FoldedError(verdict.error), FoldedReason(verdict));
  return FoldedReason(verdict);
}

TEST(VerdictTextTest, StacksAreFolded) {
  EXPECT_EQ(
      Folded("worker killed by signal 6 (Aborted)",
             "WARNING: All log messages before absl::InitializeLog() is called are written to "
             "STDERR\nF0000 x.cc:1] Check failed: a == b\n"
             "*** Check failure stack trace: ***\n    @ 0x7f foo()\n    @ 0x7f bar()\n"),
      "worker killed by signal 6 (Aborted); it last wrote: F0000 x.cc:1] Check failed: a == b "
      "(2 more lines)");
  EXPECT_EQ(Folded("one line"), "one line");
  EXPECT_EQ(Folded("one\ntwo"), "one (1 more line)");
}

TEST(VerdictTextTest, ACrashIsNamedAfterWhatFailed) {
  // The cause is shown without the cut warning, without a library's output before the failed check,
  // and without the time and thread of the check, which differ in each run.
  EXPECT_EQ(Folded("worker killed by signal 6 (Aborted)",
                   " is called are written to STDERR\n"
                   "E0000 00:00:17.5 2330 a.cc:58] INTERNAL: something\n"
                   "F0000 00:00:18.5 2330 b.cc:7] Check failed: a == b"),
            "worker killed by signal 6 (Aborted); it last wrote: b.cc:7] Check failed: a == b "
            "(1 more line)");
  // Without a reason, the last line that is not a frame of a stack trace is shown.
  EXPECT_EQ(Folded("worker exited with status 1", "first\nsecond\n\n  @ 0x7f f()\n#1 0x7f g\n"),
            "worker exited with status 1; it last wrote: second (3 more lines)");
  EXPECT_EQ(Folded("worker exited with status 1", "LLVM ERROR: no target\nsecond"),
            "worker exited with status 1; it last wrote: LLVM ERROR: no target (1 more line)");
}

TEST(VerdictTextTest, ATextIsCutAtAWord) {
  EXPECT_EQ(CutAtWord("one two three", 13), "one two three");
  EXPECT_EQ(CutAtWord("one two three", 12), "one two ...");
  EXPECT_EQ(CutAtWord("one two three", 11), "one two ...");
  EXPECT_EQ(CutAtWord("one two three", 10), "one ...");
  EXPECT_EQ(CutAtWord("onetwothree", 10), "onetwo ...");
}

// The text cites the clauses that `diff` cites, not the clause of the case.
TEST(VerdictTextTest, AFailureOutsideOfTheRangeOfAFunctionCitesItsRuling) {
  Verdict verdict = Failing();
  verdict.first_failure->operation = "erf";
  verdict.first_failure->clause = "elementwise_unary.50";
  EXPECT_THAT(VerdictToText(verdict), HasSubstr("clause elementwise_unary.7, at r"));
  verdict.first_failure->range = "[-1, 1]";
  EXPECT_THAT(VerdictToText(*VerdictFromJson(VerdictToRecord(verdict))),
              HasSubstr("clause elementwise_unary.7, clause elementwise_unary.45, "
                        "ruling spec/rulings/0083-"));
}

// A record keeps its statements as data: no field is parsed from the reason.
TEST(VerdictTest, ARecordKeepsEachStatementApart) {
  Verdict verdict = Failing();
  verdict.first_failure->value = WrongValue::kInfinity;
  verdict.first_failure->facts = {"integer.division"};
  verdict.first_failure->tie = true;
  verdict.reason = "output 0 is wrong";
  verdict.localisation.kind = Localisation::Kind::kTogether;
  verdict.localisation.outcome = Outcome::kFail;
  verdict.localisation.instructions = {"a", "b"};
  verdict.localisation.where = "w, trip 2: ";
  verdict.notes = {"part 7 of the sweep"};
  verdict.wanted = "crash";
  const Verdict read = *VerdictFromJson(VerdictToRecord(verdict));
  EXPECT_EQ(
      ReasonText(read),
      "output 0 is wrong; wrong only when compiled together: w, trip 2: {a, b}; part 7 of the "
      "sweep; expected crash");
  EXPECT_EQ(ReasonText(read), ReasonText(verdict));
  EXPECT_EQ(read.reason, "output 0 is wrong");
  EXPECT_EQ(read.localisation.instructions, verdict.localisation.instructions);
  EXPECT_EQ(read.localisation.kind, Localisation::Kind::kTogether);
  EXPECT_EQ(read.first_failure->value, WrongValue::kInfinity);
  EXPECT_EQ(read.first_failure->facts, verdict.first_failure->facts);
  EXPECT_TRUE(read.first_failure->tie);
  EXPECT_EQ(VerdictToRecord(read), VerdictToRecord(verdict));
}

TEST(VerdictTest, AFactIsNamedWithTheTargetThatDeclaresIt) {
  Verdict verdict = Failing();
  verdict.backend = "xla@0.11.2";
  verdict.first_failure->facts = {"integer.division"};
  EXPECT_THAT(VerdictToText(verdict), HasSubstr("fact: integer.division: x/0 = -1 (all ones)"));
  EXPECT_THAT(VerdictToText(verdict), HasSubstr("(target xla_cpu)"));
  verdict.backend = "mine";
  EXPECT_THAT(VerdictToText(verdict), Not(HasSubstr("target")));
}

TEST(VerdictTest, CausesDifferByOperandsAndByWhetherTheInstructionIsWrongAlone) {
  Verdict verdict = Failing();
  verdict.first_failure->operation = "compare:LT";
  verdict.first_failure->rule = "exact";
  verdict.first_failure->categorical = false;
  verdict.first_failure->type = "f32";
  std::set<std::string> causes;
  const auto cause = [&](const std::vector<std::string>& operands) {
    verdict.first_failure->operands.clear();
    for (const std::string& value : operands)
      verdict.first_failure->operands.push_back({"x", value});
    causes.insert(CauseOf(verdict));
    return CauseOf(verdict);
  };
  verdict.localisation.kind = Localisation::Kind::kAlone;
  EXPECT_EQ(cause({"1", "2"}), "fail: compare, rule exact");
  EXPECT_EQ(cause({"1e-45", "2"}), "fail: compare, rule exact, operands with subnormal");
  EXPECT_EQ(cause({"-0", "inf"}), "fail: compare, rule exact, operands with infinity, -0");
  EXPECT_EQ(cause({"f32[2,2]{1,0} { {-nan, 1}, {0, 2} }"}),
            "fail: compare, rule exact, operands with NaN");
  EXPECT_EQ(cause({"nan", "inf", "-0"}), "fail: compare, rule exact, operands with NaN");
  verdict.first_failure->type = "f64";
  EXPECT_EQ(cause({"1e-45"}), "fail: compare, rule exact");
  verdict.case_address = "elementwise/lt_total_order:constant_in_another_layout";
  verdict.localisation.kind = Localisation::Kind::kTogether;
  EXPECT_THAT(cause({}), HasSubstr(", only when compiled together"));
  EXPECT_EQ(causes.size(), 5u);
  Verdict other = verdict;
  other.case_address = "elementwise/lt:b";
  const std::string text = CausesText(InOrderOfCauses({&verdict, &other}), /*cases=*/true);
  EXPECT_THAT(text, HasSubstr("elementwise/lt:b\n"));
  EXPECT_THAT(text, HasSubstr("elementwise/lt_total_order:constant_in_another_layout\n"));
  other.first_failure->permitted_by = {"compare.flush"};
  EXPECT_THAT(
      CausesText(InOrderOfCauses({&verdict, &other})),
      HasSubstr(
          "\n        1 whose first wrong element the fact compare.flush permits: if intended"));
  other.kind = Outcome::kPass, other.wanted = "fail";
  EXPECT_EQ(CauseOf(other), "listed as fail, but passes");
}

TEST(VerdictTest, ARecordKeepsTheCauseOfACrash) {
  Verdict verdict;
  verdict.kind = Outcome::kCrash;
  verdict.error.kind = ErrorKind::kSignal;
  verdict.error.message = "worker killed by signal 9 (Killed)";
  verdict.error.log = "half a line";
  verdict.error.signal = 9;
  verdict.reason = verdict.error.Text();
  const Verdict read = *VerdictFromJson(VerdictToRecord(verdict));
  EXPECT_EQ(read.error.kind, ErrorKind::kSignal);
  EXPECT_EQ(read.error.signal, 9);
  EXPECT_EQ(read.error.message, verdict.error.message);
  EXPECT_EQ(read.error.log, verdict.error.log);
  EXPECT_EQ(ReasonText(read), "worker killed by signal 9 (Killed); it last wrote: half a line");
}

TEST(VerdictTextTest, APassSaysHowMuchWasChecked) {
  Verdict verdict;
  verdict.kind = Outcome::kPass;
  verdict.backend = "xla";
  verdict.module = "attention.hlo";
  verdict.elements = 100;
  verdict.effective_quarters[8].resize(kEffectiveQuarters);
  verdict.effective_quarters[8][5] = 76;   // 1.25 bits
  verdict.effective_quarters[8][24] = 24;  // 6 bits
  EXPECT_EQ(VerdictToText(verdict),
            "pass  xla  attention.hlo  100 elements; 1.25 of 8 significant bits checked (median), "
            "fewer than 2 bits of 76% of the elements");
}

}  // namespace
}  // namespace hlocts::reports
