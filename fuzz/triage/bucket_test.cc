// SPDX-License-Identifier: Apache-2.0
#include "fuzz/triage/bucket.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "spec/text/parser.h"

namespace hlocts::fuzz {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

FailureTraits OfText(const std::string& text) { return FailureTraitsOf({*ParseModule(text), {}}); }

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
  EXPECT_EQ(NameOf("fail add(together) f32 zero", 64), NameOf("fail add(together) f32 zero", 8));
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

TEST(BucketTest, UninvolvedOperationsAreIgnored) {
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

TEST(BucketTest, AnOperationThatIsNotCheckedIsOne) {
  BucketSet set;
  std::vector<std::string> absorbed;
  auto add = [&](const std::string& rule) {
    const std::string signature = absl::StrCat("accepted ", rule, " the engine took it");
    return set.Add(BucketOf(signature, {1, false}), &absorbed);
  };
  EXPECT_EQ(add("map.4"), "accepted map.4 the engine took it");
  EXPECT_EQ(add("map.5"), "accepted map.5 the engine took it");
  EXPECT_EQ(add("hlo.shape"), "accepted hlo.shape the engine took it");
  EXPECT_EQ(add("map.4"), "accepted map.4 the engine took it");
  EXPECT_THAT(absorbed, IsEmpty());
  EXPECT_EQ(add("map.9"), "accepted map.* the engine took it");
  EXPECT_THAT(absorbed, ElementsAre("accepted map.4 the engine took it",
                                    "accepted map.5 the engine took it"));
  EXPECT_EQ(add("map.4"), "accepted map.* the engine took it");
}

TEST(BucketTest, FailuresOfCalledComputationsShareABucket) {
  auto name = [](const char* signature) { return BucketOf(signature, {64, true}).Name(); };
  EXPECT_EQ(name("fail reduce f32 value"), name("fail select-and-scatter,sort(together) u8 zero"));
  EXPECT_EQ(name("fail reduce f32 value"), name("fail reduce f32 nan"));
  EXPECT_NE(name("fail reduce f32 value"), NameOf("fail reduce f32 value", 64));
}

TEST(BucketTest, InterchangeableCalleesHaveEqualShapes) {
  const char* text =
      "HloModule m\n"
      "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }\n"
      "multiply { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] multiply(a, b) }\n"
      "ENTRY e { x = f32[3] parameter(0) z = f32[] constant(0)\n"
      " s = f32[] reduce(x, z), dimensions={0}, to_apply=add\n"
      " ROOT p = f32[] reduce(x, s), dimensions={0}, to_apply=multiply }\n";
  EXPECT_TRUE(OfText(text).has_distinct_callees);
  std::string one = absl::StrReplaceAll(text, {{"to_apply=multiply", "to_apply=add"}});
  one.erase(one.find("multiply {"), one.find("ENTRY") - one.find("multiply {"));
  EXPECT_FALSE(OfText(one).has_distinct_callees);
  EXPECT_EQ(OfText(one).elements, 3);
}

TEST(BucketTest, EmptyOperandIsIgnored) {
  BucketSet set;
  std::vector<std::string> absorbed;
  std::string empty = set.Add(BucketOf("fail concatenate(empty) f32 value", {1, false}), &absorbed);
  set.Add(BucketOf("fail concatenate s32 value", {1, false}), &absorbed);
  EXPECT_THAT(absorbed, ElementsAre(empty));
}

TEST(BucketTest, WhatRemainsTellsFaultsOfOneOperationApart) {
  auto slice = [](const char* type, const char* start) {
    return OfText(absl::StrCat("HloModule m\nENTRY e { x = f32[3] parameter(0) i = ", type,
                               "[] constant(", start, ")\n",
                               " ROOT s = f32[1] dynamic-slice(x, i), dynamic_slice_sizes={1} }\n"))
        .needs;
  };
  EXPECT_THAT(slice("s32", "2"), IsEmpty());
  EXPECT_THAT(slice("s32", "-1"), ElementsAre("negative"));
  EXPECT_THAT(slice("s32", "-2147483648"), ElementsAre("least"));
  EXPECT_THAT(slice("s8", "2"), ElementsAre("narrow"));
  EXPECT_THAT(slice("u64", "2"), ElementsAre("unsigned"));
  EXPECT_NE(BucketOf("fail dynamic-slice f32 value", {3, false, {}}).Name(),
            BucketOf("fail dynamic-slice f32 value", {3, false, {"negative"}}).Name());
  EXPECT_EQ(BucketOf("fail concatenate f32 value", {3, false, {}}).Name(),
            BucketOf("fail concatenate f32 value", {3, false, {"narrow", "nan"}}).Name());
  EXPECT_EQ(BucketOf("fail add,while f32 value", {3, false, {}}).Name(),
            BucketOf("fail add,while f32 value", {3, false, {"negative"}}).Name());
}

TEST(BucketTest, ComplexNumbersOfEitherWidthAreComplex) {
  auto sine = [](const char* type) {
    return OfText(absl::StrCat("HloModule m\nENTRY e { x = ", type,
                               "[] parameter(0)\n ROOT s = ", type, "[] asin(x) }\n"))
        .needs;
  };
  EXPECT_THAT(sine("c64"), ElementsAre("complex"));
  EXPECT_THAT(sine("c128"), ElementsAre("complex"));
  EXPECT_THAT(sine("f64"), ElementsAre("wide"));
}

TEST(BucketTest, ZeroAndWrongValueOfAGatherAreTwoBuckets) {
  EXPECT_NE(NameOf("fail gather(s32) f32 zero"), NameOf("fail gather(s32) f32 value"));
  EXPECT_EQ(NameOf("fail transpose f32 zero"), NameOf("fail transpose f32 value"));
  EXPECT_EQ(NameOf("fail gather(s32) f32 inf"), NameOf("fail gather(s32) f32 value"));
}

TEST(BucketTest, NanStandsForInfinityWhereThereIsNone) {
  EXPECT_EQ(NameOf("fail subtract f8e4m3fn nan"), NameOf("fail subtract f8e4m3fn value"));
  EXPECT_NE(NameOf("fail subtract f8e5m2 nan"), NameOf("fail subtract f8e5m2 value"));
}

TEST(BucketTest, LoopsThatTradeValuesAreKeptApart) {
  auto loop = [](const char* first, const char* second) {
    return OfText(absl::StrCat(R"(HloModule m
      body { p = (f32[], f32[]) parameter(0) a = f32[] get-tuple-element(p), index=0
        b = f32[] get-tuple-element(p), index=1 ROOT r = (f32[], f32[]) tuple()",
                               first, ", ", second, R"() }
      test { p = (f32[], f32[]) parameter(0) ROOT c = pred[] constant(false) }
      ENTRY e { x = f32[] parameter(0) s = (f32[], f32[]) tuple(x, x)
        ROOT w = (f32[], f32[]) while(s), condition=test, body=body })"));
  };
  EXPECT_THAT(loop("a", "b").needs, IsEmpty());
  EXPECT_THAT(loop("b", "a").needs, ElementsAre("permutation"));
  EXPECT_NE(BucketOf("fail while f32 value", loop("a", "b")).Name(),
            BucketOf("fail while f32 value", loop("b", "a")).Name());
}

TEST(BucketTest, RepeatedOperandIsADistinctBucket) {
  auto sort = [](const char* operands) {
    return OfText(absl::StrCat(R"(HloModule m
      less { a = f32[] parameter(0) b = f32[] parameter(1) c = f32[] parameter(2)
        d = f32[] parameter(3) ROOT r = pred[] compare(a, b), direction=LT }
      ENTRY e { x = f32[3] parameter(0) y = f32[3] parameter(1)
        ROOT s = (f32[3], f32[3]) sort()",
                               operands, R"(), dimensions={0}, to_apply=less })"))
        .needs;
  };
  EXPECT_THAT(sort("x, y"), IsEmpty());
  EXPECT_THAT(sort("x, x"), ElementsAre("twice"));
  EXPECT_THAT(OfText("HloModule m\nENTRY e { x = f32[] parameter(0)\n"
                     " ROOT t = (f32[], f32[]) tuple(x, x) }\n")
                  .needs,
              IsEmpty());
}

TEST(BucketTest, AnErrorThatRelaxedWouldTakeIsKeptApart) {
  EXPECT_NE(BucketOf("fail rsqrt f32 value", {1, false, {"slight"}}).Name(),
            BucketOf("fail rsqrt f32 value", {1, false, {}}).Name());
}

TEST(BucketTest, RequiredButUninvolvedOperationsAreIgnored) {
  BucketSet set;
  std::vector<std::string> absorbed;
  auto key = [](std::set<std::string> needs) {
    return BucketOf("fail convolution f32 value", {1, false, std::move(needs)});
  };
  std::string first = set.Add(key({"padding", "reversal"}), &absorbed);
  set.Add(key({"stride"}), &absorbed);
  set.Add(key({}), &absorbed);
  EXPECT_THAT(absorbed, IsEmpty());
  set.Add(key({"reversal"}), &absorbed);
  EXPECT_THAT(absorbed, ElementsAre(first));
}

TEST(BucketTest, PackedElementsAreOfOneKind) {
  EXPECT_EQ(BucketOf("fail constant f4e2m1fn value", {1, false, {"packed"}}).Name(),
            BucketOf("fail constant s4 value", {1, false, {"packed"}}).Name());
  EXPECT_NE(NameOf("fail constant f32 value"), NameOf("fail constant s32 value"));
  EXPECT_EQ(NameOf("fail sort f32 value"), NameOf("fail sort pred value"));
}

TEST(BucketTest, RemainsNameValuesAndAttributes) {
  auto value = [](const char* type, const char* text) {
    return OfText(absl::StrCat("HloModule m\nENTRY e { ROOT c = ", type, "[1] constant({", text,
                               "}) }\n"))
        .needs;
  };
  EXPECT_THAT(value("f32", "nan"), ElementsAre("nan"));
  EXPECT_THAT(value("f32", "-inf"), ElementsAre("inf"));
  EXPECT_THAT(value("f32", "-0"), ElementsAre("-0"));
  EXPECT_THAT(value("f32", "1e-40"), ElementsAre("subnormal"));
  EXPECT_THAT(value("f32", "3.5"), IsEmpty());
  EXPECT_THAT(OfText("HloModule m\nENTRY e { x = f32[4] parameter(0)\n"
                     " ROOT s = f32[2] slice(x), slice={[0:4:2]} }\n")
                  .needs,
              ElementsAre("stride"));
}

}  // namespace
}  // namespace hlocts::fuzz
