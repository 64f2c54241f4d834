// SPDX-License-Identifier: Apache-2.0
// scan: the loop's results are accepted, those of another order or of a lost trip are not.
#include <string>

#include "reference/judge/judge_testing.h"

namespace hlocts::reference {
namespace {

// Running sums; 1 + 2^-24 + 2^-24 is 1 from the left and 1 + 2^-23 from the right.
#define SUMS                                                                   \
  "sums { x = f32[] parameter(0) c = f32[] parameter(1) s = f32[] add(x, c)\n" \
  " ROOT r = (f32[], f32[]) tuple(s, s) }\n"                                   \
  "ENTRY e { x = f32[3] parameter(0) z = f32[] constant(0)\n"                  \
  " ROOT r = (f32[3], f32[]) scan(x, z), dimensions={0}, num_carries=1, to_apply=sums"
#define INTEGERS                                                               \
  "sums { x = s32[] parameter(0) c = s32[] parameter(1) s = s32[] add(x, c)\n" \
  " ROOT r = (s32[], s32[]) tuple(s, s) }\n"                                   \
  "ENTRY e { x = s32[3] parameter(0) z = s32[] constant(0)\n"                  \
  " ROOT r = (s32[3], s32[]) scan(x, z), dimensions={0}, num_carries=1, to_apply=sums"
#define DIFFERENCES                                                                        \
  "differences { x = s32[] parameter(0) c = s32[] parameter(1) s = s32[] subtract(x, c)\n" \
  " ROOT r = (s32[], s32[]) tuple(s, s) }\n"                                               \
  "ENTRY e { x = s32[3] parameter(0) z = s32[] constant(0)\n"                              \
  " ROOT r = (s32[3], s32[]) scan(x, z), dimensions={0}, num_carries=1, to_apply=differences"
#define TINY "f32[3] {1, 5.9604645e-08, 5.9604645e-08}"

const Case kScans[] = {
    {"in_order", SUMS " }", {TINY}, {"f32[3] {1, 1, 1}", "f32[] 1"}, kPass, kStrict},
    {"regrouped",
     SUMS " }",
     {TINY},
     {"f32[3] {1, 1, 1.00000012}", "f32[] 1.00000012"},
     kFail,
     kStrict},
    {"reverse",
     SUMS ", is_reverse=true }",
     {TINY},
     {"f32[3] {1.00000012, 1.1920929e-07, 5.9604645e-08}", "f32[] 1.00000012"},
     kPass,
     kStrict},
    {"reverse_forgotten",
     SUMS ", is_reverse=true }",
     {TINY},
     {"f32[3] {1, 1, 1}", "f32[] 1"},
     kFail,
     kStrict},
    {"a_trip_lost", INTEGERS " }", {"s32[3] {1, 2, 3}"}, {"s32[3] {1, 3, 3}", "s32[] 3"}, kFail},
    {"integers", INTEGERS " }", {"s32[3] {1, 2, 3}"}, {"s32[3] {1, 3, 6}", "s32[] 6"}, kPass},
    {"associative_integers",
     INTEGERS ", is_associative=true }",
     {"s32[3] {1, 2, 3}"},
     {"s32[3] {1, 3, 6}", "s32[] 6"},
     kPass},
    {"associative_integers_wrong",
     INTEGERS ", is_associative=true }",
     {"s32[3] {1, 2, 3}"},
     {"s32[3] {1, 3, 7}", "s32[] 7"},
     kFail},
    // x - c in another order: (3 - 2) - 1 and 3 - (2 - 1). The promise is broken, so all is open.
    {"associative_differences",
     DIFFERENCES ", is_associative=true }",
     {"s32[3] {1, 2, 3}"},
     {"s32[3] {1, 1, 0}", "s32[] 0"},
     kOpen},
    {"differences_wrong",
     DIFFERENCES " }",
     {"s32[3] {1, 2, 3}"},
     {"s32[3] {1, 1, 0}", "s32[] 0"},
     kFail},
    {"associative_floats",
     SUMS ", is_associative=true }",
     {TINY},
     {"f32[3] {1, 1, 1.00000012}", "f32[] 1.00000012"},
     kOpen},
};

using ScanSetsTest = AcceptanceTest;
TEST_P(ScanSetsTest, AcceptsTheLoopAndRefusesAnotherOrder) {
  const JudgeResult result = JudgeCase(GetParam());
  EXPECT_EQ(result.outcome, GetParam().outcome) << result.reason;
}
INSTANTIATE_TEST_SUITE_P(, ScanSetsTest, testing::ValuesIn(kScans),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace hlocts::reference
