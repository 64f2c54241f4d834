// SPDX-License-Identifier: Apache-2.0
// Tests the texts that report-bug makes from a bundle: the report, the test for XLA's repository,
// and the script for JAX.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "nlohmann/json.hpp"
#include "reports/finding_file.h"
#include "spec/base/json_text.h"
#include "tools/cli_testing.h"

namespace hlocts::tools {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(ReportBugTest, AReportForTheTrackerHoldsATestOfXla) {
  const std::string finding = HLOCTS_SOURCE_DIR "/results/findings/xla-log-of-rsqrt";
  Ran ran = RunHlocts("report-bug " + finding);
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(
      ran.out,
      AllOf(HasSubstr("# log(rsqrt(-0)) is infinity instead of NaN"),
            HasSubstr("This is a question, because the documents allow another reading. -0 is"),
            HasSubstr("HloPjRtTestBase"), HasSubstr("Literal arg0(ShapeUtil::MakeShape("),
            HasSubstr("Execute(std::move(module), {&arg0})"), HasSubstr("GetAsDouble({"),
            HasSubstr("std::isnan(*value)")));
}

TEST(ReportBugTest, TheScriptForJaxIsHadAlone) {
  const std::string findings = HLOCTS_SOURCE_DIR "/results/findings/";
  const Ran ran = RunHlocts("report-bug --jax " + findings + "xla-log-of-rsqrt");
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out, AllOf(HasSubstr("pip install jax"), HasSubstr("ROOT"),
                             HasSubstr("ELEMENT = {\"output\": 0")));
  const Ran other = RunHlocts("report-bug --jax " + findings + "iree-dot-over-nothing");
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.out, HasSubstr("JAX does not run the engine iree"));
}

// Returns the directory of a copy of a finding.
std::string CopiedFinding(const std::string& name) {
  const std::string folder = ::testing::TempDir() + name;
  std::filesystem::remove_all(folder);
  std::filesystem::copy(HLOCTS_SOURCE_DIR "/results/findings/xla-log-of-rsqrt", folder);
  return folder;
}

// Copies a finding, as if it were of this engine. Returns the directory.
std::string BundleOf(const char* engine, const char* version) {
  const std::string folder = CopiedFinding("/hlocts_of_a_plugin");
  auto verdict = nlohmann::ordered_json::parse(*reports::RecordedVerdict(folder));
  verdict["backend"] = engine;
  verdict["backend_version"] = version;
  verdict["plugin_sha256"] = "5e4a";
  std::filesystem::remove(folder + "/finding.textproto");
  std::ofstream(folder + "/inputs.txt") << "f32[1]{0} {-0}\n";
  std::ofstream(folder + "/verdict.json") << JsonText(verdict) << "\n";
  return folder;
}

TEST(ReportBugTest, ACommandWithoutAnEngineNamesThePythonOfTheRecordedJax) {
  const std::string own = BundleOf("this-jax", "0.10.2 (cpu)");
  for (const char* command : {"replay ", "blame ", "shrink "}) {
    const std::string said = "hlocts: " + own + " was recorded with \"this-jax\"";
    EXPECT_THAT(RunHlocts(command + own, "env -u HLOCTS_PYTHON").out,
                AllOf(HasSubstr(said), HasSubstr("=jax for the JAX of the python3 on PATH\n")));
    EXPECT_THAT(RunHlocts(command + own, "HLOCTS_PYTHON=/p/python").out,
                AllOf(HasSubstr(said), HasSubstr("of the Python of the package hlocts\n")));
  }
}

