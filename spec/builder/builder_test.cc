// SPDX-License-Identifier: Apache-2.0
#include "spec/builder/builder.h"

#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/base/status_testing.h"
#include "spec/infer/verifier.h"
#include "spec/ir/module.h"
#include "spec/text/printer.h"

namespace hlocts {
namespace {

using ::testing::HasSubstr;
constexpr PrimitiveType kF32 = PrimitiveType::kF32;
constexpr PrimitiveType kS32 = PrimitiveType::kS32;
constexpr PrimitiveType kPred = PrimitiveType::kPred;

// A builder whose parameters have the given f32 dimensions.
struct Fixture {
  Builder b{"test"};
  std::vector<Value> p;

  Fixture(PrimitiveType type, const std::vector<std::vector<int64_t>>& dimensions) {
    for (const auto& sizes : dimensions) Add(Shape(type, sizes));
  }
  Value Add(Shape shape) {
    p.push_back(b.Parameter(static_cast<int64_t>(p.size()), std::move(shape)));
    return p.back();
  }
  // Returns the instructions of the entry computation except parameters, as in "broadcast{1}
  // f32[2,3]; add f32[2,3]".
  std::string Ops(Value root) {
    auto module = b.Build(root);
    if (!module.ok()) return absl::StrCat(module.status().message());
    std::vector<std::string> ops;
    for (const auto& i : (*module)->entry()->instructions()) {
      if (i->opcode() == Opcode::kParameter) continue;
      std::string dimensions = absl::StrJoin(i->IntList(Attr::kDimensions), ",");
      bool lists = i->opcode() == Opcode::kBroadcast || i->opcode() == Opcode::kTranspose;
      ops.push_back(absl::StrCat(OpcodeName(i->opcode()),
                                 lists ? absl::StrCat("{", dimensions, "}") : "", " ",
                                 i->shape().ToString(false)));
    }
    return absl::StrJoin(ops, "; ");
  }
  std::string Rule(Value root) { return RuleOf(b.Build(root).status()); }
};

TEST(BroadcastingTest, EqualShapesNeedNothing) {
  Fixture f(kF32, {{2, 3}, {2, 3}});
  EXPECT_EQ(f.Ops(f.b.Add(f.p[0], f.p[1])), "add f32[2,3]");
}

TEST(BroadcastingTest, ScalarWithoutDimensions) {  // broadcasting.13, .15
  Fixture f(kF32, {{2, 3}, {}});
  EXPECT_EQ(f.Ops(f.b.Add(f.p[0], f.p[1])), "broadcast{} f32[2,3]; add f32[2,3]");
}

TEST(BroadcastingTest, ScalarOnTheLeftStaysThere) {
  Fixture f(kF32, {{}, {2}});
  Value less = f.b.Compare("LT", f.p[0], f.p[1]);
  ASSERT_TRUE(less.ok());
  EXPECT_EQ(less.instruction->operand(0).opcode(), Opcode::kBroadcast);
  EXPECT_EQ(less.instruction->operand(1).opcode(), Opcode::kParameter);
}

TEST(BroadcastingTest, VectorAndMatrixByDimension) {  // broadcasting.18, .22, .24
  Fixture rows(kF32, {{2, 3}, {3}});
  EXPECT_EQ(rows.Ops(rows.b.Add(rows.p[0], rows.p[1], {1})), "broadcast{1} f32[2,3]; add f32[2,3]");
  Fixture columns(kF32, {{3, 3}, {3}});
  EXPECT_EQ(columns.Ops(columns.b.Add(columns.p[0], columns.p[1], {0})),
            "broadcast{0} f32[3,3]; add f32[3,3]");
}

TEST(BroadcastingTest, MatrixAndCuboid) {  // broadcasting.27
  Fixture f(kF32, {{2, 3, 4}, {3, 4}});
  EXPECT_EQ(f.Ops(f.b.Mul(f.p[1], f.p[0], {1, 2})),
            "broadcast{1,2} f32[2,3,4]; multiply f32[2,3,4]");
}

TEST(BroadcastingTest, VectorMatchesAnyDimension) {  // broadcasting.31
  for (int64_t d = 0; d < 4; ++d) {
    Fixture f(kF32, {{5, 5, 5, 5}, {5}});
    EXPECT_EQ(f.Ops(f.b.Mul(f.p[0], f.p[1], {d})),
              absl::StrCat("broadcast{", d, "} f32[5,5,5,5]; multiply f32[5,5,5,5]"));
  }
}

TEST(BroadcastingTest, DegenerateDimensions) {  // broadcasting.47 to .49
  Fixture one(kF32, {{2, 1}, {2, 3}});
  EXPECT_EQ(one.Ops(one.b.Add(one.p[0], one.p[1])),
            "reshape f32[2]; broadcast{0} f32[2,3]; add f32[2,3]");
  Fixture two(kF32, {{1, 2, 5}, {7, 2, 5}});
  EXPECT_EQ(two.Ops(two.b.Add(two.p[0], two.p[1])),
            "reshape f32[2,5]; broadcast{1,2} f32[7,2,5]; add f32[7,2,5]");
  Fixture three(kF32, {{7, 2, 5}, {7, 1, 5}});
  EXPECT_EQ(three.Ops(three.b.Add(three.p[0], three.p[1])),
            "reshape f32[7,5]; broadcast{0,2} f32[7,2,5]; add f32[7,2,5]");
}

TEST(BroadcastingTest, OuterOperation) {  // broadcasting.52
  Fixture f(kF32, {{2, 1}, {1, 3}});
  EXPECT_EQ(f.Ops(f.b.Mul(f.p[0], f.p[1])),
            "reshape f32[2]; broadcast{0} f32[2,3]; reshape f32[3]; broadcast{1} f32[2,3]; "
            "multiply f32[2,3]");
}

TEST(BroadcastingTest, Composition) {  // broadcasting.54 to .61
  Fixture f(kF32, {{4}, {1, 2}});
  EXPECT_EQ(f.Ops(f.b.Add(f.p[0], f.p[1], {0})),
            "broadcast{0} f32[4,2]; reshape f32[2]; broadcast{1} f32[4,2]; add f32[4,2]");
  Fixture g(kF32, {{1, 2}, {4, 3, 1}});  // broadcasting.62 to .66
  EXPECT_EQ(g.Ops(g.b.Add(g.p[0], g.p[1], {1, 2})),
            "reshape f32[2]; broadcast{2} f32[4,3,2]; reshape f32[4,3]; broadcast{0,1} f32[4,3,2]; "
            "add f32[4,3,2]");
}

TEST(BroadcastingTest, OneAgainstNothingIsNothing) {  // ruling 0067
  Fixture f(kF32, {{1, 3}, {0, 3}});
  EXPECT_EQ(f.Ops(f.b.Add(f.p[0], f.p[1])), "reshape f32[3]; broadcast{1} f32[0,3]; add f32[0,3]");
}

TEST(BroadcastingTest, DynamicDimensionsAreKept) {
  Fixture f(kF32, {{3}});
  Shape dynamic(kF32, {2, 3});
  dynamic.set_dynamic_dimension(0, true);
  f.Add(dynamic);
  EXPECT_EQ(f.Ops(f.b.Add(f.p[0], f.p[1], {1})), "broadcast{1} f32[<=2,3]; add f32[<=2,3]");
}

struct Rejection {
  const char* rule;
  std::vector<int64_t> lhs, rhs, broadcast_dimensions;
};

TEST(BroadcastingTest, Rejections) {
  const Rejection cases[] = {
      {"broadcasting.12", {2, 3}, {3}, {}},  // no specification for different ranks
      {"broadcasting.12", {2, 3, 4}, {3, 4}, {}},
      {"broadcasting.39", {2, 2, 2}, {2, 2}, {1, 0}},  // V to N and T to P: descending
      {"broadcasting.39", {2, 2, 2}, {2, 2}, {1, 1}},  // both to the same dimension
      {"broadcasting.32", {2, 3}, {4}, {1}},           // sizes do not match
      {"broadcasting.42", {7, 2, 5}, {7, 2, 6}, {}},
      {"broadcasting.42", {2}, {3}, {}},
      {"elementwise_binary.35", {2, 3, 4}, {3}, {1, 2}},
      {"elementwise_binary.35", {2, 3}, {}, {1}},
      {"elementwise_binary.36", {2, 3}, {3}, {2}},
      {"elementwise_binary.36", {2, 3}, {3}, {-1}},
      {"elementwise_binary.34", {2, 3}, {2, 3}, {1, 0}},
  };
  for (const Rejection& one : cases) {
    SCOPED_TRACE(one.rule);
    Fixture f(kF32, {one.lhs, one.rhs});
    EXPECT_EQ(f.Rule(f.b.Add(f.p[0], f.p[1], one.broadcast_dimensions)), one.rule);
    Fixture swapped(kF32, {one.rhs, one.lhs});
    const Value less =
        swapped.b.Compare("LT", swapped.p[0], swapped.p[1], one.broadcast_dimensions);
    EXPECT_EQ(swapped.Rule(less), one.rule);
  }
}

TEST(BuilderTest, FirstErrorIsTheOneReported) {
  Fixture f(kF32, {{2, 3}, {4}});
  Value bad = f.b.Add(f.p[0], f.p[1]);
  EXPECT_FALSE(bad.ok());
  Value worse = f.b.Reshape(bad, {99});
  EXPECT_FALSE(worse.ok());
  EXPECT_EQ(f.b.Build(worse).status().message(),
            "Add: expected broadcast_dimensions for different numbers of dimensions, found f32[4] "
            "and f32[2,3]");
}

TEST(BuilderTest, ValuesBelongToTheirComputation) {
  Fixture f(kF32, {{2}});
  f.b.Define("inner", {Shape::Scalar(kF32)}, [&](Builder::Values) { return f.p[0]; });
  EXPECT_EQ(f.Rule(f.p[0]), "hlo.operand");
}

TEST(BuilderTest, ConjAndSquare) {
  Fixture f(PrimitiveType::kC64, {{2}});
  EXPECT_EQ(f.Ops(f.b.Square(f.b.Conj(f.p[0]))),
            "real f32[2]; imag f32[2]; negate f32[2]; complex c64[2]; multiply c64[2]");
}

TEST(BuilderTest, SelectOfTuplesGoesLeafByLeaf) {  // ruling 0080
  Fixture f(kF32, {});
  Value pred = f.Add(Shape::Scalar(kPred));
  Shape pair = Shape::Tuple({Shape(kF32, {2}), Shape::Tuple({Shape(kS32, {})})});
  Value on_true = f.Add(pair), on_false = f.Add(pair);
  Value chosen = f.b.Select(pred, on_true, on_false);
  ASSERT_TRUE(chosen.ok()) << f.b.status();
  EXPECT_EQ(chosen.shape().ToString(false), "(f32[2], (s32[]))");
  Fixture g(kF32, {});
  Value vector = g.Add(Shape(kPred, {2})), tuple = g.Add(pair);
  EXPECT_EQ(g.Rule(g.b.Select(vector, tuple, tuple)), "select.15");
  EXPECT_EQ(f.Rule(f.b.Select(pred, on_true, f.Add(Shape::Scalar(kF32)))), "select.16");
}

TEST(BuilderTest, BroadcastAddsOnTheLeft) {  // broadcast.5
  Fixture f(kF32, {{4}});
  EXPECT_EQ(f.Ops(f.b.Broadcast(f.p[0], {2, 3})), "broadcast{2} f32[2,3,4]");
}

TEST(BuilderTest, BroadcastInDim) {
  Fixture f(kF32, {{1, 3}});
  EXPECT_EQ(f.Ops(f.b.BroadcastInDim(f.p[0], {2, 2, 3}, {0, 2})),
            "reshape f32[3]; broadcast{2} f32[2,2,3]");
  Fixture g(kF32, {{2}});
  EXPECT_EQ(g.Rule(g.b.BroadcastInDim(g.p[0], {3}, {0})), "broadcast_in_dim.9");
}

TEST(BuilderTest, Collapse) {  // collapse.13 to .15, by the rule
  const std::pair<std::vector<int64_t>, std::string> cases[] = {
      {{0, 1, 2}, "f32[24]"}, {{0, 1}, "f32[8,3]"}, {{1, 2}, "f32[4,6]"}};
  for (const auto& [dimensions, shape] : cases) {
    Fixture f(kF32, {{4, 2, 3}});
    EXPECT_EQ(f.Ops(f.b.Collapse(f.p[0], dimensions)), absl::StrCat("reshape ", shape));
  }
  Fixture descending(kF32, {{4, 2, 3}}), apart(kF32, {{4, 2, 3}}), outside(kF32, {{4, 2, 3}});
  EXPECT_EQ(descending.Rule(descending.b.Collapse(descending.p[0], {1, 0})), "collapse.7");
  EXPECT_EQ(apart.Rule(apart.b.Collapse(apart.p[0], {0, 2})), "collapse.6");
  EXPECT_EQ(outside.Rule(outside.b.Collapse(outside.p[0], {2, 3})), "collapse.16");
}

TEST(BuilderTest, DotContractsByRank) {  // dot.5 to .8
  Fixture f(kF32, {{3}, {2, 3}, {3, 4}});
  EXPECT_EQ(f.b.Dot(f.p[0], f.p[0]).shape().ToString(false), "f32[]");
  EXPECT_EQ(f.b.Dot(f.p[1], f.p[0]).shape().ToString(false), "f32[2]");
  EXPECT_EQ(f.b.Dot(f.p[1], f.p[2]).shape().ToString(false), "f32[2,4]");
  EXPECT_EQ(f.b.Dot(f.p[0], f.p[2]).shape().ToString(false), "f32[4]");
  Fixture g(kF32, {{2, 3, 4}});
  EXPECT_EQ(g.Rule(g.b.Dot(g.p[0], g.p[0])), "dot.4");
}

TEST(BuilderTest, ConvPadsByName) {  // conv.2, conv.4
  Fixture f(kF32, {{1, 3, 6, 7}, {5, 3, 3, 2}});
  EXPECT_EQ(f.b.Conv(f.p[0], f.p[1], {1, 1}, PaddingKind::kSame).shape().ToString(false),
            "f32[1,5,6,7]");
  EXPECT_EQ(f.b.Conv(f.p[0], f.p[1], {2, 1}, PaddingKind::kValid).shape().ToString(false),
            "f32[1,5,2,6]");
  EXPECT_EQ(
      f.b.ConvWithGeneralPadding(f.p[0], f.p[1], {1, 1}, {{0, 0}, {2, 3}}).shape().ToString(false),
      "f32[1,5,4,11]");
  Fixture bad(kF32, {{1, 3, 6}, {5, 3, 3}});
  EXPECT_EQ(bad.Rule(bad.b.ConvWithGeneralPadding(bad.p[0], bad.p[1], {1, 1}, {})),
            "conv_with_general_padding.4");
}

TEST(BuilderTest, ReduceWindowOfTheDocument) {  // reduce_window.27, .28: stride 2, window 3
  for (PaddingKind padding : {PaddingKind::kValid, PaddingKind::kSame}) {
    Fixture f(kF32, {{5}, {}});
    Computation* min = f.b.BinaryComputation(Opcode::kMinimum, kF32);
    Value pooled = f.b.ReduceWindow(f.p[0], f.p[1], min, {3}, {2}, padding);
    ASSERT_TRUE(pooled.ok()) << f.b.status();
    bool same = padding == PaddingKind::kSame;
    EXPECT_EQ(pooled.shape().ToString(false), same ? "f32[3]" : "f32[2]");
    const WindowDimension& w = pooled.instruction->Get<Window>(Attr::kWindow)->dimensions[0];
    EXPECT_EQ(w.padding_low, same ? 1 : 0);
    EXPECT_EQ(w.padding_high, same ? 1 : 0);
  }
}

TEST(BuilderTest, SameWithOddPaddingPadsHigh) {  // ruling 0049
  Fixture f(kF32, {{4}, {}});
  Computation* add = f.b.BinaryComputation(Opcode::kAdd, kF32);
  Value pooled = f.b.ReduceWindow(f.p[0], f.p[1], add, {2}, {1}, PaddingKind::kSame);
  const WindowDimension& w = pooled.instruction->Get<Window>(Attr::kWindow)->dimensions[0];
  EXPECT_EQ(w.padding_low, 0);
  EXPECT_EQ(w.padding_high, 1);
  EXPECT_EQ(pooled.shape().ToString(false), "f32[4]");
}

TEST(BuilderTest, SortTakesTheLastDimension) {  // sort.12
  Fixture f(kF32, {{2, 3}});
  Value sorted = f.b.Sort({f.p[0]}, f.b.CompareComputation("LT", kF32));
  ASSERT_TRUE(sorted.ok());
  EXPECT_EQ(sorted.instruction->IntList(Attr::kDimensions), std::vector<int64_t>{1});
}

TEST(BuilderTest, AllToAllMovesBlocks) {  // all_to_all.19
  Fixture f(kF32, {{4, 16}});
  EXPECT_EQ(f.Ops(f.b.AllToAll(f.p[0], 1, 0, 4)),
            "all-to-all f32[4,16]; reshape f32[4,4,4]; transpose{1,0,2} f32[4,4,4]; "
            "reshape f32[16,4]");
  Fixture bad(kF32, {{4, 15}});
  EXPECT_EQ(bad.Rule(bad.b.AllToAll(bad.p[0], 1, 0, 4)), "all_to_all.9");
  EXPECT_EQ(f.Rule(f.b.AllToAll(f.p[0], 1, 2, 4)), "all_to_all.15");
}

TEST(BuilderTest, AliasesAreChecked) {  // aliasing.10
  Fixture f(kF32, {{2}});
  f.b.SetUpAlias({}, 0, {}, /*must_alias=*/true);
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto module, f.b.Build(f.b.Add(f.p[0], f.p[0])));
  EXPECT_THAT(PrintModule(*module, PrintOptions::Default()),
              HasSubstr("input_output_alias={ {}: (0, {}, must-alias) }"));
  Fixture g(kF32, {{2}});
  g.b.SetUpAlias({}, 1, {});
  EXPECT_EQ(g.Rule(g.p[0]), "aliasing.9");
}

TEST(Edition2018Test, Sorts) {  // sort.27, sort.29
  Fixture f(kF32, {{2}});
  Value values = f.Add(Shape(kS32, {2}));
  EXPECT_EQ(f.b.SortKey(f.p[0]).shape().ToString(false), "f32[2]");
  EXPECT_EQ(f.b.SortKeyValue(f.p[0], values).shape().ToString(false), "(f32[2], s32[2])");
}

TEST(Edition2018Test, IotaAndSlice) {  // iota.3, slice.5
  Builder b("old");
  Value iota = b.IotaVector(kS32, 5);
  EXPECT_EQ(iota.shape().ToString(false), "s32[5]");
  EXPECT_EQ(b.Slice(iota, {2}, {4}).shape().ToString(false), "s32[2]");
}

TEST(Edition2018Test, ReshapePermutes) {  // reshape.14 to .16: f32[4,2,3]
  Fixture f(kF32, {{4, 2, 3}});
  EXPECT_EQ(f.Ops(f.b.ReshapePermuting(f.p[0], {1, 2, 0}, {24})),
            "transpose{1,2,0} f32[2,3,4]; reshape f32[24]");
  Fixture same(kF32, {{4, 2, 3}});
  EXPECT_EQ(same.Ops(same.b.ReshapePermuting(same.p[0], {}, {8, 3})), "reshape f32[8,3]");
  Fixture bad(kF32, {{4, 2, 3}});
  EXPECT_EQ(bad.Rule(bad.b.ReshapePermuting(bad.p[0], {1, 1, 0}, {24})), "reshape.11");
}

TEST(Edition2018Test, CrossReplicaSumGroups) {  // cross_replica_sum.9, .11
  Fixture f(kF32, {{2}});
  Value sum = f.b.CrossReplicaSum(f.p[0], {0, 1, 2, 3, 0, 1, 2, 3});
  ASSERT_TRUE(sum.ok()) << f.b.status();
  EXPECT_EQ(sum.instruction->Get<ReplicaGroups>(Attr::kReplicaGroups)->groups,
            (Builder::Groups{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
  Fixture bad(kF32, {{2}});
  EXPECT_EQ(bad.Rule(bad.b.CrossReplicaSum(bad.p[0], {0, 1, 2, 0})), "cross_replica_sum.10");
  Fixture few(kF32, {{2}});
  few.b.module().replica_count = 4;
  EXPECT_EQ(few.Rule(few.b.CrossReplicaSum(few.p[0], {0, 1})), "cross_replica_sum.8");
}

TEST(Edition2018Test, LogicalOperationsArePred) {
  Fixture f(kPred, {{2}});
  EXPECT_EQ(f.Ops(f.b.LogicalNot(f.b.LogicalOr(f.b.LogicalAnd(f.p[0], f.p[0]), f.p[0]))),
            "and pred[2]; or pred[2]; not pred[2]");
  Fixture g(kS32, {{2}});
  EXPECT_EQ(g.Rule(g.b.LogicalAnd(g.p[0], g.p[0])), "elementwise_binary.18");
}

TEST(Edition2018Test, GatherOfTheDocument) {  // gather.14
  Fixture f(kS32, {{16, 11}});
  Value indices = f.Add(Shape(kS32, {10, 9, 2}));
  EXPECT_EQ(f.b.Gather2018(f.p[0], indices, 2, {2}, {1, 6}, {0}, {0, 1}).shape().ToString(false),
            "s32[10,9,6]");
}

}  // namespace
}  // namespace hlocts
