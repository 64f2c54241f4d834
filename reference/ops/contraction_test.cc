// SPDX-License-Identifier: Apache-2.0
// Tests dot and reduce against explicit sums for each element.
#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "reference/testing/module_runner.h"
#include "spec/base/status_testing.h"
#include "spec/ir/index_util.h"

namespace hlocts::reference {
namespace {

Literal Pattern(PrimitiveType type, const std::vector<int64_t>& dimensions, int64_t seed) {
  std::vector<double> values(Shape(type, dimensions).ElementCount());
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<double>((static_cast<int64_t>(i) * 37 + seed) % 11 - 5);
  return FromDoubles(type, values).WithShape(Shape(type, dimensions));
}

// Tests a dot with batch dimensions 1 (lhs) and 0 (rhs) that contracts {2, 0} with {3, 1}, on
// values small enough to be exact in every type.
TEST(DotTest, DimensionNumbersInAnyOrder) {
  for (PrimitiveType type : {PrimitiveType::kF32, PrimitiveType::kF64, PrimitiveType::kBF16,
                             PrimitiveType::kS32, PrimitiveType::kS64, PrimitiveType::kS16}) {
    Literal lhs = Pattern(type, {3, 2, 4, 5}, 1), rhs = Pattern(type, {2, 3, 6, 4}, 2);
    Literal got = Apply(Shape(type, {2, 5, 6}).ToString(false), "dot", {lhs, rhs},
                        "lhs_batch_dims={1}, lhs_contracting_dims={2,0}, rhs_batch_dims={0}, "
                        "rhs_contracting_dims={3,1}");
    std::vector<double> x = ToDoubles(lhs), y = ToDoubles(rhs), z = ToDoubles(got);
    for (int b = 0; b < 2; ++b) {
      for (int i = 0; i < 5; ++i) {
        for (int j = 0; j < 6; ++j) {
          double sum = 0;
          for (int k = 0; k < 4; ++k) {
            for (int l = 0; l < 3; ++l)
              sum += x[((l * 2 + b) * 4 + k) * 5 + i] * y[((b * 3 + l) * 6 + j) * 4 + k];
          }
          ASSERT_EQ(z[(b * 5 + i) * 6 + j], sum) << PrimitiveTypeName(type);
        }
      }
    }
  }
}

std::string ReduceModule(const std::string& type, const std::string& shape,
                         const std::string& result, const std::string& opcode,
                         const std::string& init, const std::string& dimensions) {
  return "HloModule m\nf { a = " + type + "[] parameter(0) b = " + type +
         "[] parameter(1) ROOT c = " + type + "[] " + opcode + "(a, b) }\nENTRY e { p = " + type +
         shape + " parameter(0)\n z = " + type + "[] constant(" + init + ")\n ROOT r = " + type +
         result + " reduce(p, z), dimensions={" + dimensions + "}, to_apply=f }";
}

// Sums and maxima over a set of dimensions (given as a bit mask), computed element by element.
struct Reduced {
  std::vector<int64_t> kept;  // the sizes that are kept
  std::string dimensions;     // the reduced dimensions
  std::vector<double> sums, maxima;
};

Reduced ReduceByIndex(const std::vector<int64_t>& sizes, const std::vector<double>& values,
                      int set) {
  Reduced reduced;
  std::vector<int64_t> kept_dims, dims;
  for (int64_t d = 0; d < static_cast<int64_t>(sizes.size()); ++d) {
    (set >> d & 1 ? dims : kept_dims).push_back(d);
    if (!(set >> d & 1)) reduced.kept.push_back(sizes[d]);
  }
  reduced.dimensions = absl::StrJoin(dims, ",");
  reduced.sums.resize(Shape(PrimitiveType::kF64, reduced.kept).ElementCount());
  reduced.maxima.resize(reduced.sums.size());
  const std::vector<int64_t> strides = RowMajorStrides(reduced.kept);
  size_t at = 0;
  ForEachIndex(sizes, [&](absl::Span<const int64_t> index) {
    int64_t out = 0;
    for (size_t i = 0; i < kept_dims.size(); ++i) out += index[kept_dims[i]] * strides[i];
    reduced.sums[out] += values[at];
    reduced.maxima[out] = std::max(reduced.maxima[out], values[at]);
    ++at;
  });
  return reduced;
}

TEST(ReduceTest, EverySetOfDimensions) {
  const std::vector<int64_t> sizes = {3, 5, 40, 2};
  for (std::string type : {"f32", "s16", "f64", "bf16", "u8"}) {
    Literal x = Pattern(*PrimitiveTypeFromName(type), sizes, 3);
    for (int set = 0; set < 16; ++set) {
      Reduced want = ReduceByIndex(sizes, ToDoubles(x), set);
      const std::string result = absl::StrCat("[", absl::StrJoin(want.kept, ","), "]");
      auto reduce = [&](const char* opcode) {
        return RunText(ReduceModule(type, "[3,5,40,2]", result, opcode, "0", want.dimensions), {x});
      };
      absl::StatusOr<Literal> sum = reduce("add"), maximum = reduce("maximum");
      ASSERT_TRUE(sum.ok() && maximum.ok()) << sum.status() << maximum.status();
      if (type == "u8") {
        for (double& value : want.sums) value = std::fmod(value + 256e6, 256);
      }
      EXPECT_EQ(ToDoubles(*sum), want.sums) << type << " {" << want.dimensions << "}";
      EXPECT_EQ(ToDoubles(*maximum), want.maxima) << type << " {" << want.dimensions << "}";
    }
  }
}

constexpr char kArgmax[] = R"(HloModule m
better {
  v = f32[] parameter(0) i = s32[] parameter(1) w = f32[] parameter(2) j = s32[] parameter(3)
  c = pred[] compare(v, w), direction=GE
  a = f32[] select(c, v, w) b = s32[] select(c, i, j)
  ROOT t = (f32[], s32[]) tuple(a, b)
}
ENTRY e {
  x = f32[ROWS,4] parameter(0)
  k = s32[ROWS,4] iota(), iota_dimension=1
  low = f32[] constant(-inf) none = s32[] constant(-1)
  ROOT r = (f32[ROWS], s32[ROWS]) reduce(x, k, low, none), dimensions={1}, to_apply=better
})";

TEST(ReduceTest, VariadicArgmaxInFewAndManyRows) {
  for (int64_t rows : {1, 3, 2000}) {
    std::string text = kArgmax;
    for (size_t at; (at = text.find("ROWS")) != std::string::npos;)
      text.replace(at, 4, std::to_string(rows));
    Literal x(Shape(PrimitiveType::kF32, {rows, 4}));
    for (int64_t i = 0; i < rows * 4; ++i)
      x.mutable_data<float>()[i] = static_cast<float>((i * 7919) % 101);
    HLOCTS_ASSERT_OK_AND_ASSIGN(Literal result, RunText(text, {x}));
    for (int64_t row = 0; row < rows; ++row) {
      const float* line = x.data<float>().data() + row * 4;
      int32_t best = static_cast<int32_t>(std::max_element(line, line + 4) - line);
      ASSERT_EQ(result.elements()[1].data<int32_t>()[row], best) << row;
      ASSERT_EQ(result.elements()[0].data<float>()[row], line[best]) << row;
    }
  }
}

}  // namespace
}  // namespace hlocts::reference
