// SPDX-License-Identifier: Apache-2.0
// Compares views with index arithmetic. Checks that buffers of the arena do not overlap, and that
// passes do what they guarantee.
#include <gtest/gtest.h>

#include "backends/engine/plan/arena.h"
#include "backends/engine/plan/graph.h"
#include "backends/engine/plan/passes.h"
#include "backends/engine/plan/segments.h"
#include "backends/engine/plan/view.h"
#include "spec/text/parser.h"

namespace hlocts::plan {
namespace {

// Returns the index in the source array of each element of the view, in order.
std::vector<int64_t> SourceIndex(const View& view) {
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
  EXPECT_EQ(SourceIndex(dense), (Elements{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(SourceIndex(Transposed(dense, {1, 0})), (Elements{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(SourceIndex(Reversed(dense, {1})), (Elements{2, 1, 0, 5, 4, 3}));
  EXPECT_EQ(SourceIndex(Sliced(dense, {{0, 2, 1}, {0, 3, 2}})), (Elements{0, 2, 3, 5}));
  EXPECT_EQ(SourceIndex(Broadcast(View::Dense({2}), {2, 2}, {0})), (Elements{0, 0, 1, 1}));
  EXPECT_EQ(SourceIndex(Broadcast(View::Dense({1}), {3}, {0})), (Elements{0, 0, 0}));
}

TEST(ViewTest, SimplifiedShowsTheSame) {
  const View views[] = {View::Dense({2, 1, 3}), Transposed(View::Dense({2, 3, 4}), {0, 2, 1}),
                        Reversed(View::Dense({4, 2}), {0, 1}),
                        Broadcast(View::Dense({3}), {2, 3, 4}, {1})};
  for (const View& view : views) EXPECT_EQ(SourceIndex(view), SourceIndex(view.Simplified()));
  EXPECT_TRUE(View::Dense({2, 1, 3}).Simplified().IsContiguous());
  EXPECT_TRUE(Broadcast(View::Dense({}), {2, 3}, {}).Simplified().IsSplat());
}

TEST(ViewTest, ReshapeKeepsTheOrderOrSaysThatItCannot) {
  const View transposed = Transposed(View::Dense({4, 6}), {1, 0});
  const auto split = Reshaped(transposed, {2, 3, 4});
  ASSERT_TRUE(split.has_value());
  EXPECT_EQ(SourceIndex(*split), SourceIndex(transposed));
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

// Returns how many while loops and slices remain if p[0:1] and p[`second`] are passed to calls.
std::pair<int, int> LoopsAndSlices(absl::string_view second) {
  auto module = ParseModule(absl::StrCat(
      "HloModule m\nc { p = s32[1] parameter(0) q = s32[] reshape(p) n = s32[] constant(9)\n"
      " ROOT r = pred[] compare(q, n), direction=LT }\n"
      "b { p = s32[1] parameter(0) ROOT r = s32[1] add(p, p) }\n"
      "f { p = s32[1] parameter(0) ROOT w = s32[1] while(p), condition=c, body=b }\n"
      "ENTRY e { p = s32[4] parameter(0) x = s32[1] slice(p), slice={[0:1]}\n"
      " y = s32[1] slice(p), slice={[",
      second,
      "]} g = s32[1] call(x), to_apply=f\n"
      " h = s32[1] call(y), to_apply=f ROOT r = s32[1] multiply(g, h) }"));
  auto graphs = BuildGraphs(**module);
  RunPasses(*graphs->entry, {});
  return {LiveNodes(*graphs->entry, Opcode::kWhile), LiveNodes(*graphs->entry, Opcode::kSlice)};
}
TEST(PassesTest, EqualCallsRunALoopOnce) {
  EXPECT_EQ(LoopsAndSlices("0:1"), std::make_pair(1, 1));
  EXPECT_EQ(LoopsAndSlices("2:3"), std::make_pair(2, 2));
}

// Constants with the same bytes but another type or shape must not be merged.
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

// Returns the opcode of the root of a program after all passes except `disabled`.
Opcode RootAfterPasses(const std::string& body, const PassNames& disabled = {}) {
  auto module = ParseModule("HloModule m\nENTRY e { " + body + " }");
  EXPECT_TRUE(module.ok()) << body << module.status();
  auto graphs = BuildGraphs(**module);
  EXPECT_TRUE(graphs.ok()) << body << graphs.status();
  RunPasses(*graphs->entry, disabled);
  return graphs->entry->producer(graphs->entry->results[0]).opcode;
}

struct AlgebraCase {
  const char* body;
  Opcode left;
};
constexpr AlgebraCase kAlgebra[] = {
    {"x = f32[3] parameter(0) o = f32[] constant(1) c = f32[3] broadcast(o), dimensions={}"
     " ROOT r = f32[3] multiply(c, x)",
     Opcode::kParameter},
    {"x = f32[3] parameter(0) o = f32[] constant(0) c = f32[3] broadcast(o), dimensions={}"
     " ROOT r = f32[3] multiply(c, x)",
     Opcode::kMultiply},
    {"x = f32[] parameter(0) c = f32[] constant(0) ROOT r = f32[] add(x, c)", Opcode::kAdd},
    {"x = f32[] parameter(0) c = f32[] constant(-0) ROOT r = f32[] add(x, c)", Opcode::kParameter},
    {"x = f32[] parameter(0) c = f32[] constant(0) ROOT r = f32[] subtract(x, c)",
     Opcode::kParameter},
    {"x = f32[] parameter(0) c = f32[] constant(-0) ROOT r = f32[] subtract(x, c)",
     Opcode::kSubtract},
    {"x = f32[] parameter(0) c = f32[] constant(0) ROOT r = f32[] subtract(c, x)",
     Opcode::kSubtract},
    {"x = f32[] parameter(0) ROOT r = f32[] subtract(x, x)", Opcode::kSubtract},
    {"x = s32[] parameter(0) ROOT r = s32[] subtract(x, x)", Opcode::kConstant},
    {"x = s8[4] parameter(0) ROOT r = pred[4] compare(x, x), direction=GE", Opcode::kBroadcast},
    {"x = f32[4] parameter(0) ROOT r = pred[4] compare(x, x), direction=EQ", Opcode::kCompare},
    {"x = s32[] parameter(0) c = s32[] constant(0) ROOT r = s32[] multiply(x, c)",
     Opcode::kConstant},
    {"x = s4[] parameter(0) c = s4[] constant(-1) ROOT r = s4[] and(x, c)", Opcode::kParameter},
    {"x = pred[] parameter(0) c = pred[] constant(true) ROOT r = pred[] or(c, x)",
     Opcode::kConstant},
    {"x = f32[] parameter(0) c = f32[] constant(-inf) ROOT r = f32[] maximum(x, c)",
     Opcode::kParameter},
    {"x = f32[] parameter(0) c = f32[] constant(inf) ROOT r = f32[] maximum(x, c)",
     Opcode::kMaximum},
    {"x = s8[] parameter(0) c = s8[] constant(127) ROOT r = s8[] maximum(x, c)", Opcode::kConstant},
    {"x = f32[] parameter(0) c = f32[] constant(8) ROOT r = f32[] divide(x, c)", Opcode::kMultiply},
    {"x = f32[] parameter(0) c = f32[] constant(6) ROOT r = f32[] divide(x, c)", Opcode::kDivide},
    // The reciprocal of 2^127 is not a normal number, so the division remains.
    {"x = f32[] parameter(0) c = f32[] constant(1.7014118346046923e38) ROOT r = f32[] divide(x, c)",
     Opcode::kDivide},
    {"x = f32[] parameter(0) c = f32[] constant(2) ROOT r = f32[] power(x, c)", Opcode::kMultiply},
    {"x = f32[] parameter(0) c = f32[] constant(3) ROOT r = f32[] power(x, c)", Opcode::kPower},
    {"x = f32[] parameter(0) n = f32[] negate(x) ROOT r = f32[] negate(n)", Opcode::kParameter},
    {"x = c64[] parameter(0) n = c64[] sign(x) ROOT r = c64[] sign(n)", Opcode::kSign},
    {"x = f32[5] parameter(0) n = f32[5] floor(x) c = f32[5] floor(n) ROOT r = f32[5] negate(c)",
     Opcode::kNegate},
    {"x = bf16[] parameter(0) w = f32[] convert(x) ROOT r = bf16[] convert(w)", Opcode::kParameter},
    {"x = f32[] parameter(0) w = bf16[] convert(x) ROOT r = f32[] convert(w)", Opcode::kConvert},
    {"x = s32[] parameter(0) w = f32[] convert(x) ROOT r = s32[] convert(w)", Opcode::kConvert},
    {"x = s32[] parameter(0) w = f64[] convert(x) ROOT r = s32[] convert(w)", Opcode::kParameter},
    {"x = f8e5m2fnuz[] parameter(0) w = f8e5m2[] convert(x) ROOT r = f8e5m2fnuz[] convert(w)",
     Opcode::kConvert},
    {"x = f32[4] parameter(0) v = f32[4] reverse(x), dimensions={0}"
     " ROOT r = f32[4] reverse(v), dimensions={0}",
     Opcode::kParameter},
    {"z = c64[] parameter(0) a = f32[] real(z) b = f32[] imag(z) ROOT r = c64[] complex(a, b)",
     Opcode::kParameter},
    {"p = pred[] constant(false) x = f32[2] parameter(0) y = f32[2] parameter(1) q = f32[2] sine(y)"
     " ROOT r = f32[2] select(p, x, q)",
     Opcode::kSine},
};

TEST(PassesTest, AlgebraKeepsValues) {
  for (const AlgebraCase& row : kAlgebra) {
    EXPECT_EQ(OpcodeName(RootAfterPasses(row.body)), OpcodeName(row.left)) << row.body;
  }
  EXPECT_EQ(RootAfterPasses(kAlgebra[0].body, {"algebra"}), Opcode::kMultiply);
}

TEST(PassesTest, WhatIsRepeatedIsComputedOnce) {
  const std::string body =
      "x = f32[8] parameter(0) y = f32[1,8] parameter(1) a = f32[99,8] broadcast(x), dimensions={1}"
      " b = f32[99,8] broadcast(y), dimensions={0,1} ROOT r = f32[99,8] add(a, b)";
  EXPECT_EQ(RootAfterPasses(body), Opcode::kBroadcast);
  EXPECT_EQ(RootAfterPasses(body, {"broadcast-hoisting"}), Opcode::kAdd);
  // The result differs along both dimensions, so every element must be computed.
  EXPECT_EQ(RootAfterPasses("x = f32[8] parameter(0) y = f32[99] parameter(1)"
                            " a = f32[99,8] broadcast(x), dimensions={1}"
                            " b = f32[99,8] broadcast(y), dimensions={0}"
                            " ROOT r = f32[99,8] add(a, b)"),
            Opcode::kAdd);
}

TEST(PassesTest, TransposesOfProductsExchangeTheSides) {
  const std::string dot =
      "a = f32[7,2,3] parameter(0) b = f32[5,7] parameter(1)"
      " d = f32[2,3,5] dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={1} ";
  const std::string turned = "t = f32[5,2,3] transpose(d), dimensions={2,0,1} ";
  EXPECT_EQ(RootAfterPasses(dot + "ROOT " + turned), Opcode::kDot);
  EXPECT_EQ(RootAfterPasses(dot + "ROOT " + turned, {"transpose-folding"}), Opcode::kTranspose);
  EXPECT_EQ(RootAfterPasses(dot + "ROOT r = f32[3,2,5] transpose(d), dimensions={1,0,2}"),
            Opcode::kTranspose);
  // The dot is also a result, so it cannot be replaced.
  EXPECT_EQ(RootAfterPasses(dot + turned + "ROOT r = (f32[5,2,3], f32[2,3,5]) tuple(t, d)"),
            Opcode::kTranspose);
}

TEST(PassesTest, ViewsSinkBelowWhatOnlyTheySee) {
  EXPECT_EQ(RootAfterPasses("x = f32[8] parameter(0) a = f32[8] sine(x) b = f32[8] cosine(a)"
                            " ROOT r = f32[4] slice(b), slice={[0:8:2]}"),
            Opcode::kCosine);
  EXPECT_EQ(RootAfterPasses("x = f32[8] parameter(0) a = f32[8] sine(x)"
                            " s = f32[4] slice(a), slice={[0:4]} t = f32[4] slice(a), slice={[4:8]}"
                            " ROOT r = (f32[4], f32[4]) tuple(s, t)"),
            Opcode::kSlice);
}

TEST(PassesTest, TheEngineFoldsWhatDependsOnConstants) {
  auto module = ParseModule(
      "HloModule m\nENTRY e { p = f32[64,64] parameter(0) i = s32[64] iota(), iota_dimension=0\n"
      " k = f32[64] convert(i) s = f32[64] sine(k) b = f32[64,64] broadcast(s), dimensions={0}\n"
      " ROOT r = f32[64,64] add(p, b) }");
  ASSERT_TRUE(module.ok());
  auto graphs = BuildGraphs(**module);
  ASSERT_TRUE(graphs.ok());
  int asked = 0;
  const Evaluator evaluate = [&](Graph& closed) -> absl::StatusOr<std::vector<Literal>> {
    ++asked;
    EXPECT_TRUE(closed.parameters.empty());
    EXPECT_EQ(LiveNodes(closed, Opcode::kSine), 1);
    return std::vector<Literal>{Literal(Shape(PrimitiveType::kF32, {64}))};
  };
  const PassContext context = {&evaluate, true};
  RunPasses(*graphs->entry, {}, context);
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(LiveNodes(*graphs->entry, Opcode::kSine), 0);
  EXPECT_EQ(LiveNodes(*graphs->entry, Opcode::kConstant), 1);
  EXPECT_EQ(LiveNodes(*graphs->entry, Opcode::kBroadcast), 1);
}

// Compares every element of the result with the definition of pad.
TEST(PiecesTest, APadShowsWhatItsDefinitionSays) {
  PaddingConfig padding;
  for (int64_t low = -3; low <= 2; ++low) {
    for (int64_t high = -3; high <= 2; ++high) {
      for (int64_t interior = 0; interior <= 2; ++interior) {
        const int64_t size = 4 + 3 * interior + low + high;
        if (size < 0) continue;
        padding.dimensions = {{low, high, interior}};
        const ArrayType operand = TypeOf(Shape(PrimitiveType::kU8, {4}));
        const Piece piece = PieceOfPad(View::Dense(operand.dimensions),
                                       TypeOf(Shape(PrimitiveType::kU8, {size})), padding);
        std::vector<int64_t> shown(size, -1), wanted(size, -1);
        const PieceDimension& d = piece.dimensions[0];
        for (int64_t i = 0; i < d.count; ++i)
          shown[d.low + i * d.step] = piece.offset + i * d.stride;
        for (int64_t i = 0; i < 4; ++i) {
          const int64_t place = low + i * (interior + 1);
          if (place >= 0 && place < size) wanted[place] = i;
        }
        EXPECT_EQ(shown, wanted) << low << " " << high << " " << interior;
      }
    }
  }
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