// If the version of a user's jaxlib is not listed, the engine `jax` runs what pip has installed.
TEST(ReportBugTest, TheJaxOfThePythonIsAJaxlib) {
  for (const auto& [engine, version, name, seen, hint] :
       {std::tuple("this-jax", "0.10.2 (cpu)", "jaxlib@0.10.2", " (cpu).\n",
                   " .`hlocts engines in"),
        std::tuple("jax", "jaxlib 0.10.2, cpu", "jaxlib@0.10.2", " cpu.\n", " .`hlocts engines in"),
        std::tuple("this-jax", "0.9.1 (cpu)", "jax", " 0.9.1 (cpu).\n", "")}) {
    const std::string bundle = BundleOf(engine, version);
    EXPECT_THAT(RunHlocts("report-bug " + bundle, "HLOCTS_CACHE=/no").out,
                AllOf(HasSubstr(absl::StrCat("Found in the engine ", name, ". ")),
                      HasSubstr("(finding xla-log-of-rsqrt: "), HasSubstr("`pip install jax==0."),
                      ContainsRegex(absl::StrCat("_plugin --backend='?", name, "'?`", hint)),
                      HasSubstr(absl::StrCat("\nEngine: ", name, seen)),
                      Not(HasSubstr("the plugin file"))));
    EXPECT_THAT(RunHlocts("blame " + bundle, "HLOCTS_CACHE=/no").out,
                AnyOf(HasSubstr(absl::StrCat("expected --backend=", name)), HasSubstr("jax: ")));
  }
}

TEST(ReportBugTest, TheReportOfAPluginRunsThePlugin) {
  const std::string bundle = BundleOf("my_plugin", "1.0");
  EXPECT_THAT(
      RunHlocts("report-bug " + bundle).out,
      AllOf(ContainsRegex("## To reproduce\n\n`hlocts replay [^ ]*hlocts_of_a_plugin "
                          "--backend=my_plugin=pjrt:/path/to/plugin.so`.* gives the engine the"),
            HasSubstr("`python repro_jax.py PLUGIN.so` with this script"),
            HasSubstr("list of XLA has such a failure: "),
            HasSubstr("\nPlugin file: SHA-256 5e4a.\n"),
            HasSubstr("Engine: my_plugin (the plugin file PLUGIN.so) ")));
  const std::string script = bundle + "/repro_jax.py";
  std::ofstream(script) << RunHlocts("report-bug --jax " + bundle).out;
  for (const char* argument : {"", " no-such-plugin.so"}) {
    const Ran ran = RunShell("env -u PJRT_PLUGIN python3 " + script + argument + " 2>&1");
    EXPECT_EQ(ran.status, 2);
    EXPECT_THAT(ran.out, AnyOf(HasSubstr("usage: python repro_jax.py PLUGIN.so"),
                               HasSubstr("no-such-plugin.so: no such file")));
  }
}

// XLA turns the pad of an empty array into a broadcast, whose sharding is lost. It broadcasts the
// bounds of a clamp and the predicate of a select, and flattens the tuples of parameters.
TEST(ReportBugTest, TheScriptNamesWhatTheConversionChanges) {
  const std::string folder = ::testing::TempDir() + "/hlocts_script", script = folder + "/s.py";
  std::filesystem::create_directories(folder);
  for (const auto& [finding, from, to, names] :
       {std::tuple("partitioned-pad-of-an-empty-array", " pad(", " broadcast(",
                   "'pad'.*'the sharding of pad'"),
        std::tuple("reshape-moved-over-a-clamp", "f32[] constant", "f32[2] constant", "'clamp'"),
        std::tuple("select-of-a-scalar-predicate", "%p = pred[]", "p.1 = pred[4]", "'select'"),
        std::tuple("parameter-with-a-tuple-inside", "(f32[], (f32[])) p", "f32[] p",
                   "'the tuple of a parameter'")}) {
    std::ofstream(script) << RunHlocts(absl::StrCat("report-bug --jax " HLOCTS_SOURCE_DIR
                                                    "/results/findings/xla-",
                                                    finding))
                                 .out;
    const std::string lost = absl::StrCat(
        "python3 -Bc 'import s; back = s.MODULE.replace(\"", from, "\", \"", to,
        "\"); print(s.operations(s.MODULE) - s.operations(s.MODULE), s.operations(s.MODULE) - "
        "s.operations(back))'");
    EXPECT_THAT(RunShell("cd " + folder + " && " + lost + " 2>&1").out,
                ContainsRegex(absl::StrCat("^Counter\\(\\) Counter.*", names)));
  }
}

