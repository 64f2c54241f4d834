// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/kernels/sort/sort.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

#include "backends/engine/cpu/kernels/runtime/kernel_testing.h"

namespace hlocts::kernels {
namespace {

struct Shape {
  int64_t outer, size, inner;
};
const Shape kShapes[] = {{1, 1, 1},    {3, 17, 1},     {2, 300, 3},
                         {1, 5000, 1}, {1, 300001, 1}, {0, 4, 1}};

// Returns floats, including both zeros, infinities, and NaNs with several payloads and signs.
std::vector<float> SpecialFloats(int64_t count, int seed) {
  std::mt19937 random(seed);
  std::vector<float> result = RandomFloats(count, seed);
  const uint32_t special[] = {0x00000000, 0x80000000, 0x7F800000, 0xFF800000,
                              0x7FC00000, 0xFFC00001, 0x7FC12345, 0x00000001};
  for (float& x : result) {
    const uint32_t roll = random() % 16;
    if (roll < 8) x = std::bit_cast<float>(special[roll]);
  }
  return result;
}

// Compares by the order of sort.h, with comparisons of floats instead of keys.
bool Before(float a, float b, KeyOrder order) {
  const auto rank = [&](float x) -> double {  // the class of x; all numbers are one class
    const bool nan = std::isnan(x);
    if (order == KeyOrder::kNumeric) return nan ? 1 : 0;
    return nan ? (std::signbit(x) ? -1 : 1) : 0;
  };
  if (rank(a) != rank(b)) return rank(a) < rank(b);
  if (std::isnan(a)) {
    if (order == KeyOrder::kNumeric) return false;
    const uint32_t x = std::bit_cast<uint32_t>(a), y = std::bit_cast<uint32_t>(b);
    return std::signbit(a) ? x > y : x < y;
  }
  if (a == 0 && b == 0) return order == KeyOrder::kTotal && std::signbit(a) && !std::signbit(b);
  return a < b;
}

// Returns the positions of a row's elements after a stable sort.
template <typename Less>
std::vector<int64_t> StableOrder(int64_t size, Less less) {
  std::vector<int64_t> order(size);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), less);
  return order;
}

