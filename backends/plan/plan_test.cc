// Views against index arithmetic, the arena against overlap, passes against what they promise.
#include <gtest/gtest.h>

#include "backends/plan/arena.h"
#include "backends/plan/graph.h"
#include "backends/plan/passes.h"
#include "backends/plan/view.h"
#include "spec/text/parser.h"

namespace hlocts::plan {
namespace {

// Elements of the array that the view shows, in order.
std::vector<int64_t> Shown(const View& view) {
  std::vector<int64_t> shown;
  std::vector<int64_t> index(view.dimensions.size(), 0);
  for (int64_t left = view.elements(); left > 0; --left) {
    int64_t at = view.offset;
    for (size_t d = 0; d < index.size(); ++d) at += index[d] * view.dimensions[d].stride;
    shown.push_back(at);
    for (size_t d = index.size(); d-- > 0;) {
      if (++index[d] < view.dimensions[d].size) break;
      index[d] = 0;
    }
  }
  return shown;
}

using Elements = std::vector<int64_t>;

TEST(ViewTest, MovesAreStrides) {
  const View dense = View::Dense({2, 3});
  EXPECT_EQ(Shown(dense), (Elements{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(Shown(Transposed(dense, {1, 0})), (Elements{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(Shown(Reversed(dense, {1})), (Elements{2, 1, 0, 5, 4, 3}));
  EXPECT_EQ(Shown(Sliced(dense, {{0, 2, 1}, {0, 3, 2}})), (Elements{0, 2, 3, 5}));
  EXPECT_EQ(Shown(Broadcast(View::Dense({2}), {2, 2}, {0})), (Elements{0, 0, 1, 1}));
  EXPECT_EQ(Shown(Broadcast(View::Dense({1}), {3}, {0})), (Elements{0, 0, 0}));
}

TEST(ViewTest, SimplifiedShowsTheSame) {
  const View views[] = {View::Dense({2, 1, 3}), Transposed(View::Dense({2, 3, 4}), {0, 2, 1}),
                        Reversed(View::Dense({4, 2}), {0, 1}),
                        Broadcast(View::Dense({3}), {2, 3, 4}, {1})};
  for (const View& view : views) EXPECT_EQ(Shown(view), Shown(view.Simplified()));
  EXPECT_TRUE(View::Dense({2, 1, 3}).Simplified().IsContiguous());
  EXPECT_TRUE(Broadcast(View::Dense({}), {2, 3}, {}).Simplified().IsSplat());
}

TEST(ViewTest, ReshapeKeepsTheOrderOrSaysThatItCannot) {
  const View transposed = Transposed(View::Dense({4, 6}), {1, 0});
  const auto split = Reshaped(transposed, {2, 3, 4});
  ASSERT_TRUE(split.has_value());
  EXPECT_EQ(Shown(*split), Shown(transposed));
  EXPECT_FALSE(Reshaped(transposed, {24}).has_value());
  EXPECT_FALSE(Reshaped(transposed, {3, 8}).has_value());
}

TEST(ArenaTest, LivingBuffersDoNotOverlap) {
  std::vector<Lifetime> lifetimes;
  for (int32_t i = 0; i < 200; ++i) {
    lifetimes.push_back({(i * 37) % 500, i / 2, i / 2 + (i * 13) % 9});
  }
  auto plan = PlanArena(lifetimes, 1 << 20);
  ASSERT_TRUE(plan.ok()) << plan.status();
  int64_t sum = 0;
  for (size_t a = 0; a < lifetimes.size(); ++a) {
    sum += lifetimes[a].bytes;
    EXPECT_EQ(plan->offsets[a] % kArenaAlignment, 0);
    EXPECT_LE(plan->offsets[a] + lifetimes[a].bytes, plan->bytes);
    for (size_t b = 0; b < a; ++b) {
      const bool together =
          lifetimes[a].first <= lifetimes[b].last && lifetimes[b].first <= lifetimes[a].last;
      const bool apart = plan->offsets[a] + lifetimes[a].bytes <= plan->offsets[b] ||
                         plan->offsets[b] + lifetimes[b].bytes <= plan->offsets[a];
      EXPECT_TRUE(!together || apart) << a << " " << b;
    }
  }
  EXPECT_LT(plan->bytes, sum) << "memory was never used again";
}

TEST(ArenaTest, TooMuchIsAStatus) {
  EXPECT_FALSE(PlanArena({{INT64_MAX, 0, 1}}, 1 << 20).ok());
  EXPECT_FALSE(PlanArena({{1 << 19, 0, 2}, {1 << 19, 1, 2}, {64, 1, 2}}, 1 << 20).ok());
}

int64_t LiveNodes(const Graph& graph, Opcode opcode) {
  int64_t count = 0;
  for (const Node& node : graph.nodes) count += !node.removed && node.opcode == opcode;
  return count;
}

TEST(PassesTest, EqualNodesAreOneAndDeadOnesGo) {
  auto module = ParseModule(
      "HloModule m\nENTRY e { p = f32[4] parameter(0) a = f32[4] add(p, p) b = f32[4] add(p, p)\n"
      " dead = f32[4] exponential(a) t = f32[4] transpose(b), dimensions={0}\n"
      " ROOT r = f32[4] multiply(a, t) }");
  ASSERT_TRUE(module.ok()) << module.status();
  auto graphs = BuildGraphs(**module);
  ASSERT_TRUE(graphs.ok()) << graphs.status();
  RunPasses(*graphs->entry, {});
  EXPECT_EQ(LiveNodes(*graphs->entry, Opcode::kAdd), 1);
  EXPECT_EQ(LiveNodes(*graphs->entry, Opcode::kExponential), 0);
  EXPECT_EQ(LiveNodes(*graphs->entry, Opcode::kTranspose), 0);
  EXPECT_EQ(LiveNodes(*graphs->entry, Opcode::kMultiply), 1);
}

// The bytes of a constant must not be taken for the type and sizes of another.
TEST(PassesTest, ConstantsOfDifferentShapesStayApart) {
  auto module = ParseModule(
      "HloModule m\nENTRY e { a = pred[0] constant({}) b = pred[] constant(true)\n"
      " c = s8[0] constant({}) d = u8[] constant(1)\n"
      " ROOT r = (pred[0], pred[], s8[0], u8[]) tuple(a, b, c, d) }");
  ASSERT_TRUE(module.ok()) << module.status();
  auto graphs = BuildGraphs(**module);
  ASSERT_TRUE(graphs.ok());
  RunPasses(*graphs->entry, {});
  for (size_t r = 0; r < 4; ++r) {
    for (size_t q = 0; q < r; ++q) {
      EXPECT_NE(graphs->entry->results[r], graphs->entry->results[q]);
    }
  }
}

TEST(PassesTest, ADisabledPassDoesNothing) {
  auto module = ParseModule(
      "HloModule m\nENTRY e { p = f32[4] parameter(0) a = f32[4] add(p, p) b = f32[4] add(p, p)\n"
      " ROOT r = f32[4] multiply(a, b) }");
  auto graphs = BuildGraphs(**module);
  ASSERT_TRUE(graphs.ok());
  RunPasses(*graphs->entry, {"cse"});
  EXPECT_EQ(LiveNodes(*graphs->entry, Opcode::kAdd), 2);
}

TEST(GraphTest, TuplesFallApartAndCallsAreInlined) {
  auto module = ParseModule(
      "HloModule m\nf { s = (f32[2], s32[]) parameter(0) x = f32[2] get-tuple-element(s), index=0\n"
      " ROOT y = f32[2] negate(x) }\n"
      "ENTRY e { p = f32[2] parameter(0) i = s32[] parameter(1) t = (f32[2], s32[]) tuple(p, i)\n"
      " ROOT r = f32[2] call(t), to_apply=f }");
  ASSERT_TRUE(module.ok()) << module.status();
  auto graphs = BuildGraphs(**module);
  ASSERT_TRUE(graphs.ok()) << graphs.status();
  const Graph& entry = *graphs->entry;
  EXPECT_EQ(entry.parameters.size(), 2u);
  EXPECT_EQ(LiveNodes(entry, Opcode::kCall), 0);
  ASSERT_EQ(entry.results.size(), 1u);
  EXPECT_EQ(entry.producer(entry.results[0]).opcode, Opcode::kNegate);
  EXPECT_EQ(entry.producer(entry.results[0]).operands[0], entry.parameters[0]);
}

}  // namespace
}  // namespace hlocts::plan
