// SPDX-License-Identifier: Apache-2.0
// Manual regions: what each device may return, and that a tile of another device is none of it.
#include <string>

#include "reference/judge/judge_testing.h"
#include "spec/ir/module.h"

namespace hlocts::reference {
namespace {

// Squares of the device's own part, summed over the devices in place or put together.
constexpr char kSum[] =
    "HloModule m, num_partitions=2\n"
    "a { p = f32[] parameter(0) q = f32[] parameter(1) ROOT r = f32[] add(p, q) }\n"
    "ENTRY e { x = f32[3] parameter(0), sharding={devices=[2]<=[2]}\n"
    " l = f32[2] custom-call(x), custom_call_target=\"SPMDFullToShardShape\", sharding={manual}\n"
    " s = f32[2] multiply(l, l)\n"
    " t = f32[2] all-reduce(s), channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true,"
    " to_apply=a\n"
    " ROOT f = f32[3] custom-call(t), custom_call_target=\"SPMDShardToFullShape\","
    " sharding={devices=[2]<=[2]} }";
constexpr char kLocal[] =
    "HloModule m, num_partitions=2\n"
    "ENTRY e { x = f32[3] parameter(0), sharding={devices=[2]<=[2]}\n"
    " ROOT l = f32[2] custom-call(x), custom_call_target=\"SPMDFullToShardShape\","
    " sharding={manual} }";

struct Row {
  const char* module;
  const char* outputs[2];
  Outcome outcome;
};
constexpr Row kRows[] = {
    {kSum, {"f32[3] {10, 4, 10}", "f32[3] {10, 4, 10}"}, Outcome::kPass},
    {kSum, {"f32[3] {10, 4, 10}", "f32[3] {10, 4, 9}"}, Outcome::kFail},   // an unequal replica
    {kSum, {"f32[3] {1, 4, 9}", "f32[3] {1, 4, 9}"}, Outcome::kFail},      // no sum
    {kSum, {"f32[3] {20, 8, 20}", "f32[3] {20, 8, 20}"}, Outcome::kFail},  // summed twice
    {kLocal, {"f32[2] {1, 2}", "f32[2] {3, 0}"}, Outcome::kPass},
    {kLocal, {"f32[2] {3, 0}", "f32[2] {1, 2}"}, Outcome::kFail},   // the other's tile
    {kLocal, {"f32[2] {1, 2}", "f32[2] {3, 77}"}, Outcome::kFail},  // padding that is no zero
};

TEST(ShardingCallSets, AcceptsEachDevicesPartAndRefusesAnothers) {
  for (const Row& row : kRows) {
    auto module = ParseModule(row.module);
    ASSERT_TRUE(module.ok()) << module.status();
    JudgeOptions options;
    options.partitions = 2;
    const std::vector<std::vector<Literal>> arguments(2, Parse({"f32[3] {1, 2, 3}"}));
    auto sets = AcceptanceOfDevices(**module, arguments, options);
    ASSERT_TRUE(sets.ok()) << sets.status();
    Outcome worst = Outcome::kPass;
    for (size_t d = 0; d < 2; ++d) {
      const JudgeResult result = JudgeLeaves((*sets)[d], Parse({row.outputs[d]}));
      if (result.outcome == Outcome::kFail) worst = Outcome::kFail;
    }
    EXPECT_EQ(worst, row.outcome) << row.outputs[0] << " | " << row.outputs[1];
  }
}

}  // namespace
}  // namespace hlocts::reference
