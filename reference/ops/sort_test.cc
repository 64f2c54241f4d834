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

// Sorting by integer keys and by calls of the comparator yields the same stable order.
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

}  // namespace
}  // namespace hlocts::reference
