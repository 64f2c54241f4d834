// SPDX-License-Identifier: Apache-2.0
// Tests the measured error of an engine that is wrong by a few steps in one element.
#include "backends/differ/worst_ulps.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "backends/differ/differ.h"
#include "backends/differ/injecting_backend.h"
#include "spec/files/literals_file.h"
#include "spec/text/parser.h"

namespace hlocts::backends {
namespace {

reports::Verdict Measured(const char* root, int steps) {
  auto module = ParseModule(
      absl::StrCat("HloModule m\nENTRY e {\n  x = f32[3] parameter(0)\n  y = f32[3] parameter(1)\n"
                   "  c = f32[3] constant({1, 2, 3})\n",
                   root, "\n}"));
  EXPECT_TRUE(module.ok()) << module.status();
  ExecuteRequest request;
  request.arguments = {{*ParseLeaf("f32[3] {0.5, 1.5, 2.5}"), *ParseLeaf("f32[3] {2, 3, 4}")}};
  InjectingBackend engine({.instruction = "r", .element = 1, .steps = steps});
  DiffOptions options;
  options.ulps = true;
  return Differ(**module, request, options).Diff(engine);
}

TEST(WorstUlpsTest, StepsOfAnAcceptedValueAreMeasured) {
  const reports::Verdict right = Measured("ROOT r = f32[3] tanh(x)", 0);
  ASSERT_EQ(right.worst_ulps.size(), 1u);
  EXPECT_LE(right.worst_ulps[0].ulps, 0.5 + 1e-6);
  EXPECT_EQ(right.worst_ulps[0].elements, 3);
  const reports::Verdict verdict = Measured("ROOT r = f32[3] tanh(x)", 4);
  ASSERT_EQ(verdict.kind, Outcome::kPass) << verdict.reason;
  ASSERT_EQ(verdict.worst_ulps.size(), 1u);
  const reports::WorstUlps& worst = verdict.worst_ulps[0];
  EXPECT_EQ(worst.function, "tanh");
  EXPECT_EQ(worst.type, "f32");
  EXPECT_EQ(worst.rule, "ulp(7)");
  EXPECT_EQ(worst.argument, "1.5");
  EXPECT_NEAR(worst.ulps, 4, 0.5 + 1e-6);
}

TEST(WorstUlpsTest, TheBoundOfLargeResultsIsStated) {
  const reports::Verdict verdict = Measured("ROOT r = f32[3] exponential(x)", 0);
  ASSERT_EQ(verdict.worst_ulps.size(), 1u);
  EXPECT_EQ(verdict.worst_ulps[0].rule, "ulp(3), 7 from 2^127");
}

TEST(WorstUlpsTest, AWrongValueIsNoAcceptedOne) {
  const reports::Verdict verdict = Measured("ROOT r = f32[3] tanh(x)", 40);
  ASSERT_EQ(verdict.kind, Outcome::kFail);
  ASSERT_EQ(verdict.worst_ulps.size(), 1u);
  EXPECT_LE(verdict.worst_ulps[0].ulps, 0.5 + 1e-6) << "of the other two elements";
  EXPECT_EQ(verdict.worst_ulps[0].elements, 2);
}

TEST(WorstUlpsTest, ConstantsAndSecondArgumentsAreKnown) {
  const reports::Verdict power = Measured("ROOT r = f32[3] power(x, y)", 2);
  ASSERT_EQ(power.worst_ulps.size(), 1u);
  EXPECT_EQ(power.worst_ulps[0].argument, "1.5, 3");
  EXPECT_NEAR(power.worst_ulps[0].ulps, 2, 0.5 + 1e-6);
  EXPECT_EQ(Measured("ROOT r = f32[3] log(c)", 0).worst_ulps.size(), 1u);
  EXPECT_EQ(
      Measured("r = f32[3] sqrt(y)\n ROOT t = (f32[3], f32[3]) tuple(x, r)", 0).worst_ulps.size(),
      1u);
}

TEST(WorstUlpsTest, WhatHasNoExactArgumentIsNotMeasured) {
  EXPECT_TRUE(Measured("s = f32[3] sine(x)\n ROOT r = f32[3] tanh(s)", 0).worst_ulps.empty());
  EXPECT_TRUE(Measured("ROOT r = f32[3] add(x, y)", 0).worst_ulps.empty());
  EXPECT_TRUE(
      Measured("ROOT r = f32[3] tanh(x), result_accuracy={tolerance={atol=0,rtol=0,ulps=4}}", 0)
          .worst_ulps.empty());
}

}  // namespace
}  // namespace hlocts::backends
