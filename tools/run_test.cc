// SPDX-License-Identifier: Apache-2.0
// Tests suite runs from outside: shards and jobs do not change verdicts, missing cases are
// reported, and a case for which the engine's answers vary is a flake.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "spec/base/json_text.h"
#include "tools/cli/terminal.h"
#include "tools/cli/time_left.h"
#include "tools/cli_testing.h"

namespace hlocts::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

class RunTest : public FolderTest {};
class AdoptTest : public FolderTest {};
class ExportTest : public FolderTest {};

// Cases that the mirror engine fails, passes or wrongly accepts, and cases that other engines
// reject.
constexpr char kSome[] = "movement/pad control_flow/conditional elementwise/not";

// Verdicts and positions of first failures, by "engine address".
using Verdicts = std::map<std::string, std::string>;
void AddVerdicts(const std::string& flags, Verdicts& verdicts) {
  Ran ran = RunHlocts(absl::StrCat(
      "run ", kSome, " --tier=presubmit --backend=legal-noise --backend=exec:", kMirror, " --json ",
      flags));
  for (const Json& json : JsonLines(ran.out)) {
    std::string key = absl::StrCat(std::string(json["backend"]), " ", std::string(json["case"]));
    bool is_new =
        verdicts.emplace(key, JsonText(json["verdict"]) + JsonText(json["first_failure"])).second;
    EXPECT_TRUE(is_new) << key << " twice";
  }
}

TEST_F(RunTest, ShardsAndJobsChangeNoVerdict) {
  Verdicts whole;
  AddVerdicts("--jobs=1", whole);
  std::set<std::string> kinds;
  for (const auto& [key, verdict] : whole) kinds.insert(verdict.substr(0, verdict.find('"', 1)));
  EXPECT_GE(whole.size(), 40u);
  EXPECT_GE(kinds.size(), 3u) << "pass, fail, accepted at least";
  for (int shards : {1, 3, 8}) {
    for (int jobs : {1, 2}) {
      Verdicts merged;
      for (int i = 1; i <= shards; ++i)
        AddVerdicts(absl::StrCat("--jobs=", jobs, " --shard=", i, "/", shards), merged);
      EXPECT_EQ(merged, whole) << shards << " shards, " << jobs << " jobs";
    }
  }
}

// On a busy machine the second process of an engine may not start. The first process must then run
// all cases.
TEST_F(RunTest, AJobWithoutItsEngineTakesNoCase) {
  const std::string once = absl::StrCat("'--backend=once=exec:exec 9>", Path("once.lock"),
                                        "; flock -n 9 || exit 1; exec ", kMirror, "'");
  auto cases = [&](int jobs) {
    Ran ran = RunHlocts(absl::StrCat("run ", kSome, " --json ", once, " --jobs=", jobs));
    std::set<std::string> names;
    for (const Json& json : JsonLines(ran.out, /*among_others=*/true))
      names.insert(JsonText(json["case"]));
    return names;
  };
  const std::set<std::string> alone = cases(1);
  EXPECT_GE(alone.size(), 20u);
  EXPECT_EQ(cases(4), alone);
}

// Test runners number shards from 0.
TEST_F(RunTest, TheEnvironmentOfTestRunnersShards) {
  auto addresses = [](const std::string& flags, const std::string& before) {
    Ran ran = RunHlocts("run movement/pad --backend=reference --json " + flags, before);
    std::set<std::string> found;
    for (const Json& json : JsonLines(ran.out)) found.insert(json["case"]);
    return found;
  };
  std::set<std::string> second = addresses("", "GTEST_TOTAL_SHARDS=3 GTEST_SHARD_INDEX=1");
  EXPECT_EQ(second, addresses("--shard=2/3", ""));
  EXPECT_NE(second, addresses("", ""));
  EXPECT_EQ(addresses("--shard=3/3", "GTEST_TOTAL_SHARDS=3 GTEST_SHARD_INDEX=1"),
            addresses("--shard=3/3", ""))
      << "the command line has the last word";
  EXPECT_EQ(
      RunHlocts("run movement/pad --backend=reference", "GTEST_TOTAL_SHARDS=3 GTEST_SHARD_INDEX=3")
          .status,
      2);
}

TEST_F(RunTest, AKilledShardIsMissingAndNotPassed) {
  std::string query = absl::StrCat("run movement/pad --backend=exec:", kMirror);
  RunHlocts(absl::StrCat(query, " --shard=1/2 --out=", Path("k1")));
  // The run is killed while the engine hangs, so it cannot have finished.
  RunAndKill(absl::StrCat(query, " --jobs=1 --shard=2/2 --timeout=600s --out=", Path("k2")),
             "MISBEHAVE_HANG_FROM=4", Path("k2/verdicts.jsonl"), "\"case\"");
  Ran report = RunHlocts("report " + Path("k1") + " " + Path("k2"));
  EXPECT_EQ(report.status, 1) << report.out;
  EXPECT_THAT(report.out, HasSubstr("is unfinished"));
  EXPECT_THAT(report.out, HasSubstr("missing:\n  movement/pad:"));
  EXPECT_THAT(report.out, Not(HasSubstr("none missing")));
}

