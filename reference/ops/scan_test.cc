// SPDX-License-Identifier: Apache-2.0
#include "reference/ops/module_testing.h"

namespace hlocts::reference {
namespace {

// Running sums and the total: (x, c) -> (x + c, x + c).
constexpr char kSums[] =
    "sums { x = f32[2] parameter(0) c = f32[2] parameter(1) s = f32[2] add(x, c)\n"
    " ROOT r = (f32[2], f32[2]) tuple(s, s) }";
// Numbers that depend on the order: (x, c) -> (c, 2c + x).
constexpr char kDigits[] =
    "digits { x = s32[] parameter(0) c = s32[] parameter(1) two = s32[] constant(2)\n"
    " d = s32[] multiply(two, c) n = s32[] add(d, x) ROOT r = (s32[], s32[]) tuple(c, n) }";

std::vector<std::string> SumsAlong(const std::string& dimension, const std::string& more) {
  return ResultOf(
      "x = f32[2,2] parameter(0) z = f32[2] parameter(1)\n"
      "ROOT r = (f32[2,2], f32[2]) scan(x, z), dimensions={" +
          dimension + "}, num_carries=1, to_apply=sums" + more,
      kSums, {"f32[2,2] {{1, 2}, {3, 4}}", "f32[2] {10, 20}"});
}

TEST(Scan, IsALoopAlongTheDimension) {
  EXPECT_EQ(SumsAlong("0", ""), LeafTexts({"f32[2,2] {{11, 22}, {14, 26}}", "f32[2] {14, 26}"}));
  EXPECT_EQ(SumsAlong("1", ""), LeafTexts({"f32[2,2] {{11, 13}, {23, 27}}", "f32[2] {13, 27}"}));
}

TEST(Scan, InReverseReadsAndWritesFromTheEnd) {
  EXPECT_EQ(SumsAlong("0", ", is_reverse=true"),
            LeafTexts({"f32[2,2] {{14, 26}, {13, 24}}", "f32[2] {14, 26}"}));
  const char kEntry[] =
      "x = s32[3] parameter(0) z = s32[] constant(0)\n"
      "ROOT r = (s32[3], s32[]) scan(x, z), dimensions={0}, num_carries=1, is_reverse=true, "
      "to_apply=digits";
  EXPECT_EQ(ResultOf(kEntry, kDigits, {"s32[3] {1, 0, 1}"}),
            LeafTexts({"s32[3] {2, 1, 0}", "s32[] 5"}));
}

TEST(Scan, WithoutATripGivesTheCarries) {
  const char kEntry[] =
      "x = s32[0] parameter(0) z = s32[] constant(7)\n"
      "ROOT r = (s32[0], s32[]) scan(x, z), dimensions={0}, num_carries=1, to_apply=digits";
  EXPECT_EQ(ResultOf(kEntry, kDigits, {"s32[0] {}"}), LeafTexts({"s32[0] {}", "s32[] 7"}));
}

}  // namespace
}  // namespace hlocts::reference
