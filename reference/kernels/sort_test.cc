// SPDX-License-Identifier: Apache-2.0
#include "reference/kernels/sort.h"

#include <numeric>
#include <random>

#include "gtest/gtest.h"

namespace hlocts::reference {
namespace {

TEST(Sort, IsStableAtEveryLength) {
  std::mt19937 random(1);
  for (int n = 0; n < 70; ++n) {
    std::vector<int64_t> keys(n), order(n), scratch(n);
    for (int64_t& key : keys) key = random() % 5;
    std::iota(order.begin(), order.end(), 0);
    StableMergeSort<int64_t>(absl::MakeSpan(order), absl::MakeSpan(scratch),
                             [&](int64_t a, int64_t b) { return keys[a] < keys[b]; });
    for (int i = 1; i < n; ++i) {
      EXPECT_LE(keys[order[i - 1]], keys[order[i]]);
      if (keys[order[i - 1]] == keys[order[i]]) {
        EXPECT_LT(order[i - 1], order[i]);
      }
    }
  }
}

TEST(Sort, PermutesWhateverTheComparatorSays) {
  std::mt19937 random(1);
  for (int n : {3, 17, 100, 1000}) {
    std::vector<int64_t> order(n), scratch(n);
    std::iota(order.begin(), order.end(), 0);
    StableMergeSort<int64_t>(absl::MakeSpan(order), absl::MakeSpan(scratch),
                             [&](int64_t, int64_t) { return random() % 2 == 0; });
    std::sort(order.begin(), order.end());
    for (int i = 0; i < n; ++i) EXPECT_EQ(order[i], i);
  }
}

template <typename T>
void ExpectAscending(PrimitiveType type, const std::vector<T>& values, bool total_order) {
  Literal literal(Shape(type, {static_cast<int64_t>(values.size())}));
  std::copy(values.begin(), values.end(), literal.mutable_data<T>().begin());
  const std::vector<uint64_t> keys = SortKeysOf(literal, total_order);
  for (size_t i = 1; i < values.size(); ++i) EXPECT_LT(keys[i - 1], keys[i]) << i;
}

TEST(Sort, KeysFollowTotalOrder) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  ExpectAscending<float>(PrimitiveType::kF32,
                         {-nan, -infinity, -1, -1e-45f, -0.f, 0.f, 1e-45f, 1, infinity, nan}, true);
  ExpectAscending<int8_t>(PrimitiveType::kS8, {-128, -1, 0, 127}, false);
  ExpectAscending<uint64_t>(PrimitiveType::kU64, {0, 1, UINT64_MAX}, false);
  ExpectAscending<int64_t>(PrimitiveType::kS64, {INT64_MIN, -1, 0, INT64_MAX}, false);
  ExpectAscending<bool>(PrimitiveType::kPred, {false, true}, false);
}

TEST(Sort, IeeeKeysJoinZerosAndReportNan) {
  Literal zeros(Shape(PrimitiveType::kF32, {2}));
  zeros.mutable_data<float>()[0] = -0.f;
  EXPECT_EQ(SortKeysOf(zeros, false)[0], SortKeysOf(zeros, false)[1]);
  EXPECT_TRUE(SortKeyReader(zeros, false).HasKey(1));
  zeros.mutable_data<float>()[1] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(SortKeyReader(zeros, false).HasKey(1));
  EXPECT_TRUE(SortKeyReader(zeros, true).HasKey(1));
}

}  // namespace
}  // namespace hlocts::reference