TEST(StatusLineTest, ALogGetsItsFirstLineAfterAFewSeconds) {
  testing::internal::CaptureStderr();
  StatusLine line(std::chrono::seconds(60));
  for (int i = 0; i < 70; ++i, usleep(100'000)) line.Show(absl::StrCat(i), /*in_log=*/true);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::MatchesRegex("[0-9]+\n"));
}

// 10 costly cases run in 20 s, then 100 cheap ones at half of their known speed.
TEST(TimeLeftTest, IsThatOfTheRecentSpeedWithinTwiceTheMean) {
  TimeLeft left;
  left.Expect(200 + 100);
  double now = 0;
  for (int i = 0; i < 10; ++i) left.Finished(now += 2, 20);
  EXPECT_FALSE(left.At(14)) << "too early";
  EXPECT_NEAR(*left.At(now), 10, 3);
  for (int i = 0; i < 80; ++i) left.Finished(now += 0.2, 1);
  EXPECT_NEAR(*left.At(now), 4, 0.5);
  left.Finished(now += 14, 1);  // a long case delays the others
  EXPECT_NEAR(*left.At(now), 2 * 19 * now / 281, 1e-6);
  EXPECT_FALSE(left.At(now + 30));  // no case finished recently
}

TEST_F(RunTest, AnEntryWithoutACaseIsNamedAgainBesideARedResult) {
  const std::string rest = "\" verdict: \"fail\" kind: BUG clause: \"pad.1\" reason: \"r\" }\n";
  const std::string misspelt = "expectation { query: \"elementwise/nott" + rest;
  const std::string command = "run elementwise/not --backend=reference --expectations=";
  const std::string line = "hlocts: " + Path("misspelt.textproto") + ":1: \"elementwise/nott\" ";
  const auto times = [&](const std::string& more) {
    const Ran ran = RunHlocts(command + Write("misspelt.textproto", misspelt + more));
    return std::pair(ran.status,
                     std::vector<std::string>(absl::StrSplit(ran.out, line)).size() - 1);
  };
  EXPECT_EQ(times(""), std::pair(0, size_t{1}));
  EXPECT_EQ(times("expectation { query: \"elementwise/not" + rest), std::pair(1, size_t{2}));
}

TEST_F(RunTest, EveryReportCountsAnUnexpectedPass) {
  const std::string list = Write("list.textproto",
                                 "expectation { query: \"elementwise/not\" verdict: \"fail\" kind: "
                                 "BUG clause: \"pad.1\" reason: \"seeded\" }\n");
  const std::string out = Path("unexpected_pass"), report = "report " + out;
  EXPECT_EQ(
      RunHlocts("run elementwise/not --backend=reference --expectations=" + list + " --out=" + out)
          .status,
      1);
  const Ran ran =
      RunHlocts(report + " --json --markdown=" + Path("x.md") + " --html=" + Path("x.html"));
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(Read("x.md"),
              AllOf(::testing::StartsWith("reference: "), HasSubstr(" pass (100.0%)")))
      << "the score is the first line";
  const int64_t count = ParseJson<Json>(ran.out)["not_as_expected"];
  EXPECT_GT(count, 0);
  const std::string text = absl::StrCat(count, " not as expected");
  EXPECT_THAT(Read("x.md"), HasSubstr(": " + text));
  EXPECT_THAT(Read("x.html"), AllOf(HasSubstr(">" + text), HasSubstr("class=\"alarm-red")));
  EXPECT_THAT(RunHlocts(report).out, HasSubstr("; " + text));
}

TEST_F(RunTest, AFlakeIsAVerdictOfItsOwn) {
  // Every second execution in a process aborts. The first one of a new process does not.
  Ran ran = RunHlocts(absl::StrCat("run control_flow/conditional movement/pad --jobs=1 --out=",
                                   Path("flake"), " --backend=exec:", kMirror),
                      "MISBEHAVE_ABORT_EVERY=2");
  EXPECT_EQ(ran.status, 1) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("  flake as expected"));
  EXPECT_THAT(ran.out, ::testing::ContainsRegex("flake  exec:.*\\(crash, fail, "));
  int flakes = 0, steady = 0;
  for (const Json& json : JsonLines(Read("flake/verdicts.jsonl"))) {
    flakes += json.contains("flake");
    steady += !json.contains("flake");
    if (json.contains("flake")) {
      EXPECT_FALSE(json["expected"]);
    }
  }
  EXPECT_GT(flakes, 0);
  EXPECT_GT(steady, 0);
}

// A failure that a campaign found becomes a case that the suite loads and runs.
TEST_F(AdoptTest, ABundleBecomesACase) {
  const std::string home = Path("home");
  std::filesystem::create_directories(home + "/suites/cases");
  std::filesystem::create_directory_symlink(HLOCTS_SOURCE_DIR "/spec", home + "/spec");
  const std::string bundle = HLOCTS_SOURCE_DIR "/results/findings/xla-multiply-by-converted-pred/";
  Ran adopted = RunHlocts(absl::StrCat("adopt ", bundle, " --cases=", home, "/suites/cases"));
  ASSERT_EQ(adopted.status, 0) << adopted.out;
  EXPECT_THAT(adopted.out, HasSubstr("found/xla_multiply_by_converted_pred.case"));
  Ran run = RunHlocts("run --backend=reference --json", "HLOCTS_HOME=" + home);
  EXPECT_EQ(run.status, 0) << run.out;
  EXPECT_THAT(run.out, HasSubstr("\"case\":\"found/xla_multiply_by_converted_pred:"));
  EXPECT_THAT(run.out, HasSubstr("\"verdict\":\"pass\""));
  Ran listed = RunHlocts("list --json", "HLOCTS_HOME=" + home);
  EXPECT_THAT(listed.out, HasSubstr("\"elementwise_binary.1\""));
}

// Runs the numpy judge of suites/examples on the outputs of the reference. They must pass, and must
// fail after one element is changed. Joint predicates are judged too.
constexpr char kJudge[] = R"(
import glob, json, os, sys
sys.path.insert(0, sys.argv[1])
import numpy as np
import judge_jaxlib
for folder in sorted(glob.glob(sys.argv[2] + '/linear_algebra.*') + glob.glob(sys.argv[2] + '/ordering.*')):
    with np.load(folder + '/actual.npz') as data:
        outputs = [data['out%d' % i].copy() for i in range(len(data.files))]
    right = judge_jaxlib.judge(folder, outputs)
    for array in outputs:
        flat = array.reshape(-1)
        flat[0] = flat[0] * 2 + 3
    wrong = judge_jaxlib.judge(folder, outputs)
    print(os.path.basename(folder), right, '->', wrong[0])
    if right[0] != 'pass' or wrong[0] != 'fail':
        sys.exit(1)
)";

