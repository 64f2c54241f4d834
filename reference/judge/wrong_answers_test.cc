// SPDX-License-Identifier: Apache-2.0
// Wrong answers that must never pass, one file of wrong_answers/ each: refused in exactly the
// profiles that the file names, while the right answers beside them are refused in none.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "reference/judge/judge_testing.h"

namespace hlocts::reference {
namespace {

struct WrongAnswers {
  std::string clause, otherwise;
  std::vector<std::string> refused, never_passes;  // profiles
  std::string module;
  std::vector<Literal> inputs;
  std::vector<std::vector<Literal>> right, wrong;
};

void ReadHeader(absl::string_view text, WrongAnswers& answers) {
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    if (absl::ConsumePrefix(&line, "clause: ")) answers.clause = std::string(line);
    if (absl::ConsumePrefix(&line, "otherwise: ")) answers.otherwise = std::string(line);
    if (absl::ConsumePrefix(&line, "never passes: ")) {
      answers.never_passes = absl::StrSplit(line, ' ');
    }
    if (absl::ConsumePrefix(&line, "refused: ")) answers.refused = absl::StrSplit(line, ' ');
  }
}

WrongAnswers ReadAnswers(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  std::vector<std::string> parts = absl::StrSplit(text.str(), "--- ");
  WrongAnswers answers;
  ReadHeader(parts[0], answers);
  for (size_t i = 1; i < parts.size(); ++i) {
    absl::string_view body = parts[i];
    if (absl::ConsumePrefix(&body, "module\n")) {
      answers.module = std::string(body);
    } else if (absl::ConsumePrefix(&body, "inputs\n")) {
      answers.inputs = ParseLines(body);
    } else if (absl::ConsumePrefix(&body, "right\n")) {
      answers.right.push_back(ParseLines(body));
    } else if (absl::ConsumePrefix(&body, "wrong\n")) {
      answers.wrong.push_back(ParseLines(body));
    } else {
      ADD_FAILURE() << path << ": unknown part " << body.substr(0, 20);
    }
  }
  return answers;
}

JudgeResult ResultIn(Profile profile, const WrongAnswers& answers,
                     const std::vector<Literal>& outputs) {
  auto module = ParseModule(answers.module);
  EXPECT_TRUE(module.ok()) << module.status();
  if (!module.ok()) return {};
  JudgeOptions options;
  options.profile = profile;
  auto result = Judge(**module, answers.inputs, outputs, options);
  EXPECT_TRUE(result.ok()) << result.status();
  return result.ok() ? *result : JudgeResult();
}

std::vector<std::string> AnswerFiles() {
  std::vector<std::string> paths;
  for (const auto& entry :
       std::filesystem::directory_iterator(HLOCTS_SOURCE_DIR "/reference/judge/wrong_answers")) {
    if (entry.path().extension() == ".wrong") paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

bool Names(const std::vector<std::string>& profiles, const char* name) {
  return std::find(profiles.begin(), profiles.end(), name) != profiles.end();
}

class WrongAnswersTest : public testing::TestWithParam<std::string> {};

TEST_P(WrongAnswersTest, AreRefused) {
  const WrongAnswers answers = ReadAnswers(GetParam());
  ASSERT_FALSE(answers.wrong.empty());
  ASSERT_FALSE(answers.right.empty()) << "a right answer shows that the judge can pass one";
  EXPECT_FALSE(answers.clause.empty());
  EXPECT_EQ(answers.refused.size() + answers.never_passes.size() == 3, answers.otherwise.empty())
      << "say in 'otherwise:' why some profile cannot refuse it";
  constexpr std::pair<Profile, const char*> kProfiles[] = {
      {Profile::kStrict, "strict"}, {Profile::kDefault, "default"}, {Profile::kRelaxed, "relaxed"}};
  for (const auto& [profile, name] : kProfiles) {
    const bool refused = Names(answers.refused, name);
    const bool open = Names(answers.never_passes, name);
    for (size_t i = 0; i < answers.wrong.size(); ++i) {
      const JudgeResult result = ResultIn(profile, answers, answers.wrong[i]);
      EXPECT_EQ(result.outcome == Outcome::kFail, refused)
          << name << ", wrong answer " << i << ": " << OutcomeName(result.outcome) << " "
          << result.reason;
      EXPECT_FALSE(open && result.outcome == Outcome::kPass) << name << ", wrong answer " << i;
    }
    for (size_t i = 0; i < answers.right.size(); ++i) {
      const JudgeResult result = ResultIn(profile, answers, answers.right[i]);
      EXPECT_NE(result.outcome, Outcome::kFail)
          << name << ", right answer " << i << ": " << result.reason;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Files, WrongAnswersTest, testing::ValuesIn(AnswerFiles()),
                         [](const auto& info) {
                           return std::filesystem::path(info.param).stem().string();
                         });

}  // namespace
}  // namespace hlocts::reference