template <typename T>
bool SameBits(const std::vector<T>& a, const std::vector<T>& b) {
  // An empty vector has no memory to compare.
  if (a.empty() || b.empty()) return a.size() == b.size();
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

// Sorts row by row by std::stable_sort. Sets `sorted` to the elements and `places` to their
// original positions.
void SortRows(const Shape& shape, KeyOrder order, bool descending, const std::vector<float>& data,
              std::vector<float>& sorted, std::vector<int32_t>& places) {
  for (int64_t row = 0; row < shape.outer * shape.inner; ++row) {
    const int64_t first = row / shape.inner * shape.size * shape.inner + row % shape.inner;
    const auto at = [&](int64_t i) { return first + i * shape.inner; };
    const auto in_order = StableOrder(shape.size, [&](int64_t a, int64_t b) {
      return descending ? Before(data[at(b)], data[at(a)], order)
                        : Before(data[at(a)], data[at(b)], order);
    });
    for (int64_t i = 0; i < shape.size; ++i) {
      sorted[at(i)] = data[at(in_order[i])];
      places[at(i)] = static_cast<int32_t>(at(in_order[i]));
    }
  }
}

// Compares every bit: of one operand, with positions, and in place.
void CheckFloats(const Shape& shape, KeyOrder order, bool descending) {
  const int64_t count = shape.outer * shape.size * shape.inner;
  const std::vector<float> data = SpecialFloats(count, 3);
  std::vector<int32_t> positions(count);
  std::iota(positions.begin(), positions.end(), 0);
  std::vector<float> alone(count), expected(count), paired(count);
  std::vector<int32_t> moved(count), expected_moved(count);
  SortRows(shape, order, descending, data, expected, expected_moved);
  const SortKey key = {0, order, descending};
  const auto sort = [&](absl::Span<const SortOperand> operands) {
    return SortByKeys(Parallel(), {shape.outer, shape.size, shape.inner, operands}, {key}, true);
  };
  const SortOperand one[] = {{PrimitiveType::kF32, data.data(), alone.data()}};
  ASSERT_TRUE(sort(one).ok());
  EXPECT_TRUE(SameBits(alone, expected));
  const SortOperand two[] = {{PrimitiveType::kF32, data.data(), paired.data()},
                             {PrimitiveType::kS32, positions.data(), moved.data()}};
  ASSERT_TRUE(sort(two).ok());
  EXPECT_TRUE(SameBits(paired, expected));
  EXPECT_EQ(moved, expected_moved);
  std::vector<float> in_place = data;
  const SortOperand same[] = {{PrimitiveType::kF32, in_place.data(), in_place.data()},
                              {PrimitiveType::kS32, positions.data(), positions.data()}};
  ASSERT_TRUE(sort(same).ok());
  EXPECT_TRUE(SameBits(in_place, expected));
  EXPECT_EQ(positions, expected_moved);
}

TEST(SortTest, FloatsInEveryOrder) {
  for (const Shape& shape : kShapes) {
    for (KeyOrder order : {KeyOrder::kTotal, KeyOrder::kTotalZerosEqual, KeyOrder::kNumeric}) {
      for (bool descending : {false, true}) CheckFloats(shape, order, descending);
    }
  }
}

template <PrimitiveType kType>
void CheckPlain(int low, int high) {
  using T = NativeOf<kType>;
  std::vector<T> data = RandomElements<T>(1000, 7, low, high), expected = data;
  std::stable_sort(expected.begin(), expected.end(), [](T a, T b) { return a < b; });
  const SortOperand operands[] = {{kType, data.data(), data.data()}};  // in place
  ASSERT_TRUE(SortByKeys(Parallel(), {1, 1000, 1, operands}, {SortKey()}, false).ok());
  EXPECT_TRUE(SameBits(data, expected)) << PrimitiveTypeName(kType);
  std::vector<T> paired = RandomElements<T>(1000, 7, low, high);
  std::vector<uint8_t> other(1000, 1);
  const SortOperand pair[] = {{kType, paired.data(), paired.data()},
                              {PrimitiveType::kU8, other.data(), other.data()}};
  ASSERT_TRUE(SortByKeys(Parallel(), {1, 1000, 1, pair}, {SortKey()}, false).ok());
  EXPECT_TRUE(SameBits(paired, expected)) << PrimitiveTypeName(kType);
}

TEST(SortTest, EveryTypeInPlace) {
  CheckPlain<PrimitiveType::kS8>(-100, 100);
  CheckPlain<PrimitiveType::kU8>(0, 255);
  CheckPlain<PrimitiveType::kS4>(-8, 7);
  CheckPlain<PrimitiveType::kU16>(0, 60000);
  CheckPlain<PrimitiveType::kS16>(-30000, 30000);
  CheckPlain<PrimitiveType::kS32>(-1000000, 1000000);
  CheckPlain<PrimitiveType::kU32>(0, 1000000);
  CheckPlain<PrimitiveType::kS64>(-1000000, 1000000);
  CheckPlain<PrimitiveType::kU64>(0, 1000000);
  CheckPlain<PrimitiveType::kF64>(-100, 100);
  CheckPlain<PrimitiveType::kF16>(-100, 100);
  CheckPlain<PrimitiveType::kBF16>(-100, 100);
  CheckPlain<PrimitiveType::kF8E4M3FN>(-100, 100);
  CheckPlain<PrimitiveType::kF8E4M3FNUZ>(-100, 100);
  CheckPlain<PrimitiveType::kF8E8M0FNU>(1, 100);
}

// The three keys have 144 bits in total, which requires two passes.
TEST(SortTest, SeveralKeysTheFirstMostSignificant) {
  const int64_t n = 20000;
  const auto a = RandomElements<int64_t>(n, 1), b = RandomElements<int64_t>(n, 2);
  const auto c = RandomElements<int16_t>(n, 3);
  std::vector<int32_t> position(n), moved(n), expected(n);
  std::iota(position.begin(), position.end(), 0);
  const auto order = StableOrder(n, [&](int64_t i, int64_t j) {
    if (a[i] != a[j]) return a[i] < a[j];
    if (b[i] != b[j]) return b[i] > b[j];
    return c[i] < c[j];
  });
  for (int64_t i = 0; i < n; ++i) expected[i] = static_cast<int32_t>(order[i]);
  std::vector<int64_t> a_out(n), b_out(n);
  std::vector<int16_t> c_out(n);
  const SortOperand operands[] = {{PrimitiveType::kS16, c.data(), c_out.data()},
                                  {PrimitiveType::kS64, a.data(), a_out.data()},
                                  {PrimitiveType::kS32, position.data(), moved.data()},
                                  {PrimitiveType::kS64, b.data(), b_out.data()}};
  const SortKey keys[] = {{1, KeyOrder::kTotal, false}, {3, KeyOrder::kTotal, true}, {0}};
  ASSERT_TRUE(SortByKeys(Parallel(), {1, n, 1, operands}, keys, true).ok());
  EXPECT_EQ(moved, expected);
}

TEST(TopKTest, AgainstAStableSort) {
  for (auto [rows, size, k] : {std::array<int64_t, 3>{1, 1, 1},
                               {3, 1000, 10},
                               {2, 5000, 4999},
                               {1, 400000, 100},
                               {5, 70, 0},
                               {4, 33, 33}}) {
    for (bool largest : {true, false}) {
      const std::vector<float> data = SpecialFloats(rows * size, 9);
      std::vector<float> values(rows * k), expected(rows * k);
      std::vector<int32_t> indices(rows * k), expected_indices(rows * k);
      for (int64_t row = 0; row < rows; ++row) {
        const float* in = data.data() + row * size;
        const auto order = StableOrder(size, [&](int64_t a, int64_t b) {
          return largest ? Before(in[b], in[a], KeyOrder::kTotal)
                         : Before(in[a], in[b], KeyOrder::kTotal);
        });
        for (int64_t i = 0; i < k; ++i) {
          expected[row * k + i] = in[order[i]];
          expected_indices[row * k + i] = static_cast<int32_t>(order[i]);
        }
      }
      const TopKRequest request = {
          PrimitiveType::kF32, rows,          size,          k, largest, KeyOrder::kTotal,
          data.data(),         values.data(), indices.data()};
      ASSERT_TRUE(TopK(Parallel(), request).ok());
      EXPECT_TRUE(SameBits(values, expected));
      EXPECT_EQ(indices, expected_indices);
    }
  }
}

TEST(TopKTest, WideKeysAndIndices) {
  const auto data = RandomElements<int64_t>(3000, 1, -1000, 1000);
  std::vector<int64_t> values(7), indices(7);
  TopKRequest request;
  request.type = request.index_type = PrimitiveType::kS64;
  request.size = 3000, request.k = 7;
  request.input = data.data();
  request.values = values.data();
  request.indices = indices.data();
  ASSERT_TRUE(TopK(Parallel(), request).ok());
  const auto order = StableOrder(3000, [&](int64_t a, int64_t b) { return data[a] > data[b]; });
  for (int i = 0; i < 7; ++i) {
    EXPECT_EQ(indices[i], order[i]);
    EXPECT_EQ(values[i], data[order[i]]);
  }
}

}  // namespace
}  // namespace hlocts::kernels
