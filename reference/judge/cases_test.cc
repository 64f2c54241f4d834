// SPDX-License-Identifier: Apache-2.0
// The files of cases/: each answer has, in each profile that its @verdict names, that verdict.
#include <algorithm>
#include <filesystem>

#include "absl/strings/match.h"
#include "reference/judge/judge_testing.h"
#include "spec/files/file_io.h"
#include "suites/case.h"

namespace hlocts::reference {
namespace {

constexpr char kFolder[] = HLOCTS_SOURCE_DIR "/reference/judge/cases";

std::vector<std::string> Files() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kFolder)) {
    if (entry.path().extension() == ".case") paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

class CasesTest : public testing::TestWithParam<std::string> {};

TEST_P(CasesTest, HaveTheirVerdicts) {
  const auto text = ReadFile(GetParam());
  ASSERT_TRUE(text.ok()) << text.status();
  const std::string stem = std::filesystem::path(GetParam()).stem().string();
  const auto cases = suites::ParseCases(*text, "judge", stem, GetParam());
  ASSERT_TRUE(cases.ok()) << cases.status();
  for (const suites::Case& one : *cases) {
    const std::string place = absl::StrCat(one.place.file, ":", one.place.line, ": ");
    EXPECT_FALSE(one.outputs.empty()) << place << "no @output";
    auto module = ParseModule(one.module_text);
    ASSERT_TRUE(module.ok()) << place << module.status();
    JudgeOptions options;
    for (const std::string& fact : one.facts)
      EXPECT_TRUE(SetTargetFact(fact, options.facts).ok()) << place << fact;
    for (const suites::CaseOutput& output : one.outputs) {
      for (const auto& [profile, outcome] : output.verdicts) {
        options.profile = profile;
        auto result =
            Judge(**module, ParseLines(one.inputs_text), ParseLines(output.text), options);
        ASSERT_TRUE(result.ok()) << place << result.status();
        EXPECT_EQ(OutcomeName(AcceptedOr(*result)), OutcomeName(outcome))
            << place << output.name << " in " << ProfileName(profile) << ": " << result->reason;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Files, CasesTest, testing::ValuesIn(Files()), [](const auto& info) {
  return absl::StrCat("lemma_", std::filesystem::path(info.param).stem().string());
});

// Each lemma that has cases names their file, and each file a lemma that there is.
TEST(CaseFilesTest, AreNamedByTheirLemma) {
  for (const std::string& path : Files()) {
    const std::string file = std::filesystem::path(path).filename().string();
    bool named = false;
    for (const auto& page :
         std::filesystem::directory_iterator(HLOCTS_SOURCE_DIR "/spec/judge/rules")) {
      const auto text = ReadFile(page.path().string());
      named = named || (text.ok() && absl::StrContains(*text, "reference/judge/cases/" + file));
    }
    EXPECT_TRUE(named) << file;
  }
}

}  // namespace
}  // namespace hlocts::reference
