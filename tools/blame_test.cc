// SPDX-License-Identifier: Apache-2.0
// Tests blame with a planted fault: the test changes the dump that real XLA wrote after one pass
// and all later dumps. blame must name this pass.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "backends/engine_list.h"
#include "nlohmann/json.hpp"
#include "spec/base/json_text.h"
#include "spec/files/file_io.h"
#include "tools/cli_testing.h"

namespace hlocts::tools {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

// A module that XLA's passes change: the convert to another type and back disappears, and equal
// subtractions are merged.
constexpr char kModule[] = R"(HloModule planted
ENTRY main {
  x = s32[3] parameter(0)
  y = s32[3] parameter(1)
  c = s64[3] convert(x)
  b = s32[3] convert(c)
  d = s32[3] subtract(b, y)
  e = s32[3] subtract(x, y)
  ROOT r = s32[3] multiply(d, e)
}
)";

class BlameTest : public FolderTest {};

TEST_F(BlameTest, ThePassWhoseTextWasEditedIsNamed) {
  const auto plugin = backends::PluginOf("xla");
  if (!plugin.ok()) GTEST_SKIP() << plugin.status().message();
  const std::string dumps = Path("dumps");
  const Ran ran =
      RunHlocts(absl::StrCat("diff ", Write("planted.hlo", kModule), " --seed=1 --backend=xla"),
                absl::StrCat("XLA_FLAGS='--xla_dump_to=", dumps,
                             " --xla_dump_hlo_as_text --xla_dump_hlo_pass_re=.*'"));
  ASSERT_EQ(ran.status, 0) << ran.out;
  // Returns the stages that differ; each is judged by the sets of the first stage.
  const auto stages = [&] {
    for (Json& module : JsonLines(RunHlocts("dumps " + dumps + " --seed=1 --json").out, true))
      if (module["name"] == "planted") return module["stages"];
    return Json::array();
  };
  const Json before = stages();
  ASSERT_GE(before.size(), 3u);
  for (const Json& stage : before) EXPECT_EQ(stage["verdict"], "pass") << stage;
  // Turns subtractions into additions in the second stage and in all dumps that XLA wrote later.
  for (const auto& entry : fs::directory_iterator(dumps)) {
    const std::string path = entry.path().string(), name = entry.path().filename().string();
    const bool later = name >= before[1]["file"] || name.ends_with("after_optimizations.txt");
    if (!later || absl::StrContains(name, "before_optimizations")) continue;
    ASSERT_TRUE(
        WriteFile(path, absl::StrReplaceAll(*ReadFile(path), {{" subtract(", " add("}})).ok());
  }
  const Json after = stages();
  ASSERT_GE(after.size(), 2u);
  EXPECT_EQ(after[0]["verdict"], "pass");
  EXPECT_EQ(after[1]["verdict"], "fail") << after;
  EXPECT_EQ(after[1]["after"], before[1]["after"]);
}

TEST_F(BlameTest, APartitionerIsNotSwitchedOff) {
  const Ran ran = RunHlocts("blame " HLOCTS_SOURCE_DIR
                            "/results/findings/xla-partitioned-pad-between-elements --backend=xla");
  if (!absl::StrContains(ran.out, "guilty: pass ")) GTEST_SKIP() << ran.out;
  EXPECT_THAT(ran.out, testing::HasSubstr("; without shardings: 9; accepted: "));
  EXPECT_THAT(ran.out,
              testing::HasSubstr("  confirmed: correct without shardings (a program for several "
                                 "devices needs its partitioner)\n"));
}

// The compiler crashes in a pass without a dump, after another that has one.
TEST_F(BlameTest, APassWithoutADumpIsFoundWhenItCrashes) {
  const Ran ran = RunHlocts("blame " HLOCTS_SOURCE_DIR
                            "/results/findings/xla-reshape-moved-over-a-clamp --backend=xla");
  if (!absl::StrContains(ran.out, "crash")) GTEST_SKIP() << ran.out;
  EXPECT_THAT(ran.out,
              testing::AllOf(testing::HasSubstr("guilty: pass reshape-mover\n"),
                             testing::HasSubstr("confirmed: correct without reshape-mover"),
                             testing::Not(testing::HasSubstr("algsimp"))));
}

TEST_F(BlameTest, TheConversionOfAnEngineThatReceivesStableHloIsTheSuspect) {
  if (!backends::IsInstalled(*backends::FindEngine(*backends::LoadEngineList(), "jaxlib@0.10.2")))
    GTEST_SKIP() << "jaxlib@0.10.2 is not installed";
  const std::string module =
      Write("clamp.hlo",
            "HloModule m\nENTRY e {\n  t = pred[] constant(true)\n"
            "  f = pred[] constant(false)\n  ROOT r = pred[] clamp(t, t, f)\n}\n");
  EXPECT_THAT(RunHlocts("blame " + module + " --backend=jaxlib@0.10.2").out,
              testing::HasSubstr(" diff " + module + " --backend=rewriter:jaxlib@0.10.2\n"));
}

}  // namespace
}  // namespace hlocts::tools
