// SPDX-License-Identifier: Apache-2.0
// Tests sharding custom calls on several partitions.
#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "reference/ops/module_testing.h"
#include "reference/world/world.h"
#include "spec/ir/module.h"

namespace hlocts::reference {
namespace {

using ::testing::HasSubstr;

// Returns the results of all partitions, joined by " | " where they differ, or the error.
std::string RunOn(absl::string_view entry, int64_t partitions, const std::string& argument) {
  auto module = ParseModule(absl::StrCat("HloModule m\nENTRY main {\n", entry, "}\n"));
  if (!module.ok()) return module.status().ToString();
  ReplicatedRunOptions world;
  world.partitions = partitions;
  absl::StatusOr<ReplicatedRunResult> result =
      EvaluateReplicated(**module, {{LiteralOf(argument)}}, world);
  if (!result.ok()) return std::string(result.status().message());
  std::string text;
  for (size_t d = 0; d < result->outputs.size(); ++d) {
    const std::string one = PrintLiteralWithShape(result->outputs[d]);
    if (d == 0 || !result->outputs[d].BitwiseEqual(result->outputs[d - 1])) {
      absl::StrAppend(&text, d == 0 ? "" : " | ", one);
    }
  }
  return text;
}
std::string Text(absl::string_view literal) { return PrintLiteralWithShape(LiteralOf(literal)); }

TEST(ShardingCallTest, AnnotationsHandOn) {
  for (const char* target : {"Sharding", "xla.sdy.FuncResultSharding"}) {
    EXPECT_EQ(RunOn(absl::StrCat("x = f32[2] parameter(0) ROOT r = f32[2] custom-call(x), "
                                 "custom_call_target=\"",
                                 target, "\", sharding={replicated}\n"),
                    1, "f32[2] {1, -0}"),
              Text("f32[2] {1, -0}"));
  }
}

constexpr char kLocal[] =
    "x = s32[5] parameter(0), sharding={devices=[%s}\n"
    "ROOT l = s32[%d] custom-call(x), custom_call_target=\"SPMDFullToShardShape\", "
    "sharding={manual}\n";

TEST(ShardingCallTest, EachDeviceHasItsTile) {
  EXPECT_EQ(RunOn(absl::StrFormat(kLocal, "2]<=[2]", 3), 2, "s32[5] {1, 2, 3, 4, 5}"),
            absl::StrCat(Text("s32[3] {1, 2, 3}"), " | ", Text("s32[3] {4, 5, 0}")));
  // Four devices have two replicas of each tile.
  EXPECT_EQ(RunOn(absl::StrFormat(kLocal, "2,2]<=[2,2]T(1,0) last_tile_dim_replicate", 3), 4,
                  "s32[5] {1, 2, 3, 4, 5}"),
            absl::StrCat(Text("s32[3] {1, 2, 3}"), " | ", Text("s32[3] {4, 5, 0}"), " | ",
                         Text("s32[3] {1, 2, 3}"), " | ", Text("s32[3] {4, 5, 0}")));
  // An axis that is not manual leaves the partitioning to the compiler: the region has the whole
  // array.
  EXPECT_EQ(RunOn(absl::StrFormat(kLocal, "2]<=[2]", 5), 2, "s32[5] {1, 2, 3, 4, 5}"),
            Text("s32[5] {1, 2, 3, 4, 5}"));
}

TEST(ShardingCallTest, MistakesAreSaid) {
  EXPECT_THAT(RunOn(absl::StrFormat(kLocal, "2]<=[2]", 4), 2, "s32[5] {1, 2, 3, 4, 5}"),
              HasSubstr("is not a tile of"));
  EXPECT_THAT(RunOn(absl::StrFormat(kLocal, "2]<=[2]", 3), 1, "s32[5] {1, 2, 3, 4, 5}"),
              HasSubstr("expected a manual region over 1 devices (num_partitions), found 2"));
  EXPECT_THAT(RunOn("x = s32[4] parameter(0) ROOT l = s32[2] custom-call(x), "
                    "custom_call_target=\"SPMDFullToShardShape\", sharding={manual}\n",
                    2, "s32[4] {1, 2, 3, 4}"),
              HasSubstr("no sharding defines the part"));
}

TEST(ShardingCallTest, TilesComeTogether) {
  const char kWhole[] =
      "x = s32[5] parameter(0), sharding={devices=[4]<=[4]}\n"
      "l = s32[2] custom-call(x), custom_call_target=\"SPMDFullToShardShape\", sharding={manual}\n"
      "n = s32[2] negate(l), sharding={manual}\n"
      "ROOT f = s32[5] custom-call(n), custom_call_target=\"SPMDShardToFullShape\", "
      "sharding={devices=[4]<=[4]}\n";
  EXPECT_EQ(RunOn(kWhole, 4, "s32[5] {1, 2, 3, 4, 5}"), Text("s32[5] {-1, -2, -3, -4, -5}"));
}

TEST(ShardingCallTest, UnreducedHasNoValue) {
  EXPECT_THAT(RunOn("x = f32[2] parameter(0) ROOT r = f32[2] negate(x), sharding={unreduced}\n", 1,
                    "f32[2] {1, 2}"),
              HasSubstr("r: an unreduced sharding"));
  EXPECT_THAT(RunOn("x = f32[2] parameter(0) ROOT r = f32[2] negate(x), "
                    "frontend_attributes={xla.sdy.sharding=\"#sdy.sharding<@m, [{}], "
                    "unreduced={a}>\"}\n",
                    1, "f32[2] {1, 2}"),
              HasSubstr("unreduced"));
}

}  // namespace
}  // namespace hlocts::reference
