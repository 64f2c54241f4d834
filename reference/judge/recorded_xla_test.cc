// SPDX-License-Identifier: Apache-2.0
// Outputs that real XLA gave, one file of recorded_xla/ each, judged without XLA: never a failure
// in the profiles that a compiler is held to, and in strict what the file says.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "reference/judge/judge_testing.h"

namespace hlocts::reference {
namespace {

struct Recorded {
  std::string module;
  std::vector<Literal> inputs, outputs;
  std::string strict;  // its verdict there
  TargetFacts facts;
};

Recorded Read(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  std::vector<std::string> parts = absl::StrSplit(text.str(), "--- ");
  Recorded recorded;
  EXPECT_EQ(parts.size(), 4u) << path << ": expected --- module, --- inputs, --- outputs";
  if (parts.size() != 4) return recorded;
  for (absl::string_view line : absl::StrSplit(parts[0], '\n')) {
    if (absl::ConsumePrefix(&line, "strict: ")) recorded.strict = std::string(line);
    if (!absl::ConsumePrefix(&line, "facts: ")) continue;
    for (absl::string_view fact : absl::StrSplit(line, ' ')) {
      EXPECT_TRUE(SetTargetFact(fact, recorded.facts).ok()) << path << ": " << fact;
    }
  }
  auto after = [&](size_t part, absl::string_view name) {
    absl::string_view body = parts[part];
    EXPECT_TRUE(absl::ConsumePrefix(&body, name)) << path << ": expected --- " << name;
    return body;
  };
  recorded.module = std::string(after(1, "module\n"));
  recorded.inputs = ParseLines(after(2, "inputs\n"));
  recorded.outputs = ParseLines(after(3, "outputs\n"));
  return recorded;
}

std::string VerdictIn(Profile profile, const Recorded& recorded, std::string& reason) {
  auto module = ParseModule(recorded.module);
  EXPECT_TRUE(module.ok()) << module.status();
  if (!module.ok()) return "";
  JudgeOptions options;
  options.profile = profile;
  options.facts = recorded.facts;
  auto result = Judge(**module, recorded.inputs, recorded.outputs, options);
  EXPECT_TRUE(result.ok()) << result.status();
  if (!result.ok()) return "";
  reason = result->reason;
  return std::string(OutcomeName(AcceptedOr(*result)));
}

std::vector<std::string> Files() {
  std::vector<std::string> paths;
  for (const auto& entry :
       std::filesystem::directory_iterator(HLOCTS_SOURCE_DIR "/reference/judge/recorded_xla")) {
    if (entry.path().extension() == ".recorded") paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

class RecordedTest : public testing::TestWithParam<std::string> {};

TEST_P(RecordedTest, IsNeverAFailure) {
  Recorded recorded = Read(GetParam());
  ASSERT_FALSE(recorded.outputs.empty());
  std::string reason;
  EXPECT_NE(VerdictIn(Profile::kDefault, recorded, reason), "fail") << reason;
  EXPECT_NE(VerdictIn(Profile::kRelaxed, recorded, reason), "fail") << reason;
  EXPECT_EQ(VerdictIn(Profile::kStrict, recorded, reason), recorded.strict) << reason;
}

INSTANTIATE_TEST_SUITE_P(Files, RecordedTest, testing::ValuesIn(Files()), [](const auto& info) {
  return std::filesystem::path(info.param).stem().string();
});

}  // namespace
}  // namespace hlocts::reference
