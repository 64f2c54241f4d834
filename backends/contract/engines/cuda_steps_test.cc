// SPDX-License-Identifier: Apache-2.0
// Tests of operations that need more than one launch: computations that the host calls for each
// element, loops, top-k, scatters. Each implementation must return the values of a simple
// implementation or of the reference.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "absl/strings/str_replace.h"
#include "backends/contract/engines/engines_testing.h"
#include "spec/base/status_testing.h"

namespace hlocts::backends {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kEngine = TestEngine();

constexpr char kComputations[] =
    "below { s = (s32[], s32[]) parameter(0) i = s32[] get-tuple-element(s), index=0\n"
    " n = s32[] constant(3) ROOT r = pred[] compare(i, n), direction=LT }\n"
    "square { s = (s32[], s32[]) parameter(0) i = s32[] get-tuple-element(s), index=0\n"
    " x = s32[] get-tuple-element(s), index=1 one = s32[] constant(1) j = s32[] add(i, one)\n"
    " y = s32[] multiply(x, x) ROOT r = (s32[], s32[]) tuple(j, y) }\n"
    "loop { a = s32[] parameter(0) z = s32[] constant(0) s = (s32[], s32[]) tuple(z, a)\n"
    " w = (s32[], s32[]) while(s), condition=below, body=square\n"
    " ROOT r = s32[] get-tuple-element(w), index=1 }\n"
    "plus { a = s32[] parameter(0) b = s32[] parameter(1) ROOT c = s32[] add(a, b) }\n"
    // Computes a + b by a reduction of the array {a, a, a, a} with initial value b - 3a.
    "sum { a = s32[] parameter(0) b = s32[] parameter(1) v = s32[4] broadcast(a), dimensions={}\n"
    " k = s32[] constant(3) t = s32[] multiply(a, k) u = s32[] subtract(b, t)\n"
    " ROOT r = s32[] reduce(v, u), dimensions={0}, to_apply=plus }\n"
    "lt { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = pred[] compare(a, b), "
    "direction=LT }\n"
    "less { a = s32[] parameter(0) b = s32[] parameter(1) q = pred[] compare(a, b), direction=LT\n"
    " x = s32[2] broadcast(a), dimensions={} y = s32[2] sort(x), dimensions={0}, to_apply=lt\n"
    " s = s32[1] slice(y), slice={[1:2]} t = s32[] reshape(s)\n"
    " ROOT r = pred[] compare(t, b), direction=LT }\n";

// Expects the same values whether `called` or `plain` replaces NAME in the text.
void ExpectSameCalled(const std::string& text, const std::string& plain,
                      const std::string& called) {
  const auto with = [&](const std::string& name) {
    std::string all = text;
    all.replace(all.find("NAME"), 4, name);
    return kComputations + all;
  };
  ExpectSame(RunOn(kEngine, with(plain)), RunOn(kEngine, with(called)));
}

TEST(StepsTest, AComputationWithALoopIsMapped) {
  const auto mapped =
      RunOn(kEngine, std::string(kComputations) +
                         "ENTRY e { p = s32[3] constant({1, -2, 3})\n"
                         " ROOT r = s32[3] map(p), dimensions={0}, to_apply=loop }");
  ASSERT_TRUE(mapped.ok()) << mapped.status();
  const auto data = (*mapped)[0].data<int32_t>();
  EXPECT_THAT(std::vector<int32_t>(data.begin(), data.end()), ElementsAre(1, 256, 6561));
}

TEST(StepsTest, ComputationsWithArraysAreTheStraightOnes) {
  ExpectSameCalled(
      "ENTRY e { p = s32[5,40] parameter(0) z = s32[] constant(2)\n"
      " ROOT r = s32[5] reduce(p, z), dimensions={1}, to_apply=NAME }",
      "plus", "sum");
  ExpectSameCalled(
      "ENTRY e { p = s32[9] parameter(0) z = s32[] constant(2)\n"
      " ROOT r = s32[9] reduce-window(p, z), window={size=3 pad=1_1}, to_apply=NAME }",
      "plus", "sum");
  ExpectSameCalled(
      "ENTRY e { p = s32[6] parameter(0) u = s32[4] parameter(1) i = s32[4] constant({1, 1, 5, "
      "9})\n"
      " ROOT r = s32[6] scatter(p, i, u), update_window_dims={}, inserted_window_dims={0},\n"
      " scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=NAME }",
      "plus", "sum");
  ExpectSameCalled(
      "ENTRY e { p = s32[4,50] parameter(0)\n"
      " ROOT r = s32[4,50] sort(p), dimensions={1}, is_stable=true, to_apply=NAME }",
      "lt", "less");
  ExpectSameCalled(
      "ENTRY e { p = s32[8] parameter(0) s = s32[4] parameter(1) z = s32[] constant(1)\n"
      " ROOT r = s32[8] select-and-scatter(p, s, z), window={size=2 stride=2}, select=lt,\n"
      " scatter=NAME }",
      "plus", "sum");
}

TEST(StepsTest, WhatGoesWrongInACallIsTheStepsStatus) {
  LoadOptions load;
  load.steps_max = 100;
  const auto result =
      RunOn(kEngine,
            "yes { i = s32[] parameter(0) ROOT r = pred[] constant(true) }\n"
            "same { i = s32[] parameter(0) ROOT r = s32[] negate(i) }\n"
            "f { a = s32[] parameter(0) ROOT w = s32[] while(a), condition=yes, body=same }\n"
            "ENTRY e { p = s32[3] constant({1, 2, 3})\n"
            " ROOT r = s32[3] map(p), dimensions={0}, to_apply=f }",
            load);
  EXPECT_EQ(result.status().code(), absl::StatusCode::kDeadlineExceeded) << result.status();
}

// A loop whose carried state is swapped, kept, written in place and read by the condition.
constexpr char kLoop[] =
    "more { s = (s32[], f32[6], f32[6], pred[], f32[6]) parameter(0)\n"
    " i = s32[] get-tuple-element(s), index=0 n = s32[] constant(37)\n"
    " ROOT r = pred[] compare(i, n), direction=LT }\n"
    "turn { s = (s32[], f32[6], f32[6], pred[], f32[6]) parameter(0)\n"
    " i = s32[] get-tuple-element(s), index=0 a = f32[6] get-tuple-element(s), index=1\n"
    " b = f32[6] get-tuple-element(s), index=2 p = pred[] get-tuple-element(s), index=3\n"
    " k = f32[6] get-tuple-element(s), index=4 one = s32[] constant(1) j = s32[] add(i, one)\n"
    " q = pred[] not(p) six = s32[] constant(6) at = s32[] remainder(i, six)\n"
    " x = f32[1] slice(b), slice={[2:3]} d = f32[6] dynamic-update-slice(a, x, at)\n"
    " e = f32[6] multiply(d, k)\n"
    " ROOT r = (s32[], f32[6], f32[6], pred[], f32[6]) tuple(j, b, e, q, k) }\n"
    "ENTRY e { a = f32[6] parameter(0) b = f32[6] parameter(1) k = f32[6] "
    "constant({1,1,-1,1,1,2})\n"
    " z = s32[] constant(0) p = pred[] constant(false)\n"
    " s = (s32[], f32[6], f32[6], pred[], f32[6]) tuple(z, a, b, p, k)\n"
    " ROOT w = (s32[], f32[6], f32[6], pred[], f32[6]) while(s), condition=more, body=turn }";

TEST(StepsTest, ALoopIsTheReferences) {
  const auto reference = RunOn("reference", kLoop);
  for (const char* option : {"", "&disable=in-place"}) {
    ExpectSame(reference, RunOn(kEngine + option, kLoop));
  }
}

TEST(StepsTest, ALoopKeepsTheBudgetOfSteps) {
  for (const int64_t budget : {36, 37}) {
    LoadOptions load;
    load.steps_max = budget;
    const auto result = RunOn(kEngine, kLoop, load);
    const auto expected =
        budget == 36 ? absl::StatusCode::kDeadlineExceeded : absl::StatusCode::kOk;
    EXPECT_EQ(result.status().code(), expected) << result.status();
  }
}

// The comparator does not order NaN, but the numbers around a NaN must still ascend (ruling 0024).
TEST(StepsTest, NumbersAscendBesideNan) {
  const std::string text =
      "lt { j = s32[] parameter(0) k = s32[] parameter(1) a = f32[] parameter(2)\n"
      " b = f32[] parameter(3) ROOT r = pred[] compare(b, a), direction=GT }\n"
      "ENTRY e { x = f32[6] constant({3, nan, 1, -1, nan, 2}) i = s32[6] iota(), iota_dimension=0\n"
      " ROOT r = (s32[6], f32[6]) sort(i, x), dimensions={0}, to_apply=lt }";
  HLOCTS_ASSERT_OK_AND_ASSIGN(const auto sorted, RunOn(kEngine, text));
  std::vector<float> numbers;
  for (float x : sorted[1].data<float>()) {
    if (!std::isnan(x)) numbers.push_back(x);
  }
  EXPECT_THAT(numbers, ElementsAre(-1, 1, 2, 3));
}

// Tests top-k with few and many distinct values, with small and large k, on short and long rows.
TEST(StepsTest, SelectedRowsAreTheReferences) {
  for (const char* type : {"s8", "pred", "u64", "bf16", "f32", "f64"}) {
    for (const char* attributes : {"k=1", "k=250", "k=17, largest=false", "k=0"}) {
      const std::string t = type, k = absl::StrCat(std::atoi(attributes + 2));
      const std::string text = "ENTRY e { p = " + t + "[3,1001] parameter(0)\n ROOT r = (" + t +
                               "[3," + k + "], s32[3," + k + "]) topk(p), " + attributes + " }";
      SCOPED_TRACE(text);
      ExpectSame(RunOn("reference", text), RunOn(kEngine, text));
    }
  }
}

// Updates of integers or of unique targets may be applied in any order, others only in order.
TEST(StepsTest, ScatterIsTheReferences) {
  const std::string body =
      "f { a = TYPE[] parameter(0) b = TYPE[] parameter(1) ROOT c = TYPE[] OP(a, b) }\n"
      "ENTRY e { p = TYPE[5,6] parameter(0) u = TYPE[7,6] parameter(1)\n"
      " i = s32[7] constant({INDICES})\n"
      " ROOT r = TYPE[5,6] scatter(p, i, u), update_window_dims={1}, inserted_window_dims={0},\n"
      " scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=fUNIQUE }";
  const auto text = [&](const char* type, const char* op, bool unique) {
    return absl::StrReplaceAll(
        body, {{"TYPE", type},
               {"OP", op},
               {"INDICES", unique ? "4, 0, -1, 9, 2, 3, 11" : "4, 0, 4, 9, 2, 0, 4"},
               {"UNIQUE", unique ? ", unique_indices=true" : ""}});
  };
  for (const char* type : {"s32", "u64", "s8", "f32"}) {
    for (const char* op : {"add", "maximum", "subtract"}) {
      SCOPED_TRACE(absl::StrCat(type, " ", op));
      if (std::string(type) != "f32" || std::string(op) != "add") {
        ExpectSame(RunOn("reference", text(type, op, false)),
                   RunOn(kEngine, text(type, op, false)));
      }
      ExpectSame(RunOn("reference", text(type, op, true)), RunOn(kEngine, text(type, op, true)));
    }
  }
}

}  // namespace
}  // namespace hlocts::backends
