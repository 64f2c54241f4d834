// SPDX-License-Identifier: Apache-2.0
// Tests of broadcast operands: a scalar, one element per row, or one row for all rows. Kernels do
// not materialize broadcasts, so each use in each kernel is compared with plain loops.
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "backends/backend_list.h"
#include "spec/base/status_testing.h"
#include "spec/text/parser.h"

namespace hlocts::backends {
namespace {

struct Case {
  const char* expression;  // of x = x[i, j], w = d[i], v = c (a scalar) and u = b[j]
  int32_t (*expected)(int32_t x, int32_t w, int32_t v, int32_t u);
};

const Case kCases[] = {
    {"subtract(x, w)", [](int32_t x, int32_t w, int32_t, int32_t u) { return x - w; }},
    {"subtract(w, x)", [](int32_t x, int32_t w, int32_t, int32_t u) { return w - x; }},
    {"subtract(w, w)", [](int32_t, int32_t, int32_t, int32_t u) { return 0; }},
    {"subtract(v, w)", [](int32_t, int32_t w, int32_t v, int32_t u) { return v - w; }},
    {"subtract(x, v)", [](int32_t x, int32_t, int32_t v, int32_t u) { return x - v; }},
    {"subtract(v, x)", [](int32_t x, int32_t, int32_t v, int32_t u) { return v - x; }},
    {"select(p, w, x)", [](int32_t x, int32_t w, int32_t v, int32_t u) { return x < w ? w : x; }},
    {"select(p, x, w)", [](int32_t x, int32_t w, int32_t v, int32_t u) { return x < w ? x : w; }},
    {"select(p, v, x)", [](int32_t x, int32_t w, int32_t v, int32_t u) { return x < w ? v : x; }},
    {"select(q, x, v)", [](int32_t x, int32_t w, int32_t v, int32_t u) { return w < x ? x : v; }},
    {"select(q, w, v)", [](int32_t x, int32_t w, int32_t v, int32_t u) { return w < x ? w : v; }},
    {"subtract(x, u)", [](int32_t x, int32_t, int32_t, int32_t u) { return x - u; }},
    {"subtract(w, u)", [](int32_t, int32_t w, int32_t, int32_t u) { return w - u; }},
    {"subtract(u, v)", [](int32_t, int32_t, int32_t v, int32_t u) { return u - v; }},
    {"select(p, u, w)", [](int32_t x, int32_t w, int32_t, int32_t u) { return x < w ? u : w; }},
    {"select(q, u, u)", [](int32_t, int32_t, int32_t, int32_t u) { return u; }},
    {"negate(u)", [](int32_t, int32_t, int32_t, int32_t u) { return -u; }},
    {"negate(w)", [](int32_t, int32_t w, int32_t, int32_t u) { return -w; }},
};

std::string ModuleOf(const char* expression, int64_t rows, int64_t size) {
  const std::string shape = absl::StrCat("[", rows, ",", size, "]");
  return absl::StrCat("HloModule m\nENTRY e { x = s32", shape, " parameter(0) d = s32[", rows,
                      "] parameter(1)\n", " c = s32[] parameter(2) b = s32[", size,
                      "] parameter(3)\n u = s32", shape, " broadcast(b), dimensions={1} w = s32",
                      shape, " broadcast(d), dimensions={0}\n", " v = s32", shape,
                      " broadcast(c), dimensions={}\n", " p = pred", shape,
                      " compare(x, w), direction=LT q = pred", shape,
                      " compare(w, x), direction=LT\n ROOT r = s32", shape, " ", expression, " }");
}

void Check(const Case& one, int64_t rows, int64_t size) {
  Literal x(Shape(PrimitiveType::kS32, {rows, size})), d(Shape(PrimitiveType::kS32, {rows})),
      c(Shape(PrimitiveType::kS32, {})), b(Shape(PrimitiveType::kS32, {size}));
  for (int64_t i = 0; i < rows * size; ++i) {
    x.mutable_data<int32_t>()[i] = static_cast<int32_t>((i * 7919) % 1000);
  }
  for (int64_t i = 0; i < rows; ++i) {
    d.mutable_data<int32_t>()[i] = static_cast<int32_t>((i * 31) % 1000);
  }
  for (int64_t j = 0; j < size; ++j) {
    b.mutable_data<int32_t>()[j] = static_cast<int32_t>((j * 57) % 1000);
  }
  c.mutable_data<int32_t>()[0] = 123456;
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto module, ParseModule(ModuleOf(one.expression, rows, size)));
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto engine, MakeBackend("cpu?isolation=none"));
  ExecuteRequest request;
  request.arguments = {{x, d, c, b}};
  const RunOutcome outcome = RunModule(*engine, *module, {}, request);
  ASSERT_TRUE(outcome.has_values()) << outcome.error.Text();
  const Literal& actual = outcome.result.outputs[0][0];
  for (int64_t i = 0; i < rows * size; ++i) {
    ASSERT_EQ(actual.data<int32_t>()[i],
              one.expected(x.data<int32_t>()[i], d.data<int32_t>()[i / size], 123456,
                           b.data<int32_t>()[i % size]))
        << one.expression << " of " << rows << " rows of " << size << " at " << i;
  }
}

TEST(SingleElementsTest, AreReadWhereTheyStand) {
  for (const Case& one : kCases) {
    for (const int64_t size : {1, 7, 100, 127, 128, 1024, 1500}) Check(one, 5, size);
    Check(one, 700, 130);  // arrays so large that a loop runs in steps
  }
}

}  // namespace
}  // namespace hlocts::backends
