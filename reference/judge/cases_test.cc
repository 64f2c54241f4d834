// SPDX-License-Identifier: Apache-2.0
// Judges the answers in cases/ and compares the verdicts with their @verdict lines.
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "reference/judge/cases_testing.h"
#include "spec/base/status_testing.h"

namespace hlocts::reference {
namespace {

std::filesystem::path Folder() { return HLOCTS_SOURCE_DIR "/reference/judge/cases"; }

class CasesTest : public testing::TestWithParam<std::string> {};

TEST_P(CasesTest, HaveTheirVerdicts) {
  for (const suites::Case& one : CasesOf(GetParam())) {
    const std::string place = absl::StrCat(one.place.file, ":", one.place.line, ": ");
    EXPECT_FALSE(one.outputs.empty()) << place << "no @output";
    for (const suites::CaseOutput& answer : one.outputs) {
      for (const auto& [profile, outcome] : answer.verdicts) {
        const auto result = JudgeAnswer(one, answer, profile);
        ASSERT_TRUE(result.ok()) << place << result.status();
        EXPECT_TRUE(Agrees(*result, outcome))
            << place << answer.name << " in " << ProfileName(profile) << ": expected "
            << OutcomeName(outcome) << ", found " << OutcomeName(result->outcome) << ": "
            << result->reason
            << (result->first_failure ? absl::StrCat(" found ", result->first_failure->actual,
                                                     ", accepted ", result->first_failure->accepted)
                                      : "");
      }
    }
  }
}

// Names a test after its file: "lemma_09_sort", "lemma_executions_09_sort".
INSTANTIATE_TEST_SUITE_P(Files, CasesTest, testing::ValuesIn(CaseFiles()), [](const auto& info) {
  const std::filesystem::path path(info.param);
  const std::string parent = path.parent_path().filename().string();
  return absl::StrCat(parent == "executions" ? "executions_" : "lemma_", path.stem().string());
});

// A file NN_NAME.case contains `@from lemma NN`, and the section of lemma NN names the file.
TEST(CaseFilesTest, NameTheirLemmaAndAreNamedByIt) {
  std::string sections;
  for (const auto& page :
       std::filesystem::directory_iterator(HLOCTS_SOURCE_DIR "/spec/judge/rules")) {
    HLOCTS_ASSERT_OK_AND_ASSIGN(const auto text, ReadFile(page.path().string()));
    absl::StrAppend(&sections, text, "\n");
  }
  for (const auto& entry : std::filesystem::recursive_directory_iterator(Folder())) {
    const std::string stem = entry.path().stem().string();
    int lemma = 0;
    // A file without a number has cases of clauses, not of a lemma.
    if (!absl::SimpleAtoi(stem.substr(0, 2), &lemma)) continue;
    HLOCTS_ASSERT_OK_AND_ASSIGN(const auto text, ReadFile(entry.path().string()));
    EXPECT_TRUE(absl::StrContains(text, absl::StrCat("\n@from lemma ", lemma, "\n"))) << stem;
    const size_t begin = sections.find(absl::StrCat("\n## ", lemma, ". "));
    ASSERT_NE(begin, std::string::npos) << stem;
    const std::string section = sections.substr(begin, sections.find("\n## ", begin + 1) - begin);
    const std::string name = std::filesystem::relative(entry.path(), HLOCTS_SOURCE_DIR).string();
    EXPECT_TRUE(absl::StrContains(section, name)) << name << " in the section of its lemma";
  }
}

}  // namespace
}  // namespace hlocts::reference