TEST(ReportBugTest, TheLogOfACrashHasNoBlankLines) {
  const std::string bundle = BundleOf("my_plugin", "1.0");
  auto verdict = nlohmann::ordered_json::parse(TextOf(bundle + "/verdict.json"));
  const std::string condition(90, 'c');
  verdict["verdict"] = "crash";
  verdict["first_failure"] = nullptr;
  verdict.erase("localisation");
  verdict["reason"] = absl::StrCat("worker killed by signal 6 (Aborted); it last wrote: a.cc:58]",
                                   "\n\t\n\nF0000 00:00 ", condition);
  std::ofstream(bundle + "/verdict.json") << JsonText(verdict) << "\n";
  EXPECT_THAT(RunHlocts("report-bug " + bundle).out,
              AllOf(HasSubstr("it last wrote: a.cc:58]\nF0000 00:00 " + condition),
                    HasSubstr("\nThe releases are those of XLA")));
}

TEST(ReportBugTest, ACaseDirectoryIsNoBundle) {
  const std::string folder = BundleOf("my_plugin", "1.0");
  std::filesystem::remove(folder + "/verdict.json");
  EXPECT_THAT(RunHlocts("report-bug " + folder).out,
              AllOf(HasSubstr(": not a bundle; `hlocts shrink "), HasSubstr("-o DIR` writes one")));
}

TEST(ReportBugTest, AModuleIsNoBundle) {
  EXPECT_THAT(
      RunHlocts("report-bug " HLOCTS_SOURCE_DIR "/results/findings/xla-log-of-rsqrt/module.hlo")
          .out,
      AllOf(HasSubstr("expected the directory of a bundle, found a file; `hlocts shrink "),
            HasSubstr("-o DIR` writes one to DIR")));
}

// In a record of an earlier version, sentence and operands are missing. They are found by judging
// the stored outputs of the engine again.
TEST(ReportBugTest, AReportOfAnOldRecordNamesTheSentenceToo) {
  const std::string old = CopiedFinding("/hlocts_old_record"), record = old + "/verdict.json";
  auto verdict = nlohmann::ordered_json::parse(*reports::RecordedVerdict(old));
  std::filesystem::remove(old + "/finding.textproto");
  std::ofstream(old + "/inputs.txt") << "f32[1]{0} {-0}\n";
  std::ofstream(old + "/actual.txt") << "f32[1]{0} {inf}\n";
  for (const char* key : {"operation", "operands", "distance"}) verdict["first_failure"].erase(key);
  std::ofstream(record) << JsonText(verdict) << "\n";
  EXPECT_THAT(
      RunHlocts("report-bug " + old).out,
      AllOf(HasSubstr("# rsqrt and log, compiled together, give inf instead of nan"),
            HasSubstr("is infinity instead of NaN; its example fails from jaxlib@0.4.30 to "),
            HasSubstr("); a question, because "),
            HasSubstr(" A report can ask which reading holds.\n"), HasSubstr("Public reports: "),
            HasSubstr("= `-inf`"),
            ContainsRegex("\nreleases: not looked up \\(`hlocts history [^ ]*hlocts_old_record "
                          "--keep`\\)\n"),
            HasSubstr("> Log is the natural logarithm."),
            HasSubstr("clause elementwise_unary.18")));
  std::ofstream(old + "/history.json") << R"({"first_bad":"jaxlib@0.4.30","last_good_before":null,)"
                                       << R"("last_bad":"jaxlib@0.11.2","first_good_after":"c"})";
  EXPECT_THAT(
      RunHlocts("report-bug " + old).out,
      AllOf(HasSubstr(
                "\nreleases: first bad jaxlib@0.4.30; last bad jaxlib@0.11.2, good again in c ("),
            HasSubstr("\n\nAlready good in c; last bad jaxlib@0.11.2 ("),
            HasSubstr("\n`pip install jax==0.11.2`, then this script"),
            HasSubstr("through JAX (pip install jax==0.11.2) on")));
  std::ofstream(old + "/history.json")
      << R"({"first_bad":"jaxlib@0.4.30","last_bad":"xla@2026.06","first_good_after":"c"})";
  EXPECT_THAT(
      RunHlocts("report-bug " + old, "cd / &&").out,
      AllOf(HasSubstr("`pip install jax && pip install --no-deps --target=plugin "
                      "fastatomstruct-xla-cpu==2026.6.23`, then this script with the "
                      "argument plugin/fastatomstruct_xla_cpu/libpjrt_cpu.so; it prints"),
            ContainsRegex("`hlocts replay [a-z].*/hlocts_old_record --backend='xla@2026.06'`.* "
                          "gives the engine")));
  // A recorded release that still fails reproduces the failure, so another one is not needed.
  const std::string own = BundleOf("jaxlib@0.10.2", "jaxlib 0.10.2, cpu");
  std::ofstream(own + "/history.json")
      << R"({"first_bad":"jaxlib@0.4.30","last_bad":"xla@2026.06","first_good_after":"c",)"
      << R"("releases":[{"name":"jaxlib@0.10.2","mark":"X"},{"name":"c","mark":"o"}]})";
  EXPECT_THAT(
      RunHlocts("report-bug " + own).out,
      AllOf(HasSubstr("last bad xla@2026.06"), HasSubstr("`pip install jax==0.10.2`"),
            HasSubstr("Found in the engine jaxlib@0.10.2. "), Not(HasSubstr("--backend='xla@"))));
}

