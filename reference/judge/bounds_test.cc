// SPDX-License-Identifier: Apache-2.0
// Tests mutants of the judge's constants (spec/judge/bounds.def). If a constant is halved, some
// answer in the case files of its lemma must get another verdict, unless spec/judge/RULES.md lists
// the constant as untested.
#include "spec/judge/bounds.h"

#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "reference/judge/cases_testing.h"
#include "spec/base/status_testing.h"

namespace hlocts::reference {
namespace {

// Returns the first case with an answer whose verdict is not the stated one; "" if none.
std::string FirstMiss(const Bounds& bounds, const std::vector<suites::Case>& cases) {
  for (const suites::Case& one : cases) {
    for (const suites::CaseOutput& answer : one.outputs) {
      for (const auto& [profile, outcome] : answer.verdicts) {
        const auto result = JudgeAnswer(one, answer, profile, bounds);
        if (result.ok() && !Agrees(*result, outcome)) return one.address;
      }
    }
  }
  return "";
}

TEST(BoundsTest, HalfOfAConstantChangesAVerdictOrItIsListedAsUntested) {
  HLOCTS_ASSERT_OK_AND_ASSIGN(const auto rules, ReadFile(HLOCTS_SOURCE_DIR "/spec/judge/RULES.md"));
  std::map<int, std::vector<suites::Case>> cases;
  for (const std::string& path : CaseFiles()) {
    int lemma = 0;
    if (!absl::SimpleAtoi(std::filesystem::path(path).stem().string().substr(0, 2), &lemma))
      continue;
    for (suites::Case& one : CasesOf(path)) cases[lemma].push_back(std::move(one));
  }
  for (const auto& [lemma, its] : cases) {
    const std::string miss = FirstMiss(Bounds(), its);
    ASSERT_EQ(miss, "") << "lemma " << lemma
                        << ": with unchanged constants, an answer of this case "
                        << "has another verdict than its file states, so no constant is tested";
  }
  for (size_t row = 0; row < std::size(Bounds::kRows); ++row) {
    const Bounds::Row& bound = Bounds::kRows[row];
    const bool untested = absl::StrContains(
        rules, absl::StrFormat("\n| `%s` | %d | untested |", bound.name, bound.lemma));
    const bool noticed = !FirstMiss(Bounds::WithHalf(row), cases[bound.lemma]).empty();
    const char* problem = untested ? " is listed as untested, and is noticed"
                                   : ": half of it changes no verdict of its lemma's files";
    EXPECT_NE(noticed, untested) << bound.name << problem;
  }
}

}  // namespace
}  // namespace hlocts::reference
