// SPDX-License-Identifier: Apache-2.0
// Tests results that are larger than the caches and are therefore written by non-temporal stores.
// Every element must be written, including the last ones, which do not fill a vector.
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "backends/backend_list.h"
#include "spec/base/status_testing.h"
#include "spec/text/parser.h"

namespace hlocts::backends {
namespace {

// 16 MiB of f32 and a few elements that do not fill a vector.
constexpr int64_t kCount = (4 << 20) + 5;

// Returns `root`, computed from x = 0 1 2 ... 999 0 ..., y = 3 3 3 ... and p = x * y.
std::vector<float> Computed(const std::string& root, bool donate) {
  const std::string array = absl::StrCat("f32[", kCount, "] ");
  auto module = ParseModule(absl::StrCat("HloModule m\nENTRY e { x = ", array,
                                         "parameter(0) y = ", array, "parameter(1)\n p = ", array,
                                         "multiply(x, y) ROOT r = ", array, root, " }"));
  EXPECT_TRUE(module.ok()) << module.status();
  std::vector<Literal> arguments(2, Literal(Shape(PrimitiveType::kF32, {kCount})));
  for (int64_t i = 0; i < kCount; ++i) {
    arguments[0].mutable_data<float>()[i] = static_cast<float>(i % 1000);
    arguments[1].mutable_data<float>()[i] = 3;
  }
  ExecuteRequest request;
  request.arguments.push_back(std::move(arguments));
  if (donate) request.donated_leaves = {0};
  auto engine = *MakeBackend("cpu?isolation=none&threads=2");
  auto executable = engine->Load(**module, {});
  EXPECT_TRUE(executable.ok()) << executable.status();
  auto result = (*executable)->Execute(request);
  EXPECT_TRUE(result.ok()) << result.status();
  const auto data = result->outputs[0][0].data<float>();
  return {data.begin(), data.end()};
}

TEST(StreamedResultsTest, EveryElementArrives) {
  for (bool donate : {false, true}) {
    const std::vector<float> sums = Computed("add(p, x)", donate);
    ASSERT_EQ(sums.size(), kCount);
    int64_t wrong = 0;
    for (int64_t i = 0; i < kCount; ++i) wrong += sums[i] != 4 * static_cast<float>(i % 1000);
    EXPECT_EQ(wrong, 0) << "donated: " << donate;
  }
}

TEST(StreamedResultsTest, NarrowerResultsToo) {
  const std::string array = absl::StrCat("bf16[", 2 * kCount, "] ");
  HLOCTS_ASSERT_OK_AND_ASSIGN(
      auto module, ParseModule(absl::StrCat("HloModule m\nENTRY e { x = ", array,
                                            "parameter(0) ROOT r = ", array, "negate(x) }")));
  Literal x(Shape(PrimitiveType::kBF16, {2 * kCount}));
  for (int64_t i = 0; i < 2 * kCount; ++i)
    x.mutable_data<uint16_t>()[i] = static_cast<uint16_t>(0x3f00 + i % 256);
  ExecuteRequest request;
  request.arguments = {{x}};
  auto engine = *MakeBackend("cpu?isolation=none&threads=2");
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto result, (*engine->Load(*module, {}))->Execute(request));
  int64_t wrong = 0;
  for (int64_t i = 0; i < 2 * kCount; ++i)
    wrong += result.outputs[0][0].data<uint16_t>()[i] != 0xbf00 + i % 256;
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace hlocts::backends
