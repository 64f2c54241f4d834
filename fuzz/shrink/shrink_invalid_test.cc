// SPDX-License-Identifier: Apache-2.0
// Tests that invalid modules that an engine accepts become small and break the same rule.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/backend_list.h"
#include "fuzz/shrink/shrinker.h"
#include "spec/infer/verifier.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

namespace hlocts::fuzz {
namespace {

using ::testing::StartsWith;

// Shrinks a module on an engine that does not check the rules of the operation. Checks that the
// result breaks the same rule as the original.
Sample ShrunkInvalid(const std::string& operation, const char* text) {
  auto engine = *backends::MakeInProcessBackend("canary:infer.forgets-" + operation);
  auto reference = *backends::MakeInProcessBackend("reference");
  Sample sample;
  sample.module = *ParseModule(text);
  const std::string rule = RuleOf(VerifyModule(*sample.module));
  EXPECT_THAT(rule, StartsWith(operation));
  ShrinkOptions options;
  options.trial.invalid = true;
  ShrinkResult shrunk = Shrink(sample, *engine, *reference, options);
  EXPECT_EQ(RuleOf(VerifyModule(*shrunk.sample.module)), rule);
  return std::move(shrunk.sample);
}

// Shrinking needs two edits at once, and must keep a shape that differs from the inferred one.
TEST(ShrinkInvalidTest, WhatStatesAWrongShapeStillDoes) {
  const Sample shrunk = ShrunkInvalid(
      "conv_with_general_padding",
      "HloModule m\nENTRY e { x = f32[1,6,1] parameter(0) k = f32[6,1,2] parameter(1)\n"
      " ROOT c = f32[2,1,6] convolution(x, k), window={size=1}, dim_labels=bf0_o0i->b0f,"
      " feature_group_count=3 }");
  EXPECT_LE(CountElements(*shrunk.module), 2) << PrintModule(*shrunk.module);
}

TEST(ShrinkInvalidTest, AliasesOutliveTheOutputs) {
  const Sample shrunk =
      ShrunkInvalid("aliasing", R"(HloModule m, input_output_alias={ {9}: (1, {}, may-alias) }
ENTRY e { x = f32[3] parameter(0) y = f32[2] parameter(1) s = f32[3] sine(x) n = f32[2] negate(y)
  ROOT t = (f32[3], f32[2]) tuple(s, n) })");
  EXPECT_LE(CountInstructions(*shrunk.module), 1) << PrintModule(*shrunk.module);
}

TEST(ShrinkInvalidTest, WhatCallsItselfIsNotPeeled) {
  const Sample shrunk =
      ShrunkInvalid("hlo.recursion",
                    "HloModule m\nENTRY e { x = f32[3] parameter(0) s = f32[3] sine(x)\n"
                    " ROOT c = f32[3] call(s), to_apply=e }");
  EXPECT_LE(CountInstructions(*shrunk.module), 1) << PrintModule(*shrunk.module);
}

// A rule is broken in a branch of a branch that may never be executed.
TEST(ShrinkInvalidTest, TheBrokenComputationBecomesTheEntry) {
  const Sample shrunk = ShrunkInvalid("reduce_window", R"(HloModule m
max { a = f32[] parameter(0) b = f32[] parameter(1) ROOT m = f32[] maximum(a, b) }
broken { x = f32[1,1] parameter(0) z = f32[] constant(0)
  ROOT w = f32[1,1] reduce-window(x, z), to_apply=max }
whole { y = f32[1,1] parameter(0) ROOT n = f32[1,1] negate(y) }
inner { t = f32[1,1] parameter(0) p = pred[] constant(false)
  ROOT c = f32[1,1] conditional(p, t, t), true_computation=broken, false_computation=whole }
ENTRY e { p = pred[] parameter(0) x = f32[1,1] parameter(1) s = f32[1,1] sine(x)
  ROOT c = f32[1,1] conditional(p, s, x), true_computation=inner, false_computation=whole })");
  EXPECT_LE(CountInstructions(*shrunk.module), 2) << PrintModule(*shrunk.module);
}

}  // namespace
}  // namespace hlocts::fuzz
