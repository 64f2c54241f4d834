// SPDX-License-Identifier: Apache-2.0
#include "reports/page/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nlohmann/json.hpp"
#include "spec/base/json_text.h"

namespace hlocts::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

PageInput Input() {
  PageInput input;
  input.history.cases = {"movement/pad:a:type=f32", "movement/pad:</script>:type=f32"};
  NightlyRun night;
  night.label = "<b>2026-11-24</b>";
  night.engines["xla"].marks = "pF";
  input.history.nights = {night};
  input.history.failures = {{night.label, "xla", input.history.cases[1],
                             R"({"verdict":"fail","reason":"</script><script>x()</script>"})",
                             "HloModule m // </script>\xff"}};
  return input;
}

nlohmann::json DataOf(const std::string& page) {
  const std::string open = "<script type=\"application/json\" id=\"data\">";
  size_t begin = page.find(open) + open.size();
  return ParseJson<nlohmann::json>(page.substr(begin, page.find("</script>", begin) - begin));
}

TEST(PageTest, RunDataIsEscapedInScript) {
  nlohmann::json data = DataOf(ToPage(Input()));
  EXPECT_EQ(data["cases"][1], "movement/pad:</script>:type=f32");
  EXPECT_EQ(data["failures"][0]["record"]["reason"], "</script><script>x()</script>");
  EXPECT_EQ(data["failures"][0]["case"], 1);
  EXPECT_THAT(data["texts"][0].get<std::string>(), HasSubstr("</script>"));
  EXPECT_EQ(data["nights"][0]["engines"]["xla"]["marks"], "pF");
  EXPECT_THAT(ToPage(Input()), HasSubstr("&lt;b&gt;2026-11-24"));
}

TEST(PageTest, ItNamesNoOtherFile) {
  const std::string page = ToPage(Input());
  EXPECT_THAT(page, Not(HasSubstr("src=\"")));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  EXPECT_THAT(page, Not(HasSubstr("@TITLE@")));
  for (const char* library : {"jQuery", "DataTables", "Chart.js"})
    EXPECT_THAT(page, HasSubstr(library));
  EXPECT_LT(page.size(), 3'000'000u);
}

TEST(PageTest, OpcodesOfRealProgramsAreCounted) {
  std::map<std::string, int64_t> weights;
  CountOpcodes(
      "ENTRY main {\n  %p = f32[2]{0} parameter(0)\n  t = (f32[2]{0}, s32[]) tuple(p, q)\n"
      "  ROOT r.1 = f32[] reduce-window(f32[2]{0} %p, z), window={size=2}\n}\n",
      weights);
  EXPECT_EQ(weights,
            (std::map<std::string, int64_t>{{"parameter", 1}, {"tuple", 1}, {"reduce-window", 1}}));
}

}  // namespace
}  // namespace hlocts::reports