// The recorded run is an answer too if `history` did not run this release again.
TEST(ReportBugTest, ALaterRecordedReleaseIsTheLastBadOne) {
  const std::string own = BundleOf("jax", "jaxlib 0.10.2, cpu");
  const auto report = [&](const std::string& last_bad, const std::string& good_after,
                          const std::string& row) {
    std::ofstream(own + "/history.json")
        << R"({"first_bad":"jaxlib@0.9.0","sentence":"s","last_bad":")" << last_bad
        << R"(","first_good_after":")" << good_after << R"(","releases":[)" << row << "]}";
    return RunHlocts("report-bug " + own).out;
  };
  const auto names = [](const std::string& text, const char* jax) {
    return AllOf(HasSubstr(text), HasSubstr(absl::StrCat("`pip install jax==", jax, "`")));
  };
  constexpr char kMissing[] = R"({"name":"jaxlib@0.10.2","mark":"-"})";
  EXPECT_THAT(report("jaxlib@0.9.0", "xla@0.11.2", kMissing),
              AllOf(names("Already good in xla@0.11.2; last bad jaxlib@0.10.2, which was recorded "
                          "and not run again (",
                          "0.10.2"),
                    HasSubstr("s; the recorded jaxlib@0.10.2, a later release, was not run")));
  EXPECT_THAT(
      report("jaxlib@0.9.0", "jaxlib@0.9.2", kMissing),
      AllOf(names("s; the recorded jaxlib@0.10.2, ", "0.10.2"), Not(HasSubstr("Already good"))));
  EXPECT_THAT(report("jaxlib@0.11.0", "c", kMissing), names("last bad jaxlib@0.11.0 (", "0.11.0"));
  EXPECT_THAT(report("jaxlib@0.9.0", "c", R"({"name":"jaxlib@0.10.2","mark":"o"})"),
              names("last bad jaxlib@0.9.0 (", "0.9.0"));
  EXPECT_THAT(report("jaxlib@0.11.0", "c",
                     R"({"name":"jaxlib@0.10.2","mark":"X"},{"name":"jaxlib@0.11.0","mark":"X"})"),
              names("last bad jaxlib@0.11.0 (", "0.10.2"));
  // The row `jax` is the release that its version states.
  EXPECT_THAT(report("jax", "c", R"({"name":"jax","mark":"X","version":"jaxlib 0.11.0, cpu"})"),
              names("last bad jax (", "0.11.0"));
}

TEST(ReportBugTest, AFailureThatIsGoneNamesTheHistory) {
  const std::string bundle = BundleOf("pjrt:libpjrt_cpu.so", "1.0");
  for (const char* command : {"shrink ", "blame "})
    EXPECT_THAT(RunHlocts(command + bundle + " --backend=reference").out,
                HasSubstr("; perhaps the engine was fixed: `hlocts history " + bundle + "` finds"));
  EXPECT_THAT(RunHlocts("replay " + bundle).out,
              HasSubstr("--backend=pjrt:/path/to/it, or, if HLOCTS_CACHE has it, --backend=xla@"));
}

