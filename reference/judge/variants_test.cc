// SPDX-License-Identifier: Apache-2.0
// Legal executions and wrong answers of variants/, made by numpy alone
// (results/selfcheck/variants): each profile gives the verdict that the file states. Another
// folder: $HLOCTS_VARIANTS.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "reference/judge/judge_testing.h"

namespace hlocts::reference {
namespace {

struct Variant {
  std::string module, name, verdicts;
  std::vector<std::string> inputs, outputs;
  TargetFacts facts;
};

std::string Folder() {
  const char* given = std::getenv("HLOCTS_VARIANTS");
  return given != nullptr ? given : HLOCTS_SOURCE_DIR "/reference/judge/variants";
}

std::vector<std::string> VariantFiles() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(Folder())) {
    if (entry.path().extension() == ".variants") paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

// "--- case NAME VERDICTS FACT ..."
Variant CaseOf(absl::string_view line, const std::string& module) {
  Variant variant;
  variant.module = module;
  std::vector<std::string> words = absl::StrSplit(line, ' ', absl::SkipEmpty());
  EXPECT_GE(words.size(), 2u) << line;
  if (words.size() < 2) return variant;
  variant.name = words[0];
  variant.verdicts = words[1];
  for (size_t i = 2; i < words.size(); ++i) {
    const absl::Status status = SetTargetFact(words[i], variant.facts);
    EXPECT_TRUE(status.ok()) << status;
  }
  return variant;
}

std::vector<Variant> Read(const std::string& path) {
  std::ifstream file(path);
  std::vector<Variant> variants;
  std::string module;
  std::vector<std::string> shared;
  bool in_case = false;
  for (std::string text; std::getline(file, text);) {
    absl::string_view line = text;
    if (absl::StartsWith(line, "#")) continue;
    if (line == "--- module") {
      module.clear();
      shared.clear();
      in_case = false;
    } else if (absl::ConsumePrefix(&line, "--- case ")) {
      variants.push_back(CaseOf(line, module));
      in_case = true;
    } else if (absl::ConsumePrefix(&line, "in ")) {
      (in_case ? variants.back().inputs : shared).push_back(std::string(line));
    } else if (absl::ConsumePrefix(&line, "out ")) {
      variants.back().outputs.push_back(std::string(line));
      if (variants.back().inputs.empty()) variants.back().inputs = shared;
    } else {
      absl::StrAppend(&module, line, "\n");
    }
  }
  return variants;
}

std::vector<Literal> ParseAll(const std::vector<std::string>& texts) {
  std::vector<const char*> pointers;
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  return Parse(pointers);
}

char VerdictLetter(Outcome outcome) {
  return outcome == Outcome::kPass           ? '+'
         : outcome == Outcome::kFail         ? '-'
         : outcome == Outcome::kInconclusive ? '?'
                                             : '!';
}

void CheckProfile(const Variant& variant, Profile profile, char expected) {
  auto module = ParseModule(variant.module);
  ASSERT_TRUE(module.ok()) << module.status() << variant.module;
  JudgeOptions options;
  options.profile = profile;
  options.facts = variant.facts;
  auto result = Judge(**module, ParseAll(variant.inputs), ParseAll(variant.outputs), options);
  ASSERT_TRUE(result.ok()) << variant.name << ": " << result.status();
  EXPECT_EQ(VerdictLetter(AcceptedOr(*result)), expected)
      << variant.name << " in " << ProfileName(profile) << ": " << result->reason
      << (result->first_failure ? absl::StrCat(" found ", result->first_failure->actual,
                                               ", accepted ", result->first_failure->accepted)
                                : "");
}

class VariantTest : public testing::TestWithParam<std::string> {};

TEST_P(VariantTest, HasItsVerdict) {
  const std::vector<Variant> variants = Read(GetParam());
  ASSERT_FALSE(variants.empty());
  for (const Variant& variant : variants) {
    const std::string& verdicts = variant.verdicts;
    for (size_t i = 0; i + 1 < verdicts.size(); i += 2) {
      const Profile profile = verdicts[i] == 'S'   ? Profile::kStrict
                              : verdicts[i] == 'D' ? Profile::kDefault
                                                   : Profile::kRelaxed;
      CheckProfile(variant, profile, verdicts[i + 1]);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Files, VariantTest, testing::ValuesIn(VariantFiles()),
                         [](const auto& info) {
                           return std::filesystem::path(info.param).stem().string();
                         });

}  // namespace
}  // namespace hlocts::reference
