// SPDX-License-Identifier: Apache-2.0
// Tests reductions and scans by blocks at sizes that the suites lack. Whatever the division into
// blocks is, each term is used once and the results are those of a simple loop.
#include <gtest/gtest.h>

#include <numeric>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backends/engine/cuda/compile/reduce_plan.h"
#include "backends/engine/cuda/run/device_testing.h"
#include "backends/engine/cuda/run/executable.h"
#include "spec/text/parser.h"

namespace hlocts::cuda {
namespace {

// An f32 NaN that is widened and narrowed keeps its bits. Other f64 NaNs remain NaNs.
TEST(BlockTest, NansOfBothWidths) {
  for (uint32_t payload = 1; payload < 0x800000; payload += 4093) {
    for (uint32_t sign : {0u, 0x80000000u}) {
      const uint32_t bits = sign | 0x7f800000u | payload;
      const double wide = hl::Widened(hl::FloatOfBits(bits));
      EXPECT_TRUE(hl::IsNan(wide));
      EXPECT_EQ(hl::BitsOfFloat(hl::Narrowed(wide)), bits);
    }
  }
  EXPECT_TRUE(hl::IsNan(hl::Narrowed(hl::DoubleOfBits(0x7ff0000000000001ull))));
  EXPECT_EQ(hl::Narrowed(hl::Widened(-1.5f)), -1.5f);
}

TEST(BlockTest, GeometriesCoverAllTermsOnce) {
  for (int64_t results : {1, 2, 31, 32, 33, 1000, 100000}) {
    for (int64_t terms : {0, 1, 7, 64, 1000, 4097, 1 << 20}) {
      for (bool adjoin : {false, true}) {
        for (bool parallel : {false, true}) {
          const cuda::ReduceGeometry g = cuda::PlanReduce(results, terms, adjoin, parallel);
          const int64_t per_block = hl::kBlockThreads >> g.lane_bits;
          EXPECT_GE(g.groups * per_block, results);
          EXPECT_LT((g.groups - 1) * per_block, results);
          EXPECT_GE(g.splits * g.per_split, terms);
          EXPECT_TRUE(g.splits == 1 || (g.splits - 1) * g.per_split < terms);
          EXPECT_TRUE(parallel || (g.lane_bits == 0 && g.splits == 1));
        }
      }
    }
  }
  EXPECT_GT(cuda::PlanReduce(1, 1 << 20, true, true).splits, 8);
  EXPECT_EQ(cuda::PlanReduce(1 << 20, 8, false, true).lane_bits, 0);
}

std::vector<int32_t> RunS32(const std::string& text, const std::vector<int32_t>& argument,
                            const std::vector<int64_t>& dimensions,
                            const cuda::CompileOptions& options = {}) {
  auto module = ParseModule("HloModule test\n" + text);
  EXPECT_TRUE(module.ok()) << module.status() << text;
  if (!module.ok()) return {};
  auto executable = cuda::MakeExecutable(**module, {}, options, {TestDevice()});
  EXPECT_TRUE(executable.ok()) << executable.status();
  Literal literal(Shape(PrimitiveType::kS32, dimensions));
  std::copy(argument.begin(), argument.end(), literal.mutable_data<int32_t>().begin());
  pjrt::ExecuteRequest request;
  request.arguments = {{literal}};
  const auto result = (*executable)->Execute(request);
  EXPECT_TRUE(result.ok()) << result.status();
  if (!result.ok()) return {};
  const auto data = result->outputs[0][0].data<int32_t>();
  return {data.begin(), data.end()};
}

constexpr char kSum[] =
    "s { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }\n";

// Steps that can be computed row by row form one kernel, with the results of separate kernels.
TEST(BlockTest, RowsTogetherAreTheirPartsAlone) {
  const std::vector<std::vector<int64_t>> shapes = {
      {1, 2}, {3, 5}, {7, 300}, {300, 200}, {256, 3000}, {256, 4096}, {256, 8200}};
  for (const auto& shape : shapes) {
    const std::string all = absl::StrCat("s32[", shape[0], ",", shape[1], "]"),
                      one = absl::StrCat("s32[", shape[0], "]");
    const std::string module = absl::StrCat(
        kSum,
        "m { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] maximum(a, b) }\n"
        "ENTRY e { p = ",
        all,
        " parameter(0) z = s32[] constant(0) l = s32[] constant(-99)\n"
        " x = ",
        one, " reduce(p, l), dimensions={1}, to_apply=m n = ", one,
        " negate(x)\n"
        " b = ",
        all, " broadcast(n), dimensions={0} d = ", all, " add(p, b) q = ", all,
        " multiply(d, d)\n"
        " y = ",
        one, " reduce(q, z), dimensions={1}, to_apply=s c = ", all,
        " broadcast(y), dimensions={0}\n"
        " f = ",
        all, " xor(d, c) w = ", one,
        " reduce(f, z), dimensions={1}, to_apply=s\n"
        " v = ",
        all, " broadcast(w), dimensions={0} ROOT r = ", all, " subtract(f, v) }");
    std::vector<int32_t> data(shape[0] * shape[1]);
    for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<int32_t>(i * 2654435761u) >> 20;
    cuda::CompileOptions alone, together;
    alone.disabled = {"rows"};
    together.jit = Placement::kAlways;
    EXPECT_EQ(RunS32(module, data, shape, together), RunS32(module, data, shape, alone)) << module;
    auto parsed = ParseModule("HloModule test\n" + module);
    const auto kernels = cuda::KernelSources(**parsed);
    ASSERT_TRUE(kernels.ok());
    EXPECT_EQ(kernels->size(), 1u) << absl::StrJoin(*kernels, "\n");
  }
}

// Integer sums have the same bits in any order. A difference shows a term used twice or never.
TEST(BlockTest, ReductionsOfEveryShapeAreSums) {
  const std::vector<std::vector<int64_t>> shapes = {
      {70000}, {3, 40000}, {40000, 3}, {500, 130}, {130, 500}, {9, 300, 11}, {7, 5000, 2}};
  for (const auto& shape : shapes) {
    for (size_t d = 0; d < shape.size(); ++d) {
      const int64_t elements =
          std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
      int64_t inner = 1;
      for (size_t k = d + 1; k < shape.size(); ++k) inner *= shape[k];
      std::vector<int32_t> data(elements), want(elements / shape[d], 5);
      for (int64_t i = 0; i < elements; ++i) data[i] = static_cast<int32_t>(i * 2654435761u);
      for (int64_t i = 0; i < elements; ++i) {
        int32_t& sum = want[i / inner / shape[d] * inner + i % inner];
        sum = static_cast<int32_t>(static_cast<uint32_t>(sum) + static_cast<uint32_t>(data[i]));
      }
      std::vector<int64_t> kept = shape;
      kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(d));
      const auto text = [](const std::vector<int64_t>& sizes) { return absl::StrJoin(sizes, ","); };
      const std::string module =
          absl::StrCat(kSum, "ENTRY e { p = s32[", text(shape),
                       "] parameter(0) z = s32[] constant(5)\n ROOT r = s32[", text(kept),
                       "] reduce(p, z), dimensions={", d, "}, to_apply=s }");
      EXPECT_EQ(RunS32(module, data, shape), want) << module;
    }
  }
}

TEST(BlockTest, ScansOfEveryLengthAreSums) {
  for (int64_t size : {2, 8, 255, 2048, 2049, 70000}) {
    for (bool reversed : {false, true}) {
      std::vector<int32_t> data(2 * size * 3), want = data;
      for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<int32_t>(i % 1000) - 300;
      for (int64_t line = 0; line < 6; ++line) {
        int32_t sum = 2;
        for (int64_t p = 0; p < size; ++p) {
          const int64_t at = (line / 3 * size + (reversed ? size - 1 - p : p)) * 3 + line % 3;
          want[at] = sum += data[at];
        }
      }
      const std::string pad =
          reversed ? absl::StrCat("0_", size - 1) : absl::StrCat(size - 1, "_0");
      const std::string module =
          absl::StrCat(kSum, "ENTRY e { p = s32[2,", size,
                       ",3] parameter(0) z = s32[] constant(2)\n ROOT r = s32[2,", size,
                       ",3] reduce-window(p, z), window={size=1x", size, "x1 pad=0_0x", pad,
                       "x0_0}, to_apply=s }");
      EXPECT_EQ(RunS32(module, data, {2, size, 3}), want) << module;
    }
  }
}

}  // namespace
}  // namespace hlocts::cuda
