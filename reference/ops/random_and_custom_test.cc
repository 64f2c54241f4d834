// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <set>

#include "reference/custom_call.h"
#include "reference/ops/module_testing.h"
#include "spec/base/status_testing.h"

namespace hlocts::reference {
namespace {

Literal RngOf(const std::string& type, const std::string& a, const std::string& b,
              const std::string& distribution, uint64_t seed = 0) {
  EvalOptions options;
  options.rng_seed = seed;
  absl::StatusOr<Literal> result =
      TryRun(absl::StrCat("a = ", type, "[] constant(", a, ") b = ", type, "[] constant(", b,
                          ") ROOT r = ", type, "[10000] rng(a, b), distribution=", distribution),
             "", {}, options);
  EXPECT_TRUE(result.ok()) << result.status();
  return result.ok() ? *std::move(result) : Literal();
}

TEST(Rng, UniformStaysInItsIntervalAndFillsIt) {
  const Literal floats = RngOf("f32", "-2", "6", "rng_uniform");
  double sum = 0, squares = 0;
  for (float x : floats.data<float>()) {
    ASSERT_GE(x, -2);
    ASSERT_LT(x, 6);
    sum += x, squares += (x - 2.0) * (x - 2.0);
  }
  EXPECT_NEAR(sum / 10000, 2, 0.1);              // the standard deviation of the mean is 0.023
  EXPECT_NEAR(squares / 10000, 64.0 / 12, 0.3);  // the standard deviation is 0.05
  std::set<int> seen;
  const Literal integers = RngOf("s8", "-3", "4", "rng_uniform");
  for (int8_t x : integers.data<int8_t>()) seen.insert(x);
  EXPECT_EQ(seen, (std::set<int>{-3, -2, -1, 0, 1, 2, 3}));
}

TEST(Rng, A16BitUpperLimitIsNeverReached) {
  const Literal values = RngOf("bf16", "0", "1", "rng_uniform");
  for (uint16_t bits : values.data<uint16_t>()) ASSERT_LT(bits, 0x3f80);
}

TEST(Rng, NormalHasItsMoments) {
  const Literal values = RngOf("f64", "3", "2", "rng_normal");
  double sum = 0, squares = 0;
  for (double x : values.data<double>()) {
    ASSERT_TRUE(std::isfinite(x));
    sum += x, squares += (x - 3) * (x - 3);
  }
  EXPECT_NEAR(sum / 10000, 3, 0.1);
  EXPECT_NEAR(squares / 10000, 4, 0.3);
}

TEST(Rng, IsAFunctionOfTheSeedAndOfHowManyCameBefore) {
  const auto bits = [](const Literal& x) { return PrintLiteralWithShape(x); };
  EXPECT_EQ(bits(RngOf("f32", "0", "1", "rng_uniform", 7)),
            bits(RngOf("f32", "0", "1", "rng_uniform", 7)));
  EXPECT_NE(bits(RngOf("f32", "0", "1", "rng_uniform", 7)),
            bits(RngOf("f32", "0", "1", "rng_uniform", 8)));
  const auto two = ResultOf(
      "a = f32[] constant(0) b = f32[] constant(1) r = f32[4] rng(a, b), "
      "distribution=rng_uniform s = f32[4] rng(a, b), distribution=rng_uniform "
      "ROOT t = (f32[4], f32[4]) tuple(r, s)",
      "", {});
  ASSERT_EQ(two.size(), 2u);
  EXPECT_NE(two[0], two[1]);
}

TEST(CustomCall, WithoutAHandlerIsUnsupportedByName) {
  absl::StatusOr<Literal> result =
      TryRun("ROOT c = f32[] custom-call(), custom_call_target=\"no_such_target\"", "", {});
  ASSERT_TRUE(absl::IsUnimplemented(result.status())) << result.status();
  EXPECT_NE(result.status().message().find("no_such_target"), absl::string_view::npos);
}

TEST(CustomCall, CallsTheSymbolOfASharedLibrary) {
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto library, CustomCallLibrary::Load(HLOCTS_TEST_CUSTOM_CALLS));
  EvalOptions options;
  options.custom_calls = library.get();
  // The documents' example: x is f32[2], y is f32[2,3], and the result is f32[3,3].
  EXPECT_EQ(
      ResultOf(
          "x = f32[2] parameter(0) y = f32[2,3] parameter(1) ROOT c = f32[3,3] custom-call(x, y), "
          "custom_call_target=\"myfunc\"",
          "", {"f32[2] {1,2}", "f32[2,3] {{10,20,30},{40,50,60}}"}, options),
      LeafTexts({"f32[3,3] {{42,1,2},{10,11,12},{20,21,22}}"}));
  EXPECT_EQ(
      ResultOf("x = s32[2] parameter(0) t = (s32[2], s32[2]) tuple(x, x) ROOT c = (s32[2], s32[]) "
               "custom-call(t), custom_call_target=\"sum_of_tuple\"",
               "", {"s32[2] {3,4}"}, options),
      LeafTexts({"s32[2] {6,8}", "s32[] 14"}));
  EXPECT_FALSE(CustomCallLibrary::Load("no/such/library.so").ok());
}

}  // namespace
}  // namespace hlocts::reference
