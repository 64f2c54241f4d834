// SPDX-License-Identifier: Apache-2.0
// The files of variants/ for the tests that judge them.
#ifndef HLOCTS_REFERENCE_JUDGE_VARIANTS_TESTING_H_
#define HLOCTS_REFERENCE_JUDGE_VARIANTS_TESTING_H_

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "reference/judge/judge_testing.h"

namespace hlocts::reference {

struct Variant {
  std::string module, name, verdicts;
  std::vector<std::string> inputs, outputs;
  TargetFacts facts;
};

inline std::string VariantFolder() {
  const char* given = std::getenv("HLOCTS_VARIANTS");
  return given != nullptr ? given : HLOCTS_SOURCE_DIR "/reference/judge/variants";
}

inline std::vector<std::string> VariantFiles() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(VariantFolder())) {
    if (entry.path().extension() == ".variants") paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

// "--- case NAME VERDICTS FACT ..."
inline Variant VariantOf(absl::string_view line, const std::string& module) {
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

inline std::vector<Variant> ReadVariants(const std::string& path) {
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
      variants.push_back(VariantOf(line, module));
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

inline std::vector<Literal> ParseAll(const std::vector<std::string>& texts) {
  std::vector<const char*> pointers;
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  return Parse(pointers);
}

inline char VerdictLetter(Outcome outcome) {
  return outcome == Outcome::kPass           ? '+'
         : outcome == Outcome::kFail         ? '-'
         : outcome == Outcome::kInconclusive ? '?'
                                             : '!';
}

inline Profile ProfileOf(char letter) {
  return letter == 'S' ? Profile::kStrict : letter == 'D' ? Profile::kDefault : Profile::kRelaxed;
}

inline JudgeResult JudgeVariant(const Variant& variant, Profile profile,
                                const Bounds& bounds = kBounds) {
  auto module = ParseModule(variant.module);
  EXPECT_TRUE(module.ok()) << module.status() << variant.module;
  if (!module.ok()) return {};
  JudgeOptions options;
  options.profile = profile;
  options.facts = variant.facts;
  options.bounds = &bounds;
  auto result = Judge(**module, ParseAll(variant.inputs), ParseAll(variant.outputs), options);
  EXPECT_TRUE(result.ok()) << variant.name << ": " << result.status();
  return result.ok() ? *std::move(result) : JudgeResult();
}

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_JUDGE_VARIANTS_TESTING_H_
