// SPDX-License-Identifier: Apache-2.0
// A verdict names the freedoms (spec/ops/freedoms.def) that widened its sets.
#include <string>
#include <vector>

#include "reference/judge/judge_testing.h"

namespace hlocts::reference {
namespace {

const char kAscending[] =
    "lt { a = f32[] parameter(0) b = f32[] parameter(1)\n"
    " ROOT r = pred[] compare(a, b), direction=LT }\n"
    "ENTRY e { x = f32[3] parameter(0)\n"
    " ROOT r = f32[3] sort(x), dimensions={0}, to_apply=lt }";
const char kSumOfThree[] =
    ADD_BODY("f64")
    "ENTRY e { x = f64[3] parameter(0) i = f64[] constant(0)\n"
    " ROOT r = f64[] reduce(x, i), dimensions={0}, to_apply=add }";

struct Named {
  Case of;
  std::vector<std::string> freedoms;
};

// One that fails leans on nothing.
TEST(NamedFreedomsTest, AreThoseOfTheElements) {
  const char* to_integer = "ENTRY e { x = f32[] parameter(0) ROOT r = s32[] convert(x) }";
  const Named cases[] = {
      {{"exact", BINARY("add", "f32"), {"f32[] 1", "f32[] 2"}, {"f32[] 3"}, kPass}, {}},
      {{"ulps", UNARY("tanh", "f32"), {"f32[] 1"}, {"f32[] 0.7615942"}, kPass}, {}},
      {{"order", kSumOfThree, {"f64[3] {1, 0.1, 0.3}"}, {"f64[] 1.4000000000000001"}, kPass},
       {"reduce-order"}},
      {{"wrong", kSumOfThree, {"f64[3] {1, 0.1, 0.3}"}, {"f64[] 2"}, kFail}, {}},
      {{"flush", BINARY("add", "f32"), {"f32[] 1e-40", "f32[] 0"}, {"f32[] 0"}, kPass},
       {"subnormals"}},
      {{"ties", kAscending, {"f32[3] {0, -0, -1}"}, {"f32[3] {-1, 0, -0}"}, kPass}, {"sort-ties"}},
      {{"range", to_integer, {"f32[] 1e20"}, {"s32[] 7"}, kOpen}, {"float-to-integer-range"}},
  };
  for (const Named& c : cases) {
    JudgeResult result = JudgeCase(c.of);
    EXPECT_EQ(OutcomeName(AcceptedOr(result)), OutcomeName(c.of.outcome)) << c.of.name;
    EXPECT_EQ(result.freedoms, c.freedoms) << c.of.name;
  }
}

}  // namespace
}  // namespace hlocts::reference
