// SPDX-License-Identifier: Apache-2.0
// Tests that an output passes only if its sets are narrow enough to check something (lemma 29).
#include "reference/judge/cases_testing.h"

namespace hlocts::reference {
namespace {

TEST(TooFewBitsTest, TooFewBitsAreNoPass) {
  auto of = [](AcceptanceSet set, const char* value) {
    ModuleAcceptance accepted;
    Shape shape(PrimitiveType::kF32, {2});
    accepted.leaves.push_back({shape, false, SetArray(shape, {set, set})});
    return JudgeLeaves(accepted, Parse({value}));
  };
  // The set of all finite numbers checks almost no bit. [0, 1] checks bits, but no effective bits.
  JudgeResult any = of(AcceptanceSet::Interval(-3e38, 3e38), "f32[2] {1, 2}");
  EXPECT_EQ(any.outcome, kOpen);
  EXPECT_NE(any.reason.find("output 0"), std::string::npos) << any.reason;
  EXPECT_TRUE(any.too_few_bits);
  EXPECT_EQ(of(AcceptanceSet::Interval(0, 1), "f32[2] {1, 0}").outcome, kOpen);
  EXPECT_EQ(of(AcceptanceSet::Interval(1, 1.25), "f32[2] {1, 1.25}").outcome, kPass);
  EXPECT_EQ(of(AcceptanceSet::Interval(0, 1), "f32[2] {1, 2}").outcome, kFail);
  // A set of two integers is narrow enough, and so is one whose width is due only to flushing.
  AcceptanceSet whole = AcceptanceSet::Interval(3, 4);
  whole.flags |= AcceptanceSet::kIntegral;
  EXPECT_EQ(of(whole, "f32[2] {3, 4}").outcome, kPass);
  EXPECT_EQ(of(AcceptanceSet::Interval(0, 1e-39), "f32[2] {0, 9e-40}").outcome, kPass);
}

TEST(TooFewBitsTest, AnExplodedSetIsNoScale) {
  Shape shape(PrimitiveType::kF32, {4});
  AcceptanceSet huge = AcceptanceSet::Interval(-4.1e31, 3.9e31);
  ModuleAcceptance accepted;
  accepted.leaves.push_back({shape, false,
                             SetArray(shape, {huge, AcceptanceSet::Interval(-1.2e12, 7.2e11),
                                              AcceptanceSet::Interval(-3.2e16, 2.9e16), huge})});
  JudgeResult result = JudgeLeaves(accepted, Parse({"f32[4] {0.1, 0.2, 0.3, 0.4}"}));
  EXPECT_EQ(result.effective.median, 0);
  EXPECT_EQ(result.outcome, kOpen);
}

}  // namespace
}  // namespace hlocts::reference