std::string PythonWithNumpy() {
  for (const char* candidate : {"python3", "/usr/bin/python3"}) {
    std::string probe = absl::StrCat(candidate, " -c 'import numpy' 2>/dev/null");
    if (std::system(probe.c_str()) == 0) return candidate;
  }
  return "";
}

TEST_F(ExportTest, NumpyJudgesIntervalsAndJointPredicates) {
  const std::string python = PythonWithNumpy(), out = Path("exported");
  ASSERT_FALSE(python.empty()) << "ci/setup installs python3-numpy";
  const char* cases =
      "linear_algebra/cholesky:upper:type=f32 linear_algebra/cholesky:complex:type=c128 "
      "linear_algebra/triangular_solve:adjoint linear_algebra/triangular_solve:batch "
      "linear_algebra/fft:forward:type=c64,n=12 ordering/sort:documents_example";
  ASSERT_EQ(RunHlocts(absl::StrCat("export ", cases, " --out=", out)).status, 0);
  int folders = 0;
  for (const auto& entry : std::filesystem::directory_iterator(out)) {
    if (!entry.is_directory()) continue;
    std::string folder = entry.path().string();
    Ran eval = RunHlocts(absl::StrCat("eval '", folder, "/module.hlo' --inputs='", folder,
                                      "/inputs.txt' -o '", folder, "/actual.npz'"));
    ASSERT_EQ(eval.status, 0) << eval.out;
    ++folders;
  }
  EXPECT_GE(folders, 6);
  const Ran judged =
      RunShell(absl::StrCat(python, " ", Write("judge.py", kJudge),
                            " " HLOCTS_SOURCE_DIR "/suites/examples ", out, " 2>&1"));
  EXPECT_EQ(judged.status, 0) << judged.out;
}

// Removes the environment variables with which ctest shards this program (CMakeLists.txt). The
// programs that a test starts must not inherit them, because `hlocts run` reads them too.

class StartedProgramsAreWhole : public ::testing::Environment {
 public:
  void SetUp() override {
    for (const char* name : {"GTEST_TOTAL_SHARDS", "GTEST_SHARD_INDEX", "GTEST_SHARD_STATUS_FILE"})
      unsetenv(name);
  }
};

[[maybe_unused]] ::testing::Environment* const kWhole =
    ::testing::AddGlobalTestEnvironment(new StartedProgramsAreWhole);

}  // namespace
}  // namespace hlocts::tools
