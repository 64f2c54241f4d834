// SPDX-License-Identifier: Apache-2.0
// Mutants of the judge's constants (spec/judge/bounds.def): with one of them halved a legal
// execution of variants/ is refused, or its row says why there is none.
#include "spec/judge/bounds.h"

#include "reference/judge/variants_testing.h"

namespace hlocts::reference {
namespace {

// The legal executions, as far as they pass: each with one profile.
std::vector<std::pair<Variant, Profile>> Kept() {
  std::vector<std::pair<Variant, Profile>> kept;
  for (const std::string& path : VariantFiles()) {
    for (const Variant& variant : ReadVariants(path)) {
      for (size_t i = 0; i + 1 < variant.verdicts.size(); i += 2) {
        if (variant.verdicts[i + 1] == '+')
          kept.emplace_back(variant, ProfileOf(variant.verdicts[i]));
      }
    }
  }
  return kept;
}

TEST(BoundsTest, HalfOfAConstantRefusesAKeptExecutionOrARowSaysWhyNot) {
  const auto kept = Kept();
  ASSERT_GT(kept.size(), 100u);
  for (size_t row = 0; row < std::size(Bounds::kRows); ++row) {
    const Bounds halved = Bounds::WithHalf(row);
    const bool refused = std::any_of(kept.begin(), kept.end(), [&](const auto& one) {
      return JudgeVariant(one.first, one.second, halved).outcome == Outcome::kFail;
    });
    const std::string reason = Bounds::kRows[row].reason;
    EXPECT_EQ(refused, reason.empty())
        << Bounds::kRows[row].name << ": "
        << (refused ? "is needed, but its row says: " + reason
                    : "half of it refuses nothing, and its row does not say why");
  }
}

}  // namespace
}  // namespace hlocts::reference
