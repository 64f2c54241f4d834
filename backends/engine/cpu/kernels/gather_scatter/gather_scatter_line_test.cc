// SPDX-License-Identifier: Apache-2.0
// Tests gather and scatter of single elements with constant strides, on every instruction set.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "backends/engine/cpu/kernels/gather_scatter/gather_scatter.h"
#include "backends/engine/cpu/kernels/runtime/kernel_testing.h"

namespace hlocts::kernels {
namespace {

// Describes every stride-th index as an index vector with one component.
template <typename Index>
IndexVectors LineOf(const std::vector<Index>& indices, PrimitiveType type, int64_t stride) {
  return {indices.data(), type, {0}, {static_cast<int64_t>(indices.size()) / stride}, {stride}};
}

// Describes a gather from `size` elements that are `gap` apart.
GatherRequest GatherOf(const IndexVectors& vectors, int64_t size, int64_t gap,
                       const std::vector<float>& operand, std::vector<float>& output) {
  return {PrimitiveType::kF32, {size},       {gap}, {1}, vectors, {}, {gap}, {},
          operand.data(),      output.data()};
}

// Describes a scatter to `size` elements that are `gap` apart. The updates are `update_gap` apart.
ScatterRequest ScatterOf(ScatterKind kind, const IndexVectors& vectors, int64_t size, int64_t gap,
                         const std::vector<float>& updates, int64_t update_gap) {
  return {kind, PrimitiveType::kF32, {size}, {gap},         {1}, vectors,
          {},   {update_gap},        {},     updates.data()};
}

float Updated(ScatterKind kind, float element, float update) {
  return kind == ScatterKind::kAssign    ? update
         : kind == ScatterKind::kAdd     ? element + update
         : kind == ScatterKind::kMinimum ? std::min(element, update)
                                         : std::max(element, update);
}

// Checks elements, updates and indices that are not adjacent. Some indices are out of bounds.
template <typename Index>
void CheckLine(PrimitiveType index_type) {
  const std::vector<int64_t> wanted = {3, 0, 7, 3, 9, 12, 120, 3, 8};
  const int64_t count = static_cast<int64_t>(wanted.size());
  std::vector<Index> indices(2 * count);
  for (int64_t i = 0; i < count; ++i) indices[2 * i] = static_cast<Index>(wanted[i]);
  if (std::is_signed_v<Index>) indices[2] = static_cast<Index>(-4);
  std::vector<float> operand(30), updates(3 * count), gathered(3 * count, -1.0f);
  for (int64_t i = 0; i < 30; ++i) operand[i] = static_cast<float>(i);
  for (int64_t i = 0; i < 3 * count; ++i) updates[i] = static_cast<float>(100 + i);
  const IndexVectors vectors = LineOf(indices, index_type, 2);
  ASSERT_TRUE(Gather(Parallel(), GatherOf(vectors, 10, 3, operand, gathered)).ok());
  for (ScatterKind kind :
       {ScatterKind::kAssign, ScatterKind::kAdd, ScatterKind::kMinimum, ScatterKind::kMaximum}) {
    std::vector<float> output = operand, expected = operand;
    ScatterRequest scatter = ScatterOf(kind, vectors, 10, 3, updates, 3);
    scatter.output = output.data();
    ASSERT_TRUE(Scatter(Parallel(), scatter).ok());
    for (int64_t i = 0; i < count; ++i) {
      const int64_t at = std::is_signed_v<Index> && i == 1 ? -4 : wanted[i];
      EXPECT_EQ(gathered[3 * i], operand[3 * std::clamp<int64_t>(at, 0, 9)]);
      if (at < 0 || at > 9) continue;
      expected[3 * at] = Updated(kind, expected[3 * at], updates[3 * i]);
    }
    EXPECT_EQ(output, expected);
  }
}

TEST(GatherScatterLineTest, EveryIndexType) {
  ForEachIsa([&] {
    CheckLine<int32_t>(PrimitiveType::kS32);
    CheckLine<uint32_t>(PrimitiveType::kU32);
    CheckLine<int64_t>(PrimitiveType::kS64);
    CheckLine<uint64_t>(PrimitiveType::kU64);
  });
}

// Checks many blocks of updates. Some have equal indices, and some are out of bounds.
template <typename Index>
void CheckManyUpdates(PrimitiveType type, ScatterKind kind, int threads) {
  const int64_t size = 140000, count = (1 << 17) + 7001;
  const auto indices = RandomElements<Index>(count, 8, -50, size + 50);
  const auto updates = RandomFloats(count, 9), operand = RandomFloats(2 * size, 10);
  std::vector<float> output = operand, expected = operand;
  ScatterRequest request = ScatterOf(kind, LineOf(indices, type, 1), size, 2, updates, 1);
  request.output = output.data();
  ASSERT_TRUE(Scatter(Parallel(threads), request).ok());
  for (int64_t i = 0; i < count; ++i) {
    const auto at = static_cast<int64_t>(indices[i]);
    if (at < 0 || at >= size) continue;
    expected[2 * at] = Updated(kind, expected[2 * at], updates[i]);
  }
  EXPECT_TRUE(output == expected) << PrimitiveTypeName(type) << " on " << threads;
}

TEST(GatherScatterLineTest, ManyUpdatesKeepTheirOrder) {
  ForEachIsa([&] {
    for (ScatterKind kind : {ScatterKind::kAssign, ScatterKind::kAdd}) {
      for (int threads : {1, 2, 3}) {
        CheckManyUpdates<int32_t>(PrimitiveType::kS32, kind, threads);
        CheckManyUpdates<uint32_t>(PrimitiveType::kU32, kind, threads);
        CheckManyUpdates<int64_t>(PrimitiveType::kS64, kind, threads);
      }
    }
  });
}

// Checks many updates of few elements. Sums of small integers are exact in any order. Some indices
// are out of bounds. Elements are not adjacent, and neither are updates.
void CheckFewElements(ScatterKind kind, int64_t size, int64_t count, int64_t gap) {
  const auto indices = RandomElements<int32_t>(count, 28, -2, static_cast<int>(size + 1));
  std::vector<float> updates(gap * count), operand(gap * size, -0.0f);
  const auto numbers = RandomElements<int32_t>(gap * count, 29, -5, 5);
  std::copy(numbers.begin(), numbers.end(), updates.begin());
  operand[0] = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> expected = operand, before;
  for (int64_t i = 0; i < count; ++i) {
    if (indices[i] < 0 || indices[i] >= size) continue;
    float &to = expected[gap * indices[i]], update = updates[gap * i];
    if (std::isnan(to)) continue;
    to = Updated(kind, to, update);
  }
  ScatterRequest request =
      ScatterOf(kind, LineOf(indices, PrimitiveType::kS32, 1), size, gap, updates, gap);
  for (int threads : {1, 2, 3}) {
    std::vector<float> output = operand;
    request.output = output.data();
    ASSERT_TRUE(Scatter(Parallel(threads), request).ok());
    EXPECT_TRUE(kind == ScatterKind::kAssign || std::isnan(output[0]));
    EXPECT_TRUE(std::equal(output.begin() + 1, output.end(), expected.begin() + 1))
        << size << " elements on " << threads << " threads";
    if (threads == 1) before = output;
    EXPECT_EQ(std::memcmp(&output[1], &before[1], sizeof(float) * (output.size() - 1)), 0);
  }
}

TEST(GatherScatterLineTest, ManyUpdatesOfFewElements) {
  ForEachIsa([&] {
    for (ScatterKind kind :
         {ScatterKind::kAssign, ScatterKind::kAdd, ScatterKind::kMinimum, ScatterKind::kMaximum}) {
      CheckFewElements(kind, 1000, 1 << 16, 1);
      CheckFewElements(kind, 7, (1 << 18) + 77, 2);
    }
  });
}

// Sums in parts must not depend on the number of threads. A zero without updates keeps its sign.
TEST(GatherScatterLineTest, PartsKeepBits) {
  const int64_t size = 301, count = 70003;
  auto indices = RandomElements<int32_t>(count, 38, 1, size);
  const auto updates = RandomFloats(count, 39);
  ScatterRequest request =
      ScatterOf(ScatterKind::kAdd, LineOf(indices, PrimitiveType::kS32, 1), size, 1, updates, 1);
  ForEachIsa([&] {
    std::vector<float> one(size, -0.0f), three = one;
    request.output = one.data();
    ASSERT_TRUE(Scatter(Parallel(1), request).ok());
    request.output = three.data();
    ASSERT_TRUE(Scatter(Parallel(3), request).ok());
    EXPECT_EQ(std::memcmp(one.data(), three.data(), sizeof(float) * size), 0);
    EXPECT_TRUE(one[0] == 0 && std::signbit(one[0]));
  });
}

// Checks a gather from random positions, some out of bounds, of an array larger than an L1 cache.
template <typename Index>
void CheckManyPlaces(PrimitiveType type, int threads) {
  const int64_t size = 140000, count = (1 << 17) + 7001;
  const auto indices = RandomElements<Index>(count, 18, -50, size + 50);
  const auto operand = RandomFloats(size, 19);
  std::vector<float> output(count);
  ASSERT_TRUE(
      Gather(Parallel(threads), GatherOf(LineOf(indices, type, 1), size, 1, operand, output)).ok());
  int64_t wrong = 0;
  for (int64_t i = 0; i < count; ++i) {
    wrong +=
        output[i] != operand[std::clamp<int64_t>(static_cast<int64_t>(indices[i]), 0, size - 1)];
  }
  EXPECT_EQ(wrong, 0) << PrimitiveTypeName(type) << " on " << threads;
}

TEST(GatherScatterLineTest, ManyPlaces) {
  ForEachIsa([&] {
    for (int threads : {1, 2}) {
      CheckManyPlaces<int32_t>(PrimitiveType::kS32, threads);
      CheckManyPlaces<uint32_t>(PrimitiveType::kU32, threads);
      CheckManyPlaces<int64_t>(PrimitiveType::kS64, threads);
    }
  });
}

}  // namespace
}  // namespace hlocts::kernels
