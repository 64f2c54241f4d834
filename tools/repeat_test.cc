// SPDX-License-Identifier: Apache-2.0
// Tests nondeterministic failures, and groups of failures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "reports/verdict.h"
#include "spec/base/json_text.h"
#include "tools/cli_testing.h"

namespace hlocts::tools {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;

constexpr char kRepeatedModule[] = R"(HloModule m
ENTRY e {
  x = f32[3] parameter(0)
  y = f32[3] sine(x)
  ROOT r = f32[3] subtract(y, x)
}
)";
// An engine that negates the result of every third execution.
constexpr char kEngine[] = R"(
import sys
sys.path.insert(0, ")" HLOCTS_SOURCE_DIR R"(/backends/examples")
import hlocts_frames as frames
import numpy as np
count = 0
def load(text):
    def execute(leaves):
        global count
        count += 1
        x = leaves[0].array
        right = np.sin(x) - x if "subtract" in text else np.sin(x)
        value = -right if count % 3 == 0 else right
        return [frames.Leaf(leaves[0].element_type, value.astype(x.dtype))]
    return execute
frames.serve("flaky", "1", load)
)";

class RepeatTest : public FolderTest {
 protected:
  void SetUp() override {
    if (absl::string_view(HLOCTS_PYTHON).empty()) GTEST_SKIP() << "no python3 with numpy";
    Write("m.hlo", kRepeatedModule);
    Write("engine.py", kEngine);
  }
  std::string On(const std::string& command) const {
    return absl::StrCat(command, " ", Path("m.hlo"), " --seed=1 --backend='exec:" HLOCTS_PYTHON " ",
                        Path("engine.py"), "' ");
  }
};

TEST_F(RepeatTest, TheVerdictIsThatOfTheFirstFailureAndCountsRuns) {
  EXPECT_EQ(RunHlocts(On("diff")).status, 0);
  Ran ran = RunHlocts(On("diff") + "--repeat=6 --json");
  EXPECT_EQ(ran.status, 1) << ran.out;
  const auto verdict = ParseJson<Json>(ran.out);
  EXPECT_EQ(verdict.value("verdict", ""), "fail");
  EXPECT_EQ(verdict["runs"], Json({{"fail", 2}, {"pass", 4}}));
  EXPECT_THAT(RunHlocts(On("diff") + "--repeat=6").out, HasSubstr("(2 fail, 4 pass)"));
  ran = RunHlocts(On("diff") + "--repeat=2 --json");
  EXPECT_EQ(ran.status, 0) << ran.out;
  EXPECT_EQ(ParseJson<Json>(ran.out)["runs"], Json({{"pass", 2}}));
}

TEST_F(RepeatTest, ARunCountsWithTheVerdictOfItsPieces) {
  Write("m.hlo",
        "HloModule m\nadd { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) "
        "}\n"
        "ENTRY e { x = f32[4] constant({1e8, -1e8, 3, 0.1}) zero = f32[] constant(0)\n"
        "ROOT r = f32[] reduce(x, zero), dimensions={0}, to_apply=add }\n");
  const Ran ran = RunHlocts("diff " + Path("m.hlo") + " --backend=cpu --repeat=3 --json");
  EXPECT_EQ(ParseJson<Json>(ran.out)["runs"], Json({{"probable", 3}})) << ran.out;
}

TEST_F(RepeatTest, IsMadeSmallAndReplayed) {
  Ran ran = RunHlocts(On("shrink") + "--repeat=6 --time=60s -o " + Path("bundle"));
  EXPECT_EQ(ran.status, 0) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("evaluations"));
  const auto recorded = ParseJson<Json>(TextOf(Path("bundle/verdict.json")));
  EXPECT_EQ(recorded["runs"], Json({{"fail", 2}, {"pass", 4}})) << recorded;
  EXPECT_THAT(RunHlocts("report-bug " + Path("bundle")).out, HasSubstr("seen in 2 of 6 runs"));
  const std::string replay =
      absl::StrCat("replay ", Path("bundle"), " --repeat=6 --backend='exec:", HLOCTS_PYTHON " ",
                   Path("engine.py"), "' ");
  EXPECT_THAT(RunHlocts(replay + "--certificate", "HLOCTS_PYTHON=echo").out,
              HasSubstr("/tools/certify/certify.py " + Path("bundle")));
  ran = RunHlocts(replay + "--json");
  EXPECT_EQ(ran.status, 1) << ran.out;
  EXPECT_EQ(ParseJson<Json>(ran.out)["runs"], Json({{"fail", 2}, {"pass", 4}}));
}

TEST_F(RepeatTest, AFlakeThatDoesNotShowNamesRepeat) {
  const Ran ran = RunHlocts(On("shrink"));
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.out, HasSubstr("in 1 run; --repeat=N runs it more often, if the failure"));
}

TEST(RunsUntilSeenTest, ARareFailureNeedsManyRuns) {
  EXPECT_EQ(reports::RunsUntilSeen(10, 10), 1);
  EXPECT_EQ(reports::RunsUntilSeen(69, 100), 4);
  EXPECT_EQ(reports::RunsUntilSeen(4, 10), 10);
  EXPECT_EQ(reports::RunsUntilSeen(1, 10), 44);
}

TEST_F(RepeatTest, FailuresOfABatchAreGrouped) {
  const std::string entry = absl::StrCat("{\"module\":\"", Path("m.hlo"), "\",\"seed\":1}\n");
  Write("batch.jsonl", entry + entry);
  Ran ran = RunHlocts("diff --batch=" + Path("batch.jsonl") +
                      " --backend=canary:subtract.operands-swapped --group");
  EXPECT_EQ(ran.status, 0) << ran.out;
  EXPECT_THAT(ran.out,
              HasSubstr("{\"group\":\"fail subtract f32 value\",\"count\":2,\"modules\":"));
  EXPECT_EQ(RunHlocts(On("diff") + "--group").status, 2);
}

}  // namespace
}  // namespace hlocts::tools