TEST(ReportBugTest, AReplayNamesTheFinding) {
  const Ran ran = RunHlocts("replay " HLOCTS_SOURCE_DIR "/results/findings/xla-log-of-rsqrt");
  if (ran.status != 1) GTEST_SKIP() << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("known:    finding xla-log-of-rsqrt: log(rsqrt(-0)) is"));
  EXPECT_THAT(RunHlocts("history --help").out, HasSubstr("(results/findings/NAME)"));
}

TEST(ReportBugTest, TheAnswerOfBlameIsPrinted) {
  const std::string bundle = CopiedFinding("/hlocts_blamed");
  std::ofstream(bundle + "/blame.json")
      << R"({"answer":"pass algsimp","confirmed":true,"actual_without_pass":"nan"})";
  EXPECT_THAT(RunHlocts("report-bug " + bundle).out,
              HasSubstr("\nGuilty: pass algsimp (`hlocts blame`; confirmed: the failure disappears "
                        "without it; without it: `nan`)."));
  std::ofstream(bundle + "/blame.json")
      << R"({"answer":"after pass fusion","confirmed":false,"failed":7,"runs":10,)"
      << R"("confirmation":"not confirmed: fails in 1 of 2 runs without algsimp",)"
      << R"("suspects":["cse","algsimp"],"switched_off":"algsimp","actual_without_pass":"crash"})";
  EXPECT_THAT(
      RunHlocts("report-bug " + bundle).out,
      HasSubstr("\nPerhaps guilty: after pass fusion (`hlocts blame`; suspects: cse, algsimp; not "
                "confirmed: fails in 1 of 2 "
                "runs without algsimp; unchanged, it fails in 7 of 10 runs; without algsimp: "
                "`crash`)."));
  std::ofstream(bundle + "/blame.json")
      << R"({"answer":"after pass a","suspects":["b","c"],"actual_without_pass":"?","reason":"d",)"
      << R"("backend":"this-jax","backend_version":"0.10.2, cpu"})";
  EXPECT_THAT(
      RunHlocts("report-bug " + bundle).out,
      HasSubstr("\nGuilty: after pass a (`hlocts blame` on jaxlib@0.10.2; d; suspects: b, c)."));
}

TEST(ReportBugTest, AnEngineOutsideOfJaxIsRunByItsOwnTool) {
  const std::string findings = HLOCTS_SOURCE_DIR "/results/findings/";
  EXPECT_THAT(RunHlocts("report-bug " + findings + "xla-empty-slice-with-a-stride").out,
              AllOf(HasSubstr("hlo-opt --passes=algsimp module.hlo"),
                    HasSubstr("xla-empty-slice-with-a-stride`"), Not(HasSubstr("replay /")),
                    Not(HasSubstr("run_hlo_module")), Not(HasSubstr("HloPjRtTestBase"))));
  EXPECT_THAT(RunHlocts("report-bug " + findings + "iree-dot-over-nothing").out,
              AllOf(HasSubstr("No public tool runs this HLO on the engine iree"),
                    Not(HasSubstr("run_hlo_module"))));
  EXPECT_THAT(RunHlocts("report-bug " + findings + "hlo-evaluator-cbrt-of-a-subnormal").out,
              AllOf(HasSubstr("run_hlo_module --platform=interpreter"),
                    HasSubstr("Allowed: `a value in [1.8046659e-13, 1.8046663e-13] or +0`")));
}

// An installed program contains the findings, so commands find them from any directory.
TEST(FindingFolderTest, EachCommandThatReadsFindsItFromAnyFolder) {
  const std::string finding = " results/findings/xla-log-of-rsqrt", elsewhere = "cd / &&";
  for (const char* command : {"eval", "digits", "verify", "report-bug"}) {
    const Ran ran = RunHlocts(command + finding, elsewhere);
    EXPECT_EQ(ran.status, 0) << command << ": " << ran.out;
  }
  const Ran judged = RunHlocts("judge" + finding, elsewhere);  // judges the outputs of the engine
  EXPECT_EQ(judged.status, 1) << judged.out;
  EXPECT_THAT(judged.out, HasSubstr("got:      inf"));
}

}  // namespace
}  // namespace hlocts::tools
