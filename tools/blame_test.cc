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

class PlantedFaultTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto plugin = backends::PluginOf("xla");
    if (!plugin.ok()) GTEST_SKIP() << plugin.status().message();
    ASSERT_TRUE(WriteFile(folder_.path() + "/planted.hlo", kModule).ok());
    const Ran ran =
        RunHlocts(absl::StrCat("diff ", folder_.path(), "/planted.hlo --seed=1 --backend=xla"),
                  absl::StrCat("XLA_FLAGS='--xla_dump_to=", dumps_,
                               " --xla_dump_hlo_as_text --xla_dump_hlo_pass_re=.*'"));
    ASSERT_EQ(ran.status, 0) << ran.out;
  }
  // Returns the stages that differ; each is judged by the sets of the first stage.
  Json Stages() {
    const Ran ran = RunHlocts("dumps " + dumps_ + " --seed=1 --json");
    for (const Json& module : JsonLines(ran.out, /*among_others=*/true))
      if (module["name"] == "planted") return module["stages"];
    ADD_FAILURE() << ran.out;
    return Json::array();
  }
  // Turns subtractions into additions in dump `first` and in all dumps that XLA wrote later.
  void Plant(const std::string& first) {
    for (const auto& entry : fs::directory_iterator(dumps_)) {
      const std::string name = entry.path().filename().string();
      const bool later = name >= first || absl::StrContains(name, "after_optimizations.txt");
      if (!later || absl::StrContains(name, "before_optimizations")) continue;
      const std::string text = *ReadFile(entry.path().string());
      ASSERT_TRUE(
          WriteFile(entry.path().string(), absl::StrReplaceAll(text, {{" subtract(", " add("}}))
              .ok());
    }
  }
  TemporaryFolder folder_ = *TemporaryFolder::Make("hlocts-blame-test");
  std::string dumps_ = folder_.path() + "/dumps";
};

TEST_F(PlantedFaultTest, ThePassWhoseTextWasEditedIsNamed) {
  const Json before = Stages();
  ASSERT_GE(before.size(), 3u);
  for (const Json& stage : before) EXPECT_EQ(stage["verdict"], "pass") << stage;
  const Json& chosen = before[1];
  Plant(chosen["file"]);
  const Json after = Stages();
  ASSERT_GE(after.size(), 2u);
  EXPECT_EQ(after[0]["verdict"], "pass");
  EXPECT_EQ(after[1]["verdict"], "fail") << after;
  EXPECT_EQ(after[1]["after"], chosen["after"]);
}

TEST(BlameTest, TheConversionOfAnEngineThatReceivesStableHloIsTheSuspect) {
  if (!backends::IsInstalled(*backends::FindEngine(*backends::LoadEngineList(), "jaxlib@0.10.2")))
    GTEST_SKIP() << "jaxlib@0.10.2 is not installed";
  const TemporaryFolder folder = *TemporaryFolder::Make("hlocts-blame-test");
  const std::string module = folder.path() + "/clamp.hlo";
  ASSERT_TRUE(WriteFile(module,
                        "HloModule m\nENTRY e {\n  t = pred[] constant(true)\n"
                        "  f = pred[] constant(false)\n"
                        "  ROOT r = pred[] clamp(t, t, f)\n}\n")
                  .ok());
  EXPECT_THAT(RunHlocts("blame " + module + " --backend=jaxlib@0.10.2").out,
              testing::HasSubstr(" diff " + module + " --backend=rewriter:jaxlib@0.10.2\n"));
}

}  // namespace
}  // namespace hlocts::tools
