// SPDX-License-Identifier: Apache-2.0
#include "spec/rewrites/rewrite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "spec/infer/verifier.h"
#include "spec/ir/module.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

namespace hlocts {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Returns the names of the rewrites that match in a module with this body, whose root is r.
std::vector<std::string> Found(const std::string& body, Profile profile,
                               const std::string& type = "f32") {
  std::string shape = type + "[4]";
  auto module =
      ParseModule(absl::StrCat("HloModule m\nENTRY e {\n  x = ", shape,
                               " parameter(0)\n  y = ", shape, " parameter(1)\n", body, "}\n"));
  EXPECT_TRUE(module.ok()) << module.status();
  std::vector<std::string> names;
  for (const RewriteMatch& match : FindRewrites(*(*module)->entry(), profile)) {
    names.push_back(std::string(match.rewrite->name));
    absl::Status valid = VerifyModule(*match.replacement);
    EXPECT_TRUE(valid.ok()) << valid << "\n" << PrintModule(*match.replacement);
    EXPECT_EQ(match.replacement->entry()->parameters().size(), match.operands.size());
  }
  return names;
}

constexpr char kLogOfExp[] = "  e1 = f32[4] exponential(x)\n  ROOT r = f32[4] log(e1)\n";

TEST(RewriteTest, TheListIsInOrder) { EXPECT_THAT(LintRewrites(), IsEmpty()); }

TEST(RewriteTest, EveryRowHasItsPage) {
  std::string pages = absl::StrCat(HLOCTS_SOURCE_DIR, "/spec/rulings");
  for (const Rewrite& rewrite : AllRewrites()) {
    bool found = false;
    for (const auto& entry : std::filesystem::directory_iterator(pages)) {
      std::string file = entry.path().filename();
      found = found || absl::StartsWith(file, absl::StrCat(rewrite.ruling, "-"));
    }
    EXPECT_TRUE(found) << rewrite.name << ": no page " << rewrite.ruling;
  }
}

TEST(RewriteTest, OnlyWhereTheProfileAllows) {
  EXPECT_THAT(Found(kLogOfExp, Profile::kStrict), IsEmpty());
  EXPECT_THAT(Found(kLogOfExp, Profile::kDefault), IsEmpty());
  EXPECT_THAT(Found(kLogOfExp, Profile::kRelaxed), ElementsAre("log-of-exponential"));
}

TEST(RewriteTest, TheSameLetterIsTheSameValue) {
  EXPECT_THAT(Found("  m = f32[4] multiply(x, x)\n  ROOT r = f32[4] sqrt(m)\n", Profile::kRelaxed),
              ElementsAre("square-root-of-square"));
  EXPECT_THAT(Found("  m = f32[4] multiply(x, y)\n  ROOT r = f32[4] sqrt(m)\n", Profile::kRelaxed),
              IsEmpty());
}

TEST(RewriteTest, EitherOrderAndConstantsThroughBroadcasts) {
  constexpr char kFactors[] = R"(  c = f32[] constant(3)
  d = f32[] constant(0.1)
  cs = f32[4] broadcast(c), dimensions={}
  ds = f32[4] broadcast(d), dimensions={}
  m = f32[4] multiply(cs, x)
  ROOT r = f32[4] multiply(ds, m)
)";
  EXPECT_THAT(Found(kFactors, Profile::kRelaxed), ElementsAre("constant-factors"));
  constexpr char kDifference[] = R"(  c = f32[] constant(3)
  cs = f32[4] broadcast(c), dimensions={}
  m = f32[4] add(cs, x)
  ROOT r = f32[4] subtract(m, cs)
)";
  EXPECT_THAT(Found(kDifference, Profile::kRelaxed), ElementsAre("constant-difference"));
  EXPECT_THAT(Found(kDifference, Profile::kDefault), IsEmpty());
  EXPECT_THAT(Found("  c = f32[] constant(0.5)\n  cs = f32[4] broadcast(c), dimensions={}\n"
                    "  ROOT r = f32[4] power(x, cs)\n",
                    Profile::kRelaxed),
              ElementsAre("power-half"));
  EXPECT_THAT(Found("  c = f32[] constant(0.25)\n  cs = f32[4] broadcast(c), dimensions={}\n"
                    "  ROOT r = f32[4] power(x, cs)\n",
                    Profile::kRelaxed),
              IsEmpty());
}

TEST(RewriteTest, ReciprocalsOnlyWhereTheyAreSubnormal) {
  auto divide = [](const std::string& by) {
    return absl::StrCat("  c = f32[] constant(", by, ")\n  cs = f32[4] broadcast(c), ",
                        "dimensions={}\n  ROOT r = f32[4] divide(x, cs)\n");
  };
  EXPECT_THAT(Found(divide("3e38"), Profile::kRelaxed), ElementsAre("reciprocal"));
  EXPECT_THAT(Found(divide("-3e38"), Profile::kRelaxed), ElementsAre("reciprocal"));
  EXPECT_THAT(Found(divide("3e38"), Profile::kDefault), IsEmpty());  // ruling 0086
  EXPECT_THAT(Found(divide("3e38"), Profile::kStrict), IsEmpty());
  EXPECT_THAT(Found(divide("3"), Profile::kDefault), IsEmpty());
  EXPECT_THAT(Found(divide("inf"), Profile::kDefault), IsEmpty());
}

TEST(RewriteTest, EveryFloatAndNothingElse) {
  for (const char* type : {"f16", "bf16", "f32", "f64"}) {
    std::string body =
        absl::StrCat("  e1 = ", type, "[4] exponential(x)\n  e2 = ", type,
                     "[4] exponential(y)\n  ROOT r = ", type, "[4] multiply(e1, e2)\n");
    EXPECT_THAT(Found(body, Profile::kRelaxed, type), ElementsAre("product-of-exponentials"));
  }
  EXPECT_THAT(Found("  d = s32[4] divide(x, y)\n  ROOT r = s32[4] divide(d, y)\n",
                    Profile::kRelaxed, "s32"),
              IsEmpty());
}

TEST(RewriteTest, TheReplacementReadsTheBoundValues) {
  auto module = ParseModule(
      "HloModule m\nENTRY e {\n  x = f32[4] parameter(0)\n  y = f32[4] parameter(1)\n"
      "  s = f32[4] sqrt(y)\n  ROOT r = f32[4] divide(x, s)\n}");
  ASSERT_TRUE(module.ok());
  auto matches = FindRewrites(*(*module)->entry(), Profile::kRelaxed);
  ASSERT_EQ(matches.size(), 1u);
  ASSERT_EQ(matches[0].operands.size(), 2u);
  EXPECT_EQ(matches[0].operands[0]->name(), "x");
  EXPECT_EQ(matches[0].operands[1]->name(), "y");
  EXPECT_THAT(PrintModule(*matches[0].replacement), HasSubstr("rsqrt"));
}

}  // namespace
}  // namespace hlocts
