// SPDX-License-Identifier: Apache-2.0
#include "fuzz/triage/history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spec/text/parser.h"

namespace hlocts::fuzz {
namespace {

// Returns the cells of marks such as "oX.-".
std::vector<Cell> Cells(const std::string& marks) {
  std::vector<Cell> cells;
  for (char mark : marks) {
    for (Cell cell : {Cell::kNotRun, Cell::kMissing, Cell::kGood, Cell::kBad, Cell::kPatternAbsent,
                      Cell::kOther}) {
      if (CellMark(cell) == mark) cells.push_back(cell);
    }
  }
  EXPECT_EQ(cells.size(), marks.size());
  return cells;
}

// Queries releases until none is left, and returns the marks of all cells.
std::string Search(const std::string& truth, int64_t* asked = nullptr,
                   std::optional<size_t> recorded = std::nullopt) {
  std::vector<Cell> cells = Cells(truth), seen;
  for (Cell cell : cells) seen.push_back(cell == Cell::kMissing ? cell : Cell::kNotRun);
  while (auto next = NextRelease(seen, recorded)) {
    EXPECT_EQ(seen[*next], Cell::kNotRun);
    if (seen[*next] != Cell::kNotRun) break;
    seen[*next] = cells[*next];
    if (asked) ++*asked;
  }
  std::string marks;
  for (Cell cell : seen) marks += CellMark(cell);
  return marks;
}

TEST(HistoryTest, TheTurnsAreNamed) {
  RegressionPoints turns = RegressionPointsOf(Cells("oo?XX/Xoo"));
  EXPECT_EQ(turns.first_bad, 3u);
  EXPECT_EQ(turns.last_good_before, 1u);
  EXPECT_EQ(turns.last_bad, 6u);
  EXPECT_EQ(turns.first_good_after, 7u);
  EXPECT_FALSE(turns.monotone);
  turns = RegressionPointsOf(Cells("?X"));
  EXPECT_FALSE(turns.last_good_before.has_value()) << "what was not shown is not good";
  EXPECT_FALSE(RegressionPointsOf(Cells("o?/o")).first_bad.has_value());
}

TEST(HistoryTest, OneChangeIsFoundInFewSteps) {
  for (size_t change = 1; change < 32; ++change) {
    std::string truth = std::string(change, 'X') + std::string(32 - change, 'o');
    int64_t asked = 0;
    RegressionPoints turns = RegressionPointsOf(Cells(Search(truth, &asked)));
    EXPECT_EQ(turns.last_bad, change - 1) << truth;
    EXPECT_EQ(turns.first_good_after, change) << truth;
    EXPECT_LE(asked, 8) << truth;
  }
}

TEST(HistoryTest, NonMonotoneHistoryRunsAllReleases) {
  EXPECT_EQ(Search("oooXXXXooo"), "oooXXXXooo");
  EXPECT_EQ(Search("XXXX"), "X.XX") << "one look between equal ends";
}

TEST(HistoryTest, TheRecordedReleaseRunsAndBothSidesAreBisected) {
  EXPECT_EQ(Search("ooooooooXo"), "o....o...o") << "the ends and one look miss it";
  EXPECT_EQ(Search("ooooooooXo", nullptr, 8), "o...o.ooXo");
  EXPECT_EQ(Search("o--o--X--o", nullptr, 6), "o--o--X--o");
  EXPECT_EQ(Search("oXXXXXXXXX", nullptr, 9), "oXXX.X...X");
  EXPECT_EQ(NextRelease(Cells("XoX.Xo"), 4), 3u) << "several changes on one side";
  EXPECT_EQ(Search("oooooooo", nullptr, 6), "o.....oo") << "a flake that does not show";
  EXPECT_EQ(Search("ooo-o", nullptr, 3), "o.o-o") << "not installed";
}

TEST(HistoryTest, NothingRestsOnWhatWasNotShown) {
  EXPECT_EQ(Search("??XXXX"), "??X.XX") << "the oldest that says something is looked for";
  EXPECT_EQ(Search("-X-o-"), "-X-o-");
  EXPECT_EQ(Search("//??"), "//??");
  EXPECT_EQ(Search("XX?/?oo"), "XX?/?oo") << "the change lies among those that do not say";
}

std::unique_ptr<Module> ParsedModule(const std::string& body) {
  auto module = ParseModule("HloModule m\nENTRY e { " + body + " }");
  EXPECT_TRUE(module.ok()) << module.status();
  return *std::move(module);
}

TEST(HistoryTest, APatternThatWasFoldedIsNotShown) {
  auto module = ParsedModule(
      "p = f32[2,3] parameter(0) a = f32[2,3] exponential(p) "
      "ROOT r = f32[2,3] log(a)");
  auto same = ParsedModule(
      "q = f32[2,3] parameter(0) b = f32[2,3] exponential(q) "
      "c = f32[2,3] log(b) ROOT t = (f32[2,3]) tuple(c)");
  auto folded = ParsedModule("ROOT q = f32[2,3] parameter(0)");
  auto other_layout = ParsedModule(
      "p = f32[2,3] parameter(0) a = f32[2,3]{0,1} exponential(p) "
      "ROOT r = f32[2,3] log(a)");
  EXPECT_TRUE(StillShows(*module, *same));
  EXPECT_FALSE(StillShows(*module, *folded));
  EXPECT_FALSE(StillShows(*other_layout, *same)) << "the layout was dropped";
}

TEST(HistoryTest, APatternWithOtherOperandsOrTuplesIsNotShown) {
  const std::string array = "p = f32[2] parameter(0) l = f32[] parameter(1) ", r = "ROOT r = ";
  const std::string flat = "a = f32[] parameter(0) b = f32[] parameter(1) " + r + "tuple(a, b)";
  for (const auto& [pattern, other] :
       {std::pair(array + r + "clamp(l, p, l)",
                  array + "m = f32[2] broadcast(l), dimensions={} " + r + "clamp(m, p, m)"),
        std::pair("p = (f32[], f32[]) parameter(0) " + r + "get-tuple-element(p), index=0", flat),
        std::pair("a = f32[] parameter(0) t = tuple(a) " + r + "tuple(a, t)", flat)}) {
    EXPECT_TRUE(StillShows(*ParsedModule(pattern), *ParsedModule(pattern)));
    EXPECT_FALSE(StillShows(*ParsedModule(pattern), *ParsedModule(other))) << pattern;
  }
}

}  // namespace
}  // namespace hlocts::fuzz
