// SPDX-License-Identifier: Apache-2.0
// Legal executions and wrong answers of variants/, made by numpy alone
// (tools/selfcheck/variants): each profile gives the verdict that the file states. Another
// folder: $HLOCTS_VARIANTS.
#include "reference/judge/variants_testing.h"

namespace hlocts::reference {
namespace {

void CheckProfile(const Variant& variant, Profile profile, char expected) {
  const JudgeResult result = JudgeVariant(variant, profile);
  EXPECT_EQ(VerdictLetter(AcceptedOr(result)), expected)
      << variant.name << " in " << ProfileName(profile) << ": " << result.reason
      << (result.first_failure ? absl::StrCat(" found ", result.first_failure->actual,
                                              ", accepted ", result.first_failure->accepted)
                               : "");
}

class VariantTest : public testing::TestWithParam<std::string> {};

TEST_P(VariantTest, HasItsVerdict) {
  const std::vector<Variant> variants = ReadVariants(GetParam());
  ASSERT_FALSE(variants.empty());
  for (const Variant& variant : variants) {
    const std::string& verdicts = variant.verdicts;
    for (size_t i = 0; i + 1 < verdicts.size(); i += 2) {
      CheckProfile(variant, ProfileOf(verdicts[i]), verdicts[i + 1]);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Files, VariantTest, testing::ValuesIn(VariantFiles()),
                         [](const auto& info) {
                           return std::filesystem::path(info.param).stem().string();
                         });

}  // namespace
}  // namespace hlocts::reference
