// SPDX-License-Identifier: Apache-2.0
#include "reference/world/world.h"

#include "gmock/gmock.h"
#include "reference/ops/module_testing.h"

namespace hlocts::reference {
namespace {

// Returns the leaves of each device as text, joined by "; ", or one line with the error.
std::vector<std::string> RunWorld(absl::string_view entry, absl::string_view called,
                                  const std::vector<std::vector<std::string>>& arguments,
                                  const ReplicatedRunOptions& world,
                                  std::vector<std::string>* outfeeds = nullptr) {
  const std::unique_ptr<Module> module = ModuleOf(entry, called);
  std::vector<std::vector<Literal>> literals;
  for (const auto& device : arguments) {
    literals.emplace_back();
    for (const std::string& argument : device) literals.back().push_back(LiteralOf(argument));
  }
  absl::StatusOr<ReplicatedRunResult> result = EvaluateReplicated(*module, literals, world);
  if (!result.ok()) return {result.status().ToString()};
  std::vector<std::string> lines;
  for (const Literal& output : result->outputs) {
    lines.emplace_back();
    for (const Literal& leaf : FlattenLeaves(output)) {
      absl::StrAppend(&lines.back(), lines.back().empty() ? "" : "; ", PrintLiteralWithShape(leaf));
    }
  }
  if (outfeeds != nullptr) {
    for (const auto& device : result->outfeeds) {
      for (const Literal& item : device) {
        for (const Literal& leaf : FlattenLeaves(item))
          outfeeds->push_back(PrintLiteralWithShape(leaf));
      }
    }
  }
  return lines;
}

ReplicatedRunOptions Grid(int64_t replicas) {
  ReplicatedRunOptions world;
  world.replicas = replicas;
  return world;
}

// Computes x, the device number 2 * replica-id + partition-id as f32[1].
constexpr char kMine[] =
    "r = u32[] replica-id() p = u32[] partition-id() two = u32[] constant(2) rr = u32[] "
    "multiply(r, two) "
    "id = u32[] add(rr, p) f = f32[] convert(id) x = f32[1] reshape(f)\n";

using ::testing::HasSubstr;

TEST(DeviceEnvironment, PermuteGivesZerosToNonTargets) {
  EXPECT_EQ(RunWorld("x = f32[1] parameter(0) ROOT r = f32[1] collective-permute(x), "
                     "source_target_pairs={{0,1},{1,2},{2,2}}",
                     "", {{"f32[1] {5}"}, {"f32[1] {6}"}, {"f32[1] {7}"}}, Grid(3))[0],
            LeafTexts({"f32[1] {0}"})[0]);
}

// Slices without a meaning are rejected (ruling 0113).
TEST(DeviceEnvironment, RaggedSlicesFitTheirArraysAndEachOther) {
  const std::string text =
      "x = s32[3] parameter(0) y = s32[4] constant({0,0,0,0}) a = s32[2] constant({0,1}) "
      "n = s32[2] constant({1,1}) o = s32[2] parameter(1) q = s32[2] parameter(2) "
      "ROOT r = s32[4] ragged-all-to-all(x, y, a, n, o, q), replica_groups={{0,1}}";
  const auto result = [&](const std::string& there, const std::string& received) {
    const std::vector<std::string> first = {"s32[3] {1,2,3}", "s32[2] {0,0}", "s32[2] {1,1}"};
    return RunWorld(text, "", {first, {"s32[3] {4,5,6}", there, received}}, Grid(2))[0];
  };
  EXPECT_EQ(result("s32[2] {1,1}", "s32[2] {1,1}"), LeafTexts({"s32[4] {1,4,0,0}"})[0]);
  EXPECT_THAT(result("s32[2] {0,0}", "s32[2] {1,1}"), HasSubstr("slices overlap in rows 0 to 0"));
  EXPECT_THAT(result("s32[2] {4,1}", "s32[2] {1,1}"), HasSubstr("exceeds the arrays"));
  EXPECT_THAT(result("s32[2] {1,1}", "s32[2] {2,1}"), HasSubstr("which expects 2"));
}

// No wait has a time limit: the test only finishes if the deadlock is detected.
TEST(DeviceEnvironment, UnequalTripCountsAreADeadlockThatNamesTheInstruction) {
  const char* loop =
      "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }\n"
      "c { s = (s32[], f32[]) parameter(0) n = s32[] get-tuple-element(s), index=0 z = s32[] "
      "constant(3)\n"
      " ROOT g = pred[] compare(n, z), direction=LT }\n"
      "b { s = (s32[], f32[]) parameter(0) n = s32[] get-tuple-element(s), index=0\n"
      " v = f32[] get-tuple-element(s), index=1 o = s32[] constant(1) m = s32[] add(n, o)\n"
      " sum = f32[] all-reduce(v), replica_groups={}, to_apply=add ROOT t = (s32[], f32[]) "
      "tuple(m, sum) }\n";
  const auto lines = RunWorld(
      "x = s32[] parameter(0) v = f32[] constant(1) t = (s32[], f32[]) tuple(x, v) "
      "w = (s32[], f32[]) while(t), condition=c, body=b ROOT r = f32[] get-tuple-element(w), "
      "index=1",
      loop, {{"s32[] 0"}, {"s32[] 1"}}, Grid(2));
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find("DEADLINE_EXCEEDED: deadlock: replica 0 waits in %sum for replica 1"),
            std::string::npos)
      << lines[0];
  EXPECT_NE(lines[0].find("ended: replica 1"), std::string::npos) << lines[0];
}

TEST(DeviceEnvironment, AFailureIsReportedAndNotTheDeadlockItCauses) {
  const auto lines = RunWorld(
      "r = u32[] replica-id() z = u32[] constant(0) p = pred[] compare(r, z), direction=EQ x = "
      "f32[] constant(1) "
      "c = f32[] conditional(p, x, x), true_computation=fine, false_computation=bad "
      "ROOT a = f32[] all-reduce(c), replica_groups={}, to_apply=add",
      absl::StrCat(kAdd, "fine { ROOT a = f32[] parameter(0) }\n",
                   "bad { a = f32[] parameter(0) ROOT c = f32[] custom-call(a), "
                   "custom_call_target=\"no_such_target\" }\n"),
      {{}}, Grid(2));
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find("replica 1: "), std::string::npos) << lines[0];
  EXPECT_NE(lines[0].find("no_such_target"), std::string::npos) << lines[0];
}

