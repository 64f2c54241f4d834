// SPDX-License-Identifier: Apache-2.0
// Tests data movement against index formulas for each element and the documents' examples.
#include <functional>

#include "gtest/gtest.h"
#include "reference/testing/module_runner.h"
#include "spec/base/status_testing.h"
#include "spec/ir/index_util.h"

namespace hlocts::reference {
namespace {

using Index = std::vector<int64_t>;

Literal Counting(PrimitiveType type, const Index& dimensions) {
  int64_t count = Shape(type, dimensions).ElementCount();
  std::vector<double> values(count);
  for (int64_t i = 0; i < count; ++i) values[i] = static_cast<double>(i + 1);
  return FromDoubles(type, values).WithShape(Shape(type, dimensions));
}

// Expects result[index] to be operand[where(index)], or `padding` if `where` returns no index.
void ExpectMoved(const Literal& operand, const Literal& result, double padding,
                 const std::function<Index(const Index&)>& where) {
  std::vector<double> from = ToDoubles(operand), to = ToDoubles(result);
  Index strides = RowMajorStrides(operand.shape().dimensions());
  int64_t at = 0;
  ForEachIndex(result.shape().dimensions(), [&](absl::Span<const int64_t> index) {
    Index source = where(Index(index.begin(), index.end()));
    bool is_padding = source.empty() && operand.shape().rank() > 0;
    double want = is_padding ? padding : from[LinearIndex(source, strides)];
    ASSERT_EQ(to[at], want) << "element " << at;
    ++at;
  });
}

TEST(MovementTest, TransposeOfEveryStorageWidth) {
  for (PrimitiveType type :
       {PrimitiveType::kU8, PrimitiveType::kF16, PrimitiveType::kF32, PrimitiveType::kF64}) {
    Literal x = Counting(type, {2, 3, 4});
    ExpectMoved(
        x, Apply(Shape(type, {4, 2, 3}).ToString(false), "transpose", {x}, "dimensions={2,0,1}"), 0,
        [](const Index& i) {
          return Index{i[1], i[2], i[0]};
        });
  }
}

TEST(MovementTest, BroadcastRepeatsNewAndUnitDimensions) {
  Literal x = Counting(PrimitiveType::kS32, {3, 1});
  ExpectMoved(x, Apply("s32[2,3,4]", "broadcast", {x}, "dimensions={1,2}"), 0, [](const Index& i) {
    return Index{i[1], 0};
  });
  Literal y = Counting(PrimitiveType::kS32, {3, 2});
  ExpectMoved(y, Apply("s32[2,4,3]", "broadcast", {y}, "dimensions={2,0}"), 0, [](const Index& i) {
    return Index{i[2], i[0]};
  });
}

TEST(MovementTest, ReverseAndSlice) {
  Literal x = Counting(PrimitiveType::kBF16, {3, 4, 5});
  ExpectMoved(x, Apply("bf16[3,4,5]", "reverse", {x}, "dimensions={0,2}"), 0, [](const Index& i) {
    return Index{2 - i[0], i[1], 4 - i[2]};
  });
  ExpectMoved(x, Apply("bf16[2,2,2]", "slice", {x}, "slice={[1:3], [0:4:3], [1:5:2]}"), 0,
              [](const Index& i) {
                return Index{1 + i[0], 3 * i[1], 1 + 2 * i[2]};
              });
}

// Tests every small combination of edges and interior against a literal implementation of pad.10 to
// pad.13: it builds the interior-padded row, then cuts or extends its ends.
TEST(MovementTest, PadOfEverySmallConfiguration) {
  for (int64_t low = -4; low <= 2; ++low) {
    for (int64_t high = -4; high <= 2; ++high) {
      for (int64_t interior = 0; interior <= 2; ++interior) {
        std::vector<double> line;
        for (int i = 1; i <= 3; ++i) {
          line.push_back(i);
          for (int64_t k = 0; k < interior && i < 3; ++k) line.push_back(9);
        }
        if (static_cast<int64_t>(line.size()) + std::min<int64_t>(low, 0) +
                std::min<int64_t>(high, 0) <
            0)
          continue;
        line.erase(line.begin(), line.begin() + std::max<int64_t>(-low, 0));
        line.insert(line.begin(), std::max<int64_t>(low, 0), 9);
        line.resize(line.size() - std::max<int64_t>(-high, 0));
        line.insert(line.end(), std::max<int64_t>(high, 0), 9);
        std::string config =
            std::to_string(low) + "_" + std::to_string(high) + "_" + std::to_string(interior);
        Literal got =
            Apply("f32[" + std::to_string(line.size()) + "]", "pad",
                  {MustLiteral("f32[3] {1, 2, 3}"), MustLiteral("f32[] 9")}, "padding=" + config);
        EXPECT_EQ(ToDoubles(got), line) << config;
      }
    }
  }
}

TEST(MovementTest, ZeroSizedAndDeepShapes) {
  Index deep(32, 1);
  deep[0] = 2, deep[31] = 3;
  Literal x = Counting(PrimitiveType::kF32, deep);
  Index back(deep.rbegin(), deep.rend());
  std::string permutation;
  for (int i = 31; i >= 0; --i) permutation += std::to_string(i) + (i ? "," : "");
  Literal result = Apply(Shape(PrimitiveType::kF32, back).ToString(false), "transpose", {x},
                         "dimensions={" + permutation + "}");
  EXPECT_EQ(ToDoubles(result), (std::vector<double>{1, 4, 2, 5, 3, 6}));
}

// A tile is contiguous in memory and may itself be tiled; padding has no value.
TEST(MovementTest, BitcastReadsTiles) {
  auto cast = [](const char* from, const char* to, const char* value) {
    return RunText(absl::StrCat("HloModule m\nENTRY e { p = ", from,
                                " parameter(0)\n ROOT r = ", to, " bitcast(p) }"),
                   {MustLiteral(value)});
  };
  EXPECT_FALSE(cast("f32[3,1]{1,0:T(2,2)}", "f32[3]{0}", "f32[3,1] {{1}, {2}, {3}}").ok());
  EXPECT_FALSE(cast("s4[2]", "s2[2]", "s4[2] {1, 1}").ok());
}

// Tests set_dimension_size.10 to .12 and ruling 0064.
TEST(DynamicSizesTest, ReductionsIgnorePadding) {
  auto reduced = [](const char* size, const char* opcode, const char* init) {
    std::string text = absl::StrCat(
        "HloModule m\nf { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] ", opcode,
        "(a, b) }\nENTRY e { p = f32[10] parameter(0)\n n = s32[] constant(", size, ")\n",
        "d = f32[<=10] set-dimension-size(p, n), dimensions={0}\n z = f32[] constant(", init, ")\n",
        "ROOT r = f32[] reduce(d, z), dimensions={0}, to_apply=f }");
    return Text(RunText(text, {MustLiteral("f32[10] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}")}));
  };
  EXPECT_NE(reduced("11", "add", "0").find("expected a size up to 10, found 11"),
            std::string::npos);
}

constexpr char kCut[] = R"(HloModule m
f { a = s32[] parameter(0) b = s32[] parameter(1) ROOT c = s32[] add(a, b) }
ENTRY e {
  p = s32[2,4] parameter(0)
  n = s32[] constant(3)
  d = s32[2,<=4] set-dimension-size(p, n), dimensions={1}
  t = s32[<=4,2] transpose(d), dimensions={1,0}
  doubled = s32[<=4,2] add(t, t)
  flat = s32[<=8] reshape(doubled)
  edge = s32[4] constant({7, 7, 7, 7})
  c = s32[<=12] concatenate(flat, edge), dimensions={0}
  size = s32[] get-dimension-size(c), dimensions={0}
  dot = s32[2,2] dot(d, d), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  ROOT r = (s32[<=12], s32[], s32[2,2]) tuple(c, size, dot)
})";

TEST(DynamicSizesTest, SizesTravelDownstream) {
  absl::StatusOr<Literal> result =
      RunText(kCut, {MustLiteral("s32[2,4] {{1, 2, 3, 100}, {4, 5, 6, 100}}")});
  ASSERT_TRUE(result.ok()) << result.status();
  const Literal& joined = result->elements()[0];
  EXPECT_EQ(joined.runtime_size(0), 10);
  std::vector<double> values = ToDoubles(joined);
  values.resize(10);
  EXPECT_EQ(values, (std::vector<double>{2, 8, 4, 10, 6, 12, 7, 7, 7, 7}));
  EXPECT_EQ(Text(result->elements()[1]), Leaves({"s32[] 10"}));
  EXPECT_EQ(Text(result->elements()[2]), Leaves({"s32[2,2] {{14, 32}, {32, 77}}"}));
}

// inferred_dimension names the dynamic dimension of a group that gets the remaining size.
TEST(DynamicSizesTest, TheInferredDimensionTakesTheRest) {
  const auto reshaped = [](absl::string_view inferred) {
    return RunText(absl::StrCat("HloModule m\nENTRY e {\n p = s32[4,4] parameter(0)\n"
                                " n = s32[] constant(3)\n"
                                " d = s32[<=4,4] set-dimension-size(p, n), dimensions={0}\n"
                                " ROOT r = s32[<=8,<=2] reshape(d)",
                                inferred, "\n}\n"),
                   {MustLiteral("s32[4,4] {{0,1,2,3},{4,5,6,7},{8,9,10,11},{12,13,14,15}}")});
  };
  HLOCTS_ASSERT_OK_AND_ASSIGN(Literal first, reshaped(", inferred_dimension=0"));
  EXPECT_EQ(first.runtime_size(0), 6);
  EXPECT_EQ(first.runtime_size(1), 2);
  EXPECT_FALSE(reshaped(", inferred_dimension=1").ok());  // 12 elements are not a multiple of 8
  EXPECT_FALSE(reshaped("").ok());
}

}  // namespace
}  // namespace hlocts::reference
