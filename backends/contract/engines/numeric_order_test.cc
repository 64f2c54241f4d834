// SPDX-License-Identifier: Apache-2.0
// Tests of sorts whose comparators replace every NaN and every zero by one value before comparing,
// and of comparators that only look similar. The expected result is a stable sort by the comparator
// as written.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "backends/backend_list.h"
#include "spec/base/status_testing.h"
#include "spec/text/parser.h"

namespace hlocts::backends {
namespace {

// Maps a float to an integer; the order of the integers is the total order of the floats.
int32_t KeyOfBits(float x) {
  const auto bits = std::bit_cast<int32_t>(x);
  return bits < 0 ? bits ^ std::numeric_limits<int32_t>::max() : bits;
}

struct Comparator {
  const char* of_zero;  // what replaces a zero; of_nan replaces a NaN
  const char* of_nan;
  const char* direction;
  float zero, nan;
};
constexpr float kSomeNan = std::numeric_limits<float>::quiet_NaN();
const Comparator kComparators[] = {
    {"0", "nan", "LT", 0, kSomeNan},   {"0", "nan", "GT", 0, kSomeNan},
    {"5", "nan", "LT", 5, kSomeNan},    // zeros are ordered after four
    {"0", "-inf", "LT", 0, -INFINITY},  // NaNs are equal to -inf, the least number
    {"-0", "7", "GT", -0.0f, 7},
};

// Returns a module that sorts f32 keys together with their original positions.
std::string SortWith(const Comparator& one, int64_t size) {
  const auto canonical = [](const char* x) {
    return absl::StrReplaceAll(R"(
  nan.X = pred[] compare(X, X), direction=NE
  zero.X = pred[] compare(X, zero), direction=EQ
  some.X = f32[] select(zero.X, of_zero, X)
  key.X = f32[] select(nan.X, of_nan, some.X))",
                               {{"X", x}});
  };
  return absl::StrCat(
      "HloModule m\nless {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n",
      "  i = s32[] parameter(2)\n  j = s32[] parameter(3)\n",
      "  zero = f32[] constant(0)\n  of_zero = f32[] constant(", one.of_zero,
      ")\n  of_nan = f32[] constant(", one.of_nan, ")", canonical("x"), canonical("y"),
      "\n  ROOT r = pred[] compare(key.x, key.y), direction=", one.direction,
      ", type=TOTALORDER\n}\nENTRY e {\n  a = f32[", size, "] parameter(0)\n  b = s32[", size,
      "] parameter(1)\n  ROOT s = (f32[", size, "], s32[", size,
      "]) sort(a, b), dimensions={0}, is_stable=true, to_apply=less\n}\n");
}

Literal SortedNumbers(int64_t size) {
  constexpr float kSpecials[] = {0, -0.0f, kSomeNan, -kSomeNan, INFINITY, -INFINITY, 4, 6, 7, -1};
  Literal numbers(Shape(PrimitiveType::kF32, {size}));
  for (int64_t i = 0; i < size; ++i) {
    const int64_t pick = i * 7919 % 1013;
    numbers.mutable_data<float>()[i] =
        pick < 500 ? kSpecials[pick % 10] : static_cast<float>(pick - 700) / 16;
  }
  return numbers;
}

void CheckSort(const Comparator& one, int64_t size) {
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto module, ParseModule(SortWith(one, size)));
  Literal places(Shape(PrimitiveType::kS32, {size}));
  const absl::Span<int32_t> counted = places.mutable_data<int32_t>();
  std::iota(counted.begin(), counted.end(), 0);
  ExecuteRequest request;
  request.arguments = {{SortedNumbers(size), places}};
  auto backend = MakeBackend("cpu?isolation=none");
  const RunOutcome outcome = RunModule(**backend, *module, {}, request);
  ASSERT_TRUE(outcome.has_values()) << outcome.error.Text();
  const absl::Span<const float> numbers = request.arguments[0][0].data<float>();
  const auto key = [&](int32_t i) {
    const float x = numbers[i];
    return KeyOfBits(x != x ? one.nan : x == 0 ? one.zero : x);
  };
  std::vector<int32_t> order(counted.begin(), counted.end());
  const bool ascending = one.direction[0] == 'L';
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return ascending ? key(a) < key(b) : key(a) > key(b);
  });
  const Literal& sorted = outcome.result.outputs[0][1];
  for (int64_t i = 0; i < size; ++i) {
    ASSERT_EQ(sorted.data<int32_t>()[i], order[i])
        << one.of_zero << " " << one.of_nan << " at " << i;
  }
}

TEST(NumericOrderTest, SortsAsWritten) {
  for (const Comparator& one : kComparators) {
    for (int64_t size : {2, 17, 1000, 20000}) CheckSort(one, size);
  }
}

}  // namespace
}  // namespace hlocts::backends
