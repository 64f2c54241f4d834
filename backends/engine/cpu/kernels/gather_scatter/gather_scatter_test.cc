// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/kernels/gather_scatter/gather_scatter.h"

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "backends/engine/cpu/kernels/runtime/kernel_testing.h"

namespace hlocts::kernels {
namespace {

using Numbers = absl::InlinedVector<int64_t, 4>;
using Slice = absl::InlinedVector<SliceDimension, 4>;

GatherRequest GatherOf(PrimitiveType type, const Numbers& dimensions, const Numbers& strides,
                       const Numbers& sizes, const IndexVectors& indices, const Numbers& batch,
                       const Numbers& output_batch, const Slice& slice, const void* operand,
                       void* output) {
  return {type, dimensions, strides, sizes, indices, batch, output_batch, slice, operand, output};
}

ScatterRequest ScatterOf(ScatterKind kind, PrimitiveType type, const Numbers& dimensions,
                         const Numbers& strides, const Numbers& sizes, const IndexVectors& indices,
                         const Numbers& batch, const Slice& window, const void* updates,
                         void* output) {
  return {kind, type, dimensions, strides, sizes, indices, {}, batch, window, updates, output};
}

// The operand is [9, 7, 5], slices are [1, 3, 5] with a collapsed first dimension, and the output
// is [4, 3, 5]. Each row of the indices [4, 2] has the starts in dimensions 1 and 0.
struct Rows {
  std::vector<float> operand = RandomFloats(9 * 7 * 5, 1);
  std::vector<int32_t> indices = {0, 0, 4, 8, 2, 5, 3, 8};
  IndexVectors Vectors() const { return {indices.data(), PrimitiveType::kS32, {1, 0}, {4}, {2}}; }
};

TEST(GatherTest, SlicesWithClampedStarts) {
  Rows rows;
  rows.indices = {0, 0, 4, 8, -3, 5, 100, 100};
  std::vector<float> output(4 * 15);
  const GatherRequest request =
      GatherOf(PrimitiveType::kF32, {9, 7, 5}, {35, 5, 1}, {1, 3, 5}, rows.Vectors(), {}, {15},
               {{3, 5, 5}, {5, 1, 1}}, rows.operand.data(), output.data());
  ASSERT_TRUE(Gather(Parallel(), request).ok());
  for (int64_t i = 0; i < 4; ++i) {
    const int64_t y = std::clamp(rows.indices[2 * i], 0, 4),
                  x = std::clamp(rows.indices[2 * i + 1], 0, 8);
    for (int64_t a = 0; a < 3; ++a) {
      for (int64_t b = 0; b < 5; ++b) {
        EXPECT_EQ(output[(i * 3 + a) * 5 + b], rows.operand[(x * 7 + y + a) * 5 + b]);
      }
    }
  }
}

// operand [3, 100] with a batching dimension, indices [3, 1000], output transposed to [1000, 3].
TEST(GatherTest, SinglesOfEveryIndexTypeWithABatchingDimension) {
  const auto operand = RandomElements<int16_t>(300, 2, -1000, 1000);
  const auto check = [&](auto zero, PrimitiveType type) {
    using I = decltype(zero);
    const std::vector<I> indices = RandomElements<I>(3000, 3, -5, 120);
    std::vector<int16_t> output(3000);
    const IndexVectors vectors = {indices.data(), type, {1}, {3, 1000}, {1000, 1}};
    const GatherRequest request = GatherOf(PrimitiveType::kS16, {3, 100}, {100, 1}, {1, 1}, vectors,
                                           {100, 0}, {1, 3}, {}, operand.data(), output.data());
    ASSERT_TRUE(Gather(Parallel(), request).ok());
    for (int64_t b = 0; b < 3; ++b) {
      for (int64_t i = 0; i < 1000; ++i) {
        const int64_t at = std::clamp<int64_t>(indices[b * 1000 + i], 0, 99);
        ASSERT_EQ(output[i * 3 + b], operand[b * 100 + at]);
      }
    }
  };
  check(int8_t{}, PrimitiveType::kS8);
  check(uint8_t{}, PrimitiveType::kU8);
  check(int32_t{}, PrimitiveType::kS32);
  check(uint32_t{}, PrimitiveType::kU32);
  check(int64_t{}, PrimitiveType::kS64);
  check(uint64_t{}, PrimitiveType::kU64);
}

TEST(GatherTest, AHugeUnsignedIndexIsClampedDown) {
  const float operand[3] = {1, 2, 3};
  const uint64_t index = ~uint64_t{0};
  float output = 0;
  const GatherRequest request =
      GatherOf(PrimitiveType::kF32, {3}, {1}, {1}, {&index, PrimitiveType::kU64, {0}}, {}, {}, {},
               operand, &output);
  ASSERT_TRUE(Gather(Parallel(), request).ok());
  EXPECT_EQ(output, 3);
}

template <PrimitiveType kType, typename Combine>
void CheckScatter(ScatterKind kind, Combine combine) {
  // pred is stored as bytes, because elements of std::vector<bool> have no address.
  using T = std::conditional_t<kType == PrimitiveType::kPred, uint8_t, NativeOf<kType>>;
  constexpr int kHigh = kType == PrimitiveType::kPred ? 1 : 3;
  Rows rows;
  // One index occurs twice, and one window has a row out of bounds.
  rows.indices = {0, 0, 4, 8, 4, 8, 5, 2};
  std::vector<T> operand = RandomElements<T>(9 * 7 * 5, 1, 0, kHigh), expected = operand;
  const std::vector<T> updates = RandomElements<T>(4 * 15, 2, 0, kHigh);
  const ScatterRequest request =
      ScatterOf(kind, kType, {9, 7, 5}, {35, 5, 1}, {1, 3, 5}, rows.Vectors(), {15},
                {{3, 5, 5}, {5, 1, 1}}, updates.data(), operand.data());
  ASSERT_TRUE(Scatter(Parallel(), request).ok());
  for (int64_t i = 0; i < 4; ++i) {
    for (int64_t j = 0; j < (i == 3 ? 10 : 15); ++j) {
      T& to = expected[rows.indices[2 * i + 1] * 35 + rows.indices[2 * i] * 5 + j];
      to = combine(to, updates[i * 15 + j]);
    }
  }
  EXPECT_TRUE(operand == expected) << PrimitiveTypeName(kType);
}

TEST(ScatterTest, KindsAndTypes) {
  const auto assign = [](auto, auto b) { return b; };
  const auto add = [](auto a, auto b) { return static_cast<decltype(a)>(a + b); };
  const auto most = [](auto a, auto b) { return std::max(a, b); };
  CheckScatter<PrimitiveType::kF32>(ScatterKind::kAssign, assign);
  CheckScatter<PrimitiveType::kC128>(ScatterKind::kAssign, assign);
  CheckScatter<PrimitiveType::kU8>(ScatterKind::kAssign, assign);
  CheckScatter<PrimitiveType::kF32>(ScatterKind::kAdd, add);
  CheckScatter<PrimitiveType::kS64>(ScatterKind::kAdd, add);
  CheckScatter<PrimitiveType::kC64>(ScatterKind::kAdd, add);
  CheckScatter<PrimitiveType::kS16>(ScatterKind::kMaximum, most);
  CheckScatter<PrimitiveType::kBF16>(ScatterKind::kAdd, [](auto a, auto b) {
    return NativeOf<PrimitiveType::kBF16>(double{float{a}} + float{b});
  });
  CheckScatter<PrimitiveType::kU4>(ScatterKind::kMultiply,
                                   [](auto a, auto b) { return NativeU4(int{a} * int{b}); });
  CheckScatter<PrimitiveType::kU32>(ScatterKind::kXor, [](auto a, auto b) { return a ^ b; });
  CheckScatter<PrimitiveType::kPred>(ScatterKind::kAnd,
                                     [](auto a, auto b) { return static_cast<uint8_t>(a & b); });
  CheckScatter<PrimitiveType::kPred>(ScatterKind::kAdd,
                                     [](auto a, auto b) { return static_cast<uint8_t>(a | b); });
}

// Tests starts near all bounds of both dimensions, and far outside.
TEST(ScatterTest, OfAWindowPartlyOutsideWhatLiesInsideIsUpdated) {
  const std::vector<int64_t> at = {-2, -1, 0, 1, 3, 4, 5, INT64_MIN, INT64_MAX};
  const int64_t side = 5, size = 2, count = static_cast<int64_t>(at.size());
  std::vector<int64_t> indices;
  for (int64_t row : at) {
    for (int64_t column : at) indices.push_back(row), indices.push_back(column);
  }
  std::vector<float> operand(side * side, 0), expected = operand, updates(count * count * 4);
  std::iota(updates.begin(), updates.end(), 1.0f);
  const IndexVectors vectors = {indices.data(), PrimitiveType::kS64, {0, 1}, {count * count}, {2}};
  const ScatterRequest request =
      ScatterOf(ScatterKind::kAdd, PrimitiveType::kF32, {side, side}, {side, 1}, {size, size},
                vectors, {4}, {{size, side, size}, {size, 1, 1}}, updates.data(), operand.data());
  ASSERT_TRUE(Scatter(Parallel(), request).ok());
  for (int64_t i = 0; i < count * count * 4; ++i) {
    const int64_t row = indices[i / 4 * 2], column = indices[i / 4 * 2 + 1];
    const int64_t r = i / 2 % 2, c = i % 2;
    if (row < -r || row >= side - r || column < -c || column >= side - c) continue;
    expected[(row + r) * side + column + c] += updates[i];
  }
  EXPECT_EQ(operand, expected);
}

// Checks scatters of long rows whose indices are less than `bound`. Updates of a row must keep
// their order.
void CheckLongRows(int64_t bound) {
  const int64_t rows = 37, row = 601, count = 1000;
  const auto indices = RandomElements<int32_t>(count, 5, -1, static_cast<int>(bound));
  const auto updates = RandomFloats(count * row, 6), operand = RandomFloats(rows * row, 7);
  const IndexVectors vectors = {indices.data(), PrimitiveType::kS32, {0}, {count}, {1}};
  ScatterRequest request =
      ScatterOf(ScatterKind::kAssign, PrimitiveType::kF32, {rows, row}, {row, 1}, {1, row}, vectors,
                {row}, {{row, 1, 1}}, updates.data(), nullptr);
  for (ScatterKind kind : {ScatterKind::kAssign, ScatterKind::kAdd}) {
    std::vector<float> expected = operand;
    for (int64_t i = 0; i < count * row; ++i) {
      const int64_t at = indices[i / row];
      if (at < 0 || at >= rows) continue;
      float& to = expected[at * row + i % row];
      to = kind == ScatterKind::kAssign ? updates[i] : to + updates[i];
    }
    for (int threads : {1, 2, 3}) {
      std::vector<float> output = operand;
      request.kind = kind;
      request.output = output.data();
      ASSERT_TRUE(Scatter(Parallel(threads), request).ok());
      EXPECT_TRUE(output == expected) << bound << " rows on " << threads << " threads";
    }
  }
}

// If the indices are spread evenly, each thread updates a range of rows.
TEST(ScatterTest, RangesOfLongRowsKeepTheirOrder) { CheckLongRows(37); }

// Otherwise each thread updates a part of every row.
TEST(ScatterTest, PartsOfLongRowsKeepTheirOrder) { CheckLongRows(9); }

TEST(ScatterTest, BadGeometryIsAnError) {
  ScatterRequest request;
  request.operand_dimensions = {3};
  request.operand_strides = {1};
  request.window_sizes = {4};
  EXPECT_EQ(Scatter(Parallel(), request).code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace hlocts::kernels
