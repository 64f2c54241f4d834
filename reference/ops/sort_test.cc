// SPDX-License-Identifier: Apache-2.0
#include "reference/ops/module_testing.h"

namespace hlocts::reference {
namespace {

std::string Comparator(absl::string_view direction, absl::string_view type = "") {
  return absl::StrCat(
      "f { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = pred[] compare(a, b), direction=",
      direction, type, " }\n");
}

std::vector<std::string> SortOne(const std::string& shape, const std::string& called,
                                 const std::string& values, int dimension = 0) {
  return ResultOf(absl::StrCat("x = ", shape, " parameter(0) ROOT s = ", shape,
                               " sort(x), dimensions={", dimension, "}, to_apply=f"),
                  called, {absl::StrCat(shape, " ", values)});
}

TEST(Sort, AscendingDescendingAndAlongEachDimension) {
  EXPECT_EQ(SortOne("f32[4]", Comparator("LT"), "{3,1,inf,-2}"),
            LeafTexts({"f32[4] {-2,1,3,inf}"}));
  EXPECT_EQ(SortOne("f32[4]", Comparator("GT"), "{3,1,inf,-2}"),
            LeafTexts({"f32[4] {inf,3,1,-2}"}));
  EXPECT_EQ(SortOne("f32[2,2]", Comparator("LT"), "{{3,1},{2,4}}", 0),
            LeafTexts({"f32[2,2] {{2,1},{3,4}}"}));
  EXPECT_EQ(SortOne("f32[2,2]", Comparator("LT"), "{{3,1},{2,4}}", 1),
            LeafTexts({"f32[2,2] {{1,3},{2,4}}"}));
}

TEST(Sort, TheDocumentsExampleMovesRowsTogether) {
  const char* f =
      "f { a = s32[] parameter(0) b = s32[] parameter(1) c = s32[] parameter(2) d = s32[] "
      "parameter(3)\n"
      " e = f32[] parameter(4) g = f32[] parameter(5) ROOT r = pred[] compare(a, b), direction=LT "
      "}\n";
  EXPECT_EQ(
      ResultOf("k = s32[2] parameter(0) v = s32[2] parameter(1) w = f32[2] parameter(2) ROOT s = "
               "(s32[2], s32[2], f32[2]) sort(k, v, w), dimensions={0}, to_apply=f",
               f, {"s32[2] {3,1}", "s32[2] {42,50}", "f32[2] {-3,1.1}"}),
      LeafTexts({"s32[2] {1,3}", "s32[2] {50,42}", "f32[2] {1.1,-3}"}));
}

TEST(Sort, TotalOrderPlacesNanAndZeros) {
  EXPECT_EQ(SortOne("f32[6]", Comparator("LT", ", type=TOTALORDER"), "{nan,0,-0,-nan,-inf,inf}"),
            LeafTexts({"f32[6] {-nan,-inf,-0,0,inf,nan}"}));
}

// Keys compared by numbers and by calls of the comparator give one order: stable both ways.
TEST(Sort, RecognisedAndGeneralComparatorsAgreeAndAreStable) {
  const std::string general =
      "f { a = f32[] parameter(0) b = f32[] parameter(1) c = s32[] parameter(2) d = s32[] "
      "parameter(3)\n"
      " z = f32[] constant(0) e = f32[] add(a, z) g = f32[] add(b, z) ROOT r = pred[] compare(e, "
      "g), direction=LT }\n";
  const std::string simple =
      "f { a = f32[] parameter(0) b = f32[] parameter(1) c = s32[] parameter(2) d = s32[] "
      "parameter(3)\n"
      " ROOT r = pred[] compare(a, b), direction=LT }\n";
  std::string keys, places;
  for (int i = 0; i < 300; ++i) {
    absl::StrAppend(&keys, i == 0 ? "" : ",", i % 7 == 0 ? "-0" : absl::StrCat(i * 37 % 11));
    absl::StrAppend(&places, i == 0 ? "" : ",", i);
  }
  const char* entry =
      "k = f32[300] parameter(0) v = s32[300] parameter(1) ROOT s = (f32[300], s32[300]) sort(k, "
      "v), "
      "dimensions={0}, is_stable=true, to_apply=f";
  const std::vector<std::string> arguments = {absl::StrCat("f32[300] {", keys, "}"),
                                              absl::StrCat("s32[300] {", places, "}")};
  const auto by_keys = ResultOf(entry, simple, arguments);
  EXPECT_EQ(by_keys, ResultOf(entry, general, arguments));
  const std::unique_ptr<Module> module = ModuleOf(entry, simple);
  absl::StatusOr<Literal> result =
      Evaluate(*module, {LiteralOf(arguments[0]), LiteralOf(arguments[1])});
  ASSERT_TRUE(result.ok());
  const auto sorted = result->elements()[0].data<float>();
  const auto place = result->elements()[1].data<int32_t>();
  for (int i = 1; i < 300; ++i) {
    ASSERT_LE(sorted[i - 1], sorted[i]);
    if (sorted[i - 1] == sorted[i]) {
      ASSERT_LT(place[i - 1], place[i]);
    }
  }
}

TEST(Sort, NanUnderLessThanStillPermutes) {
  const auto sorted = SortOne("f32[5]", Comparator("LT"), "{3,nan,1,nan,2}");
  ASSERT_EQ(sorted.size(), 1u);
  for (const char* each : {"1", "2", "3", "nan"})
    EXPECT_NE(sorted[0].find(each), std::string::npos);
}

TEST(TopK, LowerIndexFirstAndTotalOrder) {
  auto top = [](const std::string& attributes, const std::string& k) {
    return ResultOf(absl::StrCat("x = f32[2,4] parameter(0) ROOT t = (f32[2,", k, "], s32[2,", k,
                                 "]) topk(x), k=", k, attributes),
                    "", {"f32[2,4] {{1,3,3,2},{-0,0,nan,-inf}}"});
  };
  EXPECT_EQ(top(", largest=true", "3"),
            LeafTexts({"f32[2,3] {{3,3,2},{nan,0,-0}}", "s32[2,3] {{1,2,3},{2,1,0}}"}));
  EXPECT_EQ(top(", largest=false", "2"),
            LeafTexts({"f32[2,2] {{1,2},{-inf,-0}}", "s32[2,2] {{0,3},{3,0}}"}));
  EXPECT_EQ(top(", largest=true", "0"), LeafTexts({"f32[2,0] {{},{}}", "s32[2,0] {{},{}}"}));
}

}  // namespace
}  // namespace hlocts::reference