TEST(DeviceEnvironment, GroupsThatDoNotFitAreRefused) {
  const auto lines = RunWorld(
      "x = f32[1] parameter(0) ROOT r = f32[2] all-gather(x), replica_groups={{0,5}}, "
      "dimensions={0}",
      "", {{"f32[1] {1}"}}, Grid(2));
  EXPECT_NE(lines[0].find("INVALID_ARGUMENT"), std::string::npos) << lines[0];
}

TEST(DeviceEnvironment, InfeedIsReadInOrderAndOutfeedKeepsIt) {
  ReplicatedRunOptions world = Grid(1);
  world.infeed = {{LiteralOf("f32[2] {1,2}"), LiteralOf("s32[] 7"), LiteralOf("f32[] 0.5")}};
  std::vector<std::string> outfeeds;
  EXPECT_EQ(
      RunWorld(
          "t = token[] after-all() i = (f32[2], token[]) infeed(t) a = f32[2] "
          "get-tuple-element(i), index=0 "
          "u = token[] get-tuple-element(i), index=1 e = ((), token[]) infeed(u) v = token[] "
          "get-tuple-element(e), index=1 j = ((s32[], f32[]), token[]) infeed(v) d = (s32[], "
          "f32[]) "
          "get-tuple-element(j), index=0 w = token[] get-tuple-element(j), index=1 o = token[] "
          "outfeed(d, w), outfeed_shape=(s32[], f32[]) q = token[] outfeed(a, o), "
          "outfeed_shape=f32[2] "
          "ROOT r = f32[2] add(a, a)",
          "", {{}}, world, &outfeeds),
      LeafTexts({"f32[2] {2,4}"}));
  EXPECT_EQ(outfeeds, LeafTexts({"s32[] 7", "f32[] 0.5", "f32[2] {1,2}"}));
}

TEST(DeviceEnvironment, InfeedThatIsUsedUpIsATimeout) {
  ReplicatedRunOptions world = Grid(1);
  const std::string entry =
      "t = token[] after-all() i = (f32[2], token[]) infeed(t) ROOT a = f32[2] "
      "get-tuple-element(i), index=0";
  EXPECT_NE(RunWorld(entry, "", {{}}, world)[0].find("DEADLINE_EXCEEDED"), std::string::npos);
  world.infeed = {{LiteralOf("f32[3] {1,2,3}")}};
  EXPECT_NE(RunWorld(entry, "", {{}}, world)[0].find("INVALID_ARGUMENT"), std::string::npos);
}

TEST(DeviceEnvironment, ARecvWithoutASendIsADeadlock) {
  const auto lines = RunWorld(
      "t = token[] after-all() v = (f32[], u32[], token[]) recv(t), channel_id=4 "
      "d = (f32[], token[]) recv-done(v), channel_id=4 ROOT r = f32[] get-tuple-element(d), "
      "index=0",
      "", {{}}, Grid(1));
  EXPECT_NE(lines[0].find("deadlock: replica 0 waits in %d for a send on channel 4"),
            std::string::npos)
      << lines[0];
}

TEST(DeviceEnvironment, ManyReplicasManyTimesGiveOneResult) {
  for (int trial = 0; trial < 20; ++trial) {
    const auto lines =
        RunWorld(absl::StrCat(kMine,
                              "a = f32[1] all-reduce(x), replica_groups={}, to_apply=add "
                              "ROOT g = f32[8] all-gather(a), replica_groups={}, dimensions={0}"),
                 kAdd, {{}}, Grid(8));
    ASSERT_EQ(lines.size(), 8u) << lines[0];
    for (const std::string& line : lines) {
      ASSERT_EQ(line, LeafTexts({"f32[8] {56,56,56,56,56,56,56,56}"})[0]);
    }
  }
}

}  // namespace
}  // namespace hlocts::reference
