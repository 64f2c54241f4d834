// SPDX-License-Identifier: Apache-2.0
// Tests that batch normalization uses the scale, offset, mean and variance of the right feature.
// The feature dimension is the last one, or a dimension of few or many elements follows it.
#include <gtest/gtest.h>

#include <cmath>

#include "absl/strings/str_cat.h"
#include "backends/backend_list.h"
#include "spec/text/parser.h"

namespace hlocts::backends {
namespace {

struct Layout {
  int64_t rows, features, inner;
};

// Returns the scale, offset, mean or variance (`array` 0 to 3) of a feature.
double NumberOf(int array, int64_t feature) {
  return array == 3 ? 1.0 + static_cast<double>(feature % 5)
                    : static_cast<double>((feature * (3 + array)) % 11 - 4) / 4;
}
double ElementOf(int64_t i) { return static_cast<double>(i % 263 - 130) / 16; }

std::vector<Literal> Arguments(const Layout& layout) {
  std::vector<Literal> arguments;
  arguments.emplace_back(Shape(PrimitiveType::kF32, {layout.rows, layout.features, layout.inner}));
  auto elements = arguments[0].mutable_data<float>();
  for (size_t i = 0; i < elements.size(); ++i) {
    elements[i] = static_cast<float>(ElementOf(static_cast<int64_t>(i)));
  }
  for (int array = 0; array < 4; ++array) {
    arguments.emplace_back(Shape(PrimitiveType::kF32, {layout.features}));
    auto numbers = arguments.back().mutable_data<float>();
    for (int64_t k = 0; k < layout.features; ++k) {
      numbers[k] = static_cast<float>(NumberOf(array, k));
    }
  }
  return arguments;
}

// Returns the elements after conversion to `type` and normalization in that type.
std::vector<float> Normalized(const Layout& layout, const std::string& type, int threads) {
  const std::string dimensions =
      absl::StrCat("[", layout.rows, ",", layout.features, ",", layout.inner, "] ");
  const std::string narrow = absl::StrCat(type, "[", layout.features, "] ");
  std::string text = absl::StrCat("HloModule m\nENTRY e { x = f32", dimensions, "parameter(0)\n");
  for (int k = 1; k <= 4; ++k) {
    absl::StrAppend(&text, "p", k, " = f32[", layout.features, "] parameter(", k, ")\nq", k, " = ",
                    narrow, "convert(p", k, ")\n");
  }
  absl::StrAppend(&text, "c = ", type, dimensions, "convert(x)\nn = ", type, dimensions,
                  "batch-norm-inference(c, q1, q2, q3, q4), epsilon=0.5, feature_index=1\n",
                  "ROOT r = f32", dimensions, "convert(n) }");
  auto module = ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  ExecuteRequest request;
  request.arguments = {Arguments(layout)};
  auto engine = *MakeBackend(absl::StrCat("cpu?isolation=none&threads=", threads));
  auto result = (*engine->Load(**module, {}))->Execute(request);
  EXPECT_TRUE(result.ok()) << result.status();
  const auto data = result->outputs[0][0].data<float>();
  return {data.begin(), data.end()};
}

void Check(const Layout& layout, const std::string& type, double tolerance) {
  const std::vector<float> got = Normalized(layout, type, 2);
  EXPECT_EQ(got, Normalized(layout, type, 1));
  int64_t wrong = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    const int64_t k = static_cast<int64_t>(i) / layout.inner % layout.features;
    const double factor = NumberOf(0, k) / std::sqrt(NumberOf(3, k) + 0.5);
    const double expected =
        (ElementOf(static_cast<int64_t>(i)) - NumberOf(2, k)) * factor + NumberOf(1, k);
    wrong += !(std::fabs(got[i] - expected) <= tolerance);
  }
  EXPECT_EQ(wrong, 0) << type << ": " << layout.rows << " " << layout.features << " "
                      << layout.inner;
}

TEST(BatchNormTest, EveryLayout) {
  const Layout layouts[] = {{3000, 64, 1}, {7, 1, 1},    {50, 3, 1},   {5, 5000, 1}, {3, 7, 49},
                            {200, 3, 5},   {2, 3, 1000}, {1, 100, 63}, {1, 2, 70001}};
  for (const Layout& layout : layouts) {
    Check(layout, "f32", 1e-5);
    Check(layout, "f64", 1e-5);  // the results are rounded to f32
    Check(layout, "bf16", 0.2);
  }
}

}  // namespace
}  // namespace hlocts::backends
