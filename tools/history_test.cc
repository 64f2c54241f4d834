// SPDX-License-Identifier: Apache-2.0
// Tests which releases `hlocts history` runs, and the sentence about their answers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tools/cli_testing.h"
#include "tools/history/releases.h"

namespace hlocts::tools {
namespace {

using fuzz::Cell;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

// Options decide the answer, so a change of options is not a change of releases.
TEST(ReleasesTest, AnswersOfOtherOptionsAreNotJoined) {
  const std::vector<Row> kept = {{"jaxlib@1", "", {.cell = Cell::kBad}}};
  EXPECT_EQ(WithKept({{"xla@1", "", {.cell = Cell::kGood}}}, kept).size(), 2);
  EXPECT_EQ(WithKept({{"xla@1?a=b", "", {.cell = Cell::kGood}}}, kept).size(), 1);
  EXPECT_EQ(WithKept({{"xla@1?a=b", "", {.cell = Cell::kMissing}}}, kept).size(), 2);
}

class HistoryTest : public FolderTest {};

// The user's jaxlib has no date of its own. Without one, it would be older than all releases.
TEST_F(HistoryTest, TheUsersJaxHasThePlaceOfItsVersion) {
  const std::string info = Path("jaxlib-0.10.9.dist-info");
  std::filesystem::create_directories(info);
  std::ofstream(info + "/METADATA") << "Metadata-Version: 2.1\nName: jaxlib\nVersion: 0.10.9\n";
  setenv("PYTHONPATH", Path("").c_str(), 1);
  const auto releases = Releases::Select({"jax", "jaxlib"});
  unsetenv("PYTHONPATH");
  ASSERT_TRUE(releases.ok()) << releases.status();
  std::vector<std::string> names;
  for (size_t r = 0; r < releases->size(); ++r) names.push_back(releases->NameOf(r));
  const auto jax = absl::c_find(names, "jax");
  EXPECT_LT(absl::c_find(names, "jaxlib@0.10.2"), jax);
  EXPECT_LT(jax, absl::c_find(names, "jaxlib@0.11.0"));
  reports::Verdict verdict;
  verdict.backend = "jax?a=b";
  verdict.backend_version = "jaxlib 0.10.2, cpu";
  EXPECT_EQ(releases->NameOf(*releases->Find(verdict)), "jaxlib@0.10.2");
  verdict.backend_version = "jaxlib 0.10.9, cpu";
  EXPECT_EQ(releases->NameOf(*releases->Find(verdict)), "jax");
}

// A failure of jaxlib's conversion is in no release of xla. If one bisection had both families, the
// newest xla would count as the last good release before the newest jaxlib.
TEST(ReleasesTest, FamiliesAreBisectedApart) {
  auto releases = Releases::Select({});
  ASSERT_TRUE(releases.ok()) << releases.status();
  const auto fails = [&](size_t r) {
    return absl::StartsWith(releases->NameOf(r), "jaxlib@") &&
           releases->engine(r).date() >= "2025-06-01";
  };
  Subject subject;
  subject.answers.resize(releases->size());
  for (auto next = releases->Next(subject, /*all=*/false); !next.empty();
       next = releases->Next(subject, /*all=*/false)) {
    for (size_t r : next) subject.answers[r].cell = fails(r) ? Cell::kBad : Cell::kGood;
  }
  for (size_t r = 0; r < releases->size(); ++r) {
    const Cell cell = subject.answers[r].cell;
    EXPECT_EQ(cell == Cell::kBad, fails(r) && cell != Cell::kNotRun) << releases->NameOf(r);
    if (!fails(r)) continue;
    EXPECT_EQ(cell, Cell::kBad) << releases->NameOf(r) << " is the first release that fails";
    break;
  }
}

TEST_F(HistoryTest, FamiliesOfReleasesThatAreConsistentAloneAreNamed) {
  const std::string empty = absl::StrCat("HLOCTS_CACHE=", Path("empty"));
  const std::string module = Write("m.hlo",
                                   "HloModule m\nENTRY e {\n  n = f32[] constant(nan)\n"
                                   "  o = f32[] constant(1)\n  ROOT r = f32[] maximum(n, o)\n}\n");
  RunHlocts("shrink " + module + " --backend=mine=canary:maximum.drops-nan -o " + Path("s"));
  Write("s/history.json", R"({"releases":[{"name":"jaxlib@1","date":"2024-06-18","mark":"X"},)"
                          R"({"name":"xla@1","date":"2024-07-01","mark":"o"},)"
                          R"({"name":"jaxlib@2","date":"2024-08-01","mark":"X"}]})");
  RunHlocts("history --keep --all " + Path("s"), empty);
  EXPECT_THAT(Read("s/README.md"),
              HasSubstr("the verdict changes more than once, but at most once in each family "
                        "(jaxlib: first bad jaxlib@1, the oldest release with an answer; last bad "
                        "jaxlib@2; xla: no release that ran has a failure)"));
  Write("s/history.json", R"({"releases":[{"name":"jaxlib@1","date":"2014-06-18","mark":"o"},)"
                          R"({"name":"jaxlib@2","date":"2044-08-01","mark":"X"},)"
                          R"({"name":"jaxlib@3","date":"2044-09-01","mark":"?"}]})");
  RunHlocts("history --keep --engine=jaxlib " + Path("s"), empty);
  EXPECT_THAT(
      RunHlocts("report-bug " + Path("s")).out,
      ContainsRegex("releases: first bad jaxlib@2, good before in jaxlib@1 \\(between them "
                    "[0-9]+ of jaxlib did not run\\); last bad jaxlib@2; jaxlib@3 passes, but "
                    "got other instructions; not run: [0-9]+ not installed or not usable here: "));
  // A plugin by path has none of the options of releases, which may hide its failure.
  Write("s/history.json", R"({"releases":[{"name":"xla@0.11.2","mark":"/","reason":"why"}]})");
  RunHlocts("history --keep --engine=jaxlib@0.4.30 " + Path("s"), empty);
  EXPECT_THAT(RunHlocts("report-bug " + Path("s")).out,
              HasSubstr("releases: no release that ran is decided; 1 not decided (why); releases "
                        "ran with the compile options xla_cpu_enable_fast_min_max=false, the "
                        "recorded engine with none (the plugin's own defaults); not run: 1 not"));
}

}  // namespace
}  // namespace hlocts::tools
