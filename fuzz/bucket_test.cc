#include "fuzz/bucket.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_replace.h"
#include "spec/text/parser.h"

namespace hlocts {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string NameOf(const std::string& signature, int64_t elements = 1) {
  return BucketOf(signature, {elements, false}).Name();
}

TEST(BucketTest, TypesAndWrongNumbersAreFolded) {
  EXPECT_EQ(NameOf("fail multiply f32 zero"), NameOf("fail multiply bf16 value"));
  EXPECT_NE(NameOf("fail multiply f32 value"), NameOf("fail multiply s32 value"));
  EXPECT_NE(NameOf("fail multiply f32 value"), NameOf("fail multiply f32 nan"));
  EXPECT_NE(NameOf("fail multiply f32 value"), NameOf("fail add f32 value"));
  EXPECT_EQ(NameOf("fail convert f16->s8 value"), NameOf("fail convert f64->u32 zero"));
  EXPECT_NE(NameOf("fail convert f16->s8 value"), NameOf("fail convert s8->f16 value"));
}

TEST(BucketTest, WhatOnlyMovesHasNoType) {
  EXPECT_EQ(NameOf("fail gather(u8) f32 nan"), NameOf("fail gather(s64) pred value"));
  EXPECT_NE(NameOf("fail iota f32 value"), NameOf("fail iota s32 value"));
}

TEST(BucketTest, ASizeThatStaysIsPartOfTheFault) {
  EXPECT_NE(NameOf("fail add f32 zero", 64), NameOf("fail add f32 zero", 8));
  EXPECT_EQ(NameOf("fail add f32 zero", 64), NameOf("fail add f32 zero", 1024));
}

TEST(BucketTest, AMessageSaysItAll) {
  EXPECT_EQ(NameOf("rejected pad RET_CHECK failure shapes"),
            NameOf("rejected many-operations RET_CHECK failure shapes"));
  EXPECT_EQ(NameOf("rejected dot dot: too large"), NameOf("rejected call reduce: too large"));
  EXPECT_NE(NameOf("crash dot worker killed by signal"),
            NameOf("crash reduce worker killed by signal"));
  EXPECT_NE(NameOf("accepted map.4 the engine took an invalid module"),
            NameOf("accepted map.5 the engine took an invalid module"));
}

TEST(BucketTest, OperationsThatStandByAreMerged) {
  BucketSet set;
  std::vector<std::string> absorbed;
  set.Add(BucketOf("fail add,xor(together) s32 value", {1, false}), &absorbed);
  set.Add(BucketOf("fail add,convert(together) f32->s8 value", {1, false}), &absorbed);
  set.Add(BucketOf("fail multiply,xor(together) s32 value", {1, false}), &absorbed);
  EXPECT_THAT(absorbed, IsEmpty());
  std::string name = set.Add(BucketOf("fail add(together) f32 zero", {1, false}), &absorbed);
  EXPECT_THAT(absorbed, ElementsAre(NameOf("fail add,convert(together) s32 value"),
                                    NameOf("fail add,xor(together) s32 value")));
  absorbed.clear();
  EXPECT_EQ(set.Add(BucketOf("fail add,tanh(together) f32 value", {1, false}), &absorbed), name);
  EXPECT_NE(set.Add(BucketOf("fail add f32 value", {1, false}), &absorbed), name);
  EXPECT_THAT(absorbed, IsEmpty());
}

TEST(BucketTest, WhichComputationIsCalledIsOneMatter) {
  auto name = [](const char* signature) { return BucketOf(signature, {64, true}).Name(); };
  EXPECT_EQ(name("fail reduce f32 value"), name("fail select-and-scatter,sort(together) u8 zero"));
  EXPECT_NE(name("fail reduce f32 value"), name("fail reduce f32 nan"));
  EXPECT_NE(name("fail reduce f32 value"), NameOf("fail reduce f32 value", 64));
}

TEST(BucketTest, RivalsTakeAndReturnTheSameShapes) {
  const char* text =
      "HloModule m\n"
      "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }\n"
      "multiply { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] multiply(a, b) }\n"
      "ENTRY e { x = f32[3] parameter(0) z = f32[] constant(0)\n"
      " s = f32[] reduce(x, z), dimensions={0}, to_apply=add\n"
      " ROOT p = f32[] reduce(x, s), dimensions={0}, to_apply=multiply }\n";
  EXPECT_TRUE(RemainsOf(**ParseModule(text)).rivals);
  std::string one = absl::StrReplaceAll(text, {{"to_apply=multiply", "to_apply=add"}});
  one.erase(one.find("multiply {"), one.find("ENTRY") - one.find("multiply {"));
  EXPECT_FALSE(RemainsOf(**ParseModule(one)).rivals);
  EXPECT_EQ(RemainsOf(**ParseModule(one)).elements, 3);
}

TEST(BucketTest, AnEmptyOperandStandsByAsWell) {
  BucketSet set;
  std::vector<std::string> absorbed;
  std::string empty = set.Add(BucketOf("fail concatenate(empty) f32 value", {1, false}), &absorbed);
  set.Add(BucketOf("fail concatenate s32 value", {1, false}), &absorbed);
  EXPECT_THAT(absorbed, ElementsAre(empty));
}

}  // namespace
}  // namespace hlocts
