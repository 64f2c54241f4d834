// SPDX-License-Identifier: Apache-2.0
// Tests which nodes become one loop, and which values the loop stores.
#include "backends/engine/plan/fusion.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "spec/text/parser.h"

namespace hlocts::plan {
namespace {

// Returns the loops of a program, each as the names of its nodes. The prefix "=" marks a node whose
// value the loop stores.
std::string LoopsOf(absl::string_view lines, FusionOptions options) {
  auto module = ParseModule(absl::StrCat("HloModule m\nENTRY e {\n", lines, "}\n"));
  EXPECT_TRUE(module.ok()) << module.status();
  auto graphs = BuildGraphs(**module);
  EXPECT_TRUE(graphs.ok()) << graphs.status();
  const Graph& graph = *graphs->entry;
  const FusionPlan plan(graph, options);
  std::string loops;
  for (NodeId n = 0; n < static_cast<NodeId>(graph.nodes.size()); ++n) {
    if (plan.kind(n) != NodeKind::kElementwise || plan.loop_of(n) != n) continue;
    for (NodeId member : plan.members(n)) {
      const Node& node = graph.nodes[member];
      const bool kept = plan.is_dense(node.outputs[0]);
      absl::StrAppend(&loops, kept ? "=" : "", node.source->name(), member == n ? "; " : " ");
    }
  }
  return loops;
}
FusionOptions Several() {
  FusionOptions options;
  options.several_results_min = 1;
  return options;
}

constexpr absl::string_view kShared = R"(
  x = f32[8] parameter(0)
  y = f32[8] parameter(1)
  shared = f32[8] sine(x)
  a = f32[8] add(shared, y)
  b = f32[8] multiply(shared, y)
  ROOT t = (f32[8], f32[8]) tuple(a, b)
)";
TEST(FusionTest, WhatSeveralLoopsReadMakesThemOne) {
  EXPECT_EQ(LoopsOf(kShared, Several()), "shared =a =b; ");
  EXPECT_EQ(LoopsOf(kShared, {}), "=shared; =a; =b; ");
}
TEST(FusionTest, AResultThatIsReadOnIsKeptOnTheWay) {
  constexpr absl::string_view kMoments = R"(
  x = f32[8] parameter(0)
  y = f32[8] parameter(1)
  mean = f32[8] add(x, y)
  root = f32[8] sqrt(mean)
  step = f32[8] divide(x, root)
  ROOT t = (f32[8], f32[8]) tuple(mean, step)
)";
  EXPECT_EQ(LoopsOf(kMoments, Several()), "=mean root =step; ");
  EXPECT_EQ(LoopsOf(kMoments, {}), "=mean; root =step; ");
}
TEST(FusionTest, NotBeyondTheirLimits) {
  FusionOptions few = Several();
  few.members_max = 2;
  EXPECT_EQ(LoopsOf(kShared, few), "=shared; =a; =b; ");
  FusionOptions large = Several();
  large.several_results_min = 9;
  EXPECT_EQ(LoopsOf(kShared, large), "=shared; =a; =b; ");
}

TEST(FusionTest, OneLoopMayReadTheOthersResult) {
  EXPECT_EQ(LoopsOf(R"(
  x = f32[8] parameter(0)
  shared = f32[8] sine(x)
  a = f32[8] negate(shared)
  flat = f32[2,4] reshape(a)
  back = f32[8] reshape(flat)
  b = f32[8] multiply(shared, back)
  ROOT t = (f32[8], f32[8]) tuple(a, b)
)",
                    Several()),
            "shared =a =b; ");
}

// A node between two loops requires the first loop's complete result, so they stay separate.
TEST(FusionTest, NoLoopAroundWhatReadsItsResult) {
  const auto with = [](absl::string_view between) {
    return LoopsOf(absl::StrCat(R"(
  zero = s32[] constant(0)
  x = f32[8] parameter(0)
  shared = f32[8] sine(x)
  a = f32[8] negate(shared)
)",
                                between, R"(
  b = f32[8] multiply(shared, c)
  ROOT t = (f32[8], f32[8]) tuple(a, b)
)"),
                   Several());
  };
  EXPECT_EQ(with("c = f32[8] reverse(a), dimensions={0}"), "=shared; =a; =b; ");
  EXPECT_EQ(with("c = f32[8] dynamic-slice(a, zero), dynamic_slice_sizes={8}"),
            "=shared; =a; =b; ");
  EXPECT_EQ(with("c = f32[8] cosine(a)"), "shared =a c =b; ");
}

TEST(FusionTest, PiecesAreReadWhenTheyAreWhole) {
  FusionOptions options = Several();
  options.pieces = true;
  EXPECT_EQ(LoopsOf(R"(
  x = f32[4] parameter(0)
  y = f32[8] parameter(1)
  shared = f32[4] sine(x)
  a = f32[4] negate(shared)
  half = f32[4] cosine(a)
  both = f32[8] concatenate(a, half), dimensions={0}
  cut = f32[4] slice(both), slice={[2:6]}
  b = f32[4] multiply(shared, cut)
  ROOT t = (f32[4], f32[4]) tuple(a, b)
)",
                    options),
            "=shared; =a =half; =b; ");
}

}  // namespace
}  // namespace hlocts::plan
