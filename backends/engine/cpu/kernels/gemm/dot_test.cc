// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/kernels/gemm/dot.h"

#include <array>

#include "backends/engine/cpu/kernels/gemm/dot_testing.h"
#include "backends/engine/cpu/kernels/runtime/kernel_testing.h"

namespace hlocts::kernels {
namespace {

struct Case {
  Side lhs, rhs;
};

const std::vector<Case>& Cases() {
  static const auto* cases = new std::vector<Case>{
      {{{3, 5}, {5, 1}, {}, {1}}, {{5, 4}, {4, 1}, {}, {0}}},
      {{{65, 300}, {300, 1}, {}, {1}}, {{300, 70}, {70, 1}, {}, {0}}},
      {{{65, 300}, {1, 65}, {}, {1}}, {{300, 70}, {1, 300}, {}, {0}}},  // transposed views
      {{{300, 65}, {65, 1}, {}, {0}}, {{70, 300}, {300, 1}, {}, {1}}},
      {{{200, 530}, {530, 1}, {}, {1}}, {{530, 261}, {261, 1}, {}, {0}}},
      // More terms than one step of kBlockDepth. Rows are contiguous, adjacent, or neither.
      {{{71, 1100}, {1100, 1}, {}, {1}}, {{1100, 45}, {45, 1}, {}, {0}}},
      {{{71, 1100}, {1, 71}, {}, {1}}, {{1100, 45}, {45, 1}, {}, {0}}},
      {{{71, 1100}, {2200, 2}, {}, {1}}, {{1100, 45}, {45, 1}, {}, {0}}},
      {{{7, 33}, {33, 1}, {}, {1}}, {{33, 101}, {101, 1}, {}, {0}}},    // few rows
      {{{1, 333}, {333, 1}, {}, {1}}, {{65, 333}, {333, 1}, {}, {1}}},  // a vector
      {{{65, 333}, {333, 1}, {}, {1}}, {{333}, {1}, {}, {0}}},
      {{{40000}, {1}, {}, {0}}, {{40000}, {1}, {}, {0}}},  // split sums
      {{{3, 20000}, {20000, 1}, {}, {1}}, {{20000, 5}, {5, 1}, {}, {0}}},
      {{{6, 9, 10}, {90, 10, 1}, {0}, {2}}, {{6, 10, 7}, {70, 7, 1}, {0}, {1}}},
      {{{9, 6, 10}, {60, 10, 1}, {1}, {2}}, {{10, 7, 6}, {42, 6, 1}, {2}, {0}}},
      {{{4, 3, 5, 2}, {30, 10, 2, 1}, {0}, {1, 3}}, {{3, 6, 2, 4}, {48, 8, 4, 1}, {3}, {0, 2}}},
      {{{4, 3, 5, 2}, {30, 10, 2, 1}, {0}, {3, 1}}, {{3, 6, 2, 4}, {48, 8, 4, 1}, {3}, {2, 0}}},
      // Free dimensions that are not adjacent in memory.
      {{{8, 4, 6}, {24, 6, 1}, {}, {1}}, {{4, 3, 5}, {15, 5, 1}, {}, {0}}},
      {{{5, 37, 21}, {777, 21, 1}, {0}, {2}}, {{5, 21, 45}, {945, 45, 1}, {0}, {1}}},  // in place
      {{{5, 37, 70}, {2590, 70, 1}, {0}, {2}}, {{5, 99, 70}, {6930, 70, 1}, {0}, {2}}},
      {{{2, 3}, {0, 1}, {}, {1}}, {{3, 2}, {2, 1}, {}, {0}}},  // a broadcast operand
      {{{3}, {1}, {}, {}}, {{4}, {1}, {}, {}}},                // an outer product
      {{{45}, {1}, {}, {}}, {{131}, {1}, {}, {}}},
      // Odd depths and strides, contiguous and not, and a batch of stride 0.
      {{{37, 75}, {75, 1}, {}, {1}}, {{75, 67}, {67, 1}, {}, {0}}},
      {{{37, 74}, {75, 1}, {}, {1}}, {{67, 74}, {74, 1}, {}, {1}}},
      {{{75, 37}, {37, 1}, {}, {0}}, {{67, 75}, {76, 1}, {}, {1}}},
      {{{3, 37, 74}, {2738, 74, 1}, {0}, {2}}, {{3, 74, 45}, {0, 45, 1}, {0}, {1}}},
      {{{3, 37, 74}, {2739, 74, 1}, {0}, {2}}, {{3, 45, 74}, {0, 75, 1}, {0}, {2}}},
      {{{1, 333}, {333, 1}, {}, {1}}, {{333, 65}, {65, 1}, {}, {0}}},  // a row
      {{{3, 43}, {43, 1}, {}, {1}}, {{43, 301}, {301, 1}, {}, {0}}},   // a few rows
      {{{2, 43}, {1, 2}, {}, {1}}, {{43, 1301}, {1302, 1}, {}, {0}}},
      {{{65, 333}, {1, 65}, {}, {1}}, {{333}, {1}, {}, {0}}},
  };
  return *cases;
}

template <typename Wide>
std::vector<Wide> Sums(const Case& c, const std::vector<Wide>& lhs, const std::vector<Wide>& rhs) {
  const std::vector<int64_t> lhs_free = FreeOf(c.lhs), rhs_free = FreeOf(c.rhs);
  std::vector<int64_t> loops;
  for (int64_t d : c.lhs.batch) loops.push_back(c.lhs.dimensions[d]);
  for (int64_t d : lhs_free) loops.push_back(c.lhs.dimensions[d]);
  for (int64_t d : rhs_free) loops.push_back(c.rhs.dimensions[d]);
  std::vector<int64_t> sums;
  for (int64_t d : c.lhs.contracting) sums.push_back(c.lhs.dimensions[d]);
  std::vector<Wide> result;
  ForEachIndexOf(loops, [&](const std::vector<int64_t>& index) {
    int64_t l = 0, r = 0;
    size_t at = 0;
    for (size_t b = 0; b < c.lhs.batch.size(); ++b, ++at) {
      l += index[at] * c.lhs.strides[c.lhs.batch[b]];
      r += index[at] * c.rhs.strides[c.rhs.batch[b]];
    }
    for (int64_t d : lhs_free) l += index[at++] * c.lhs.strides[d];
    for (int64_t d : rhs_free) r += index[at++] * c.rhs.strides[d];
    Wide sum(0);
    ForEachIndexOf(sums, [&](const std::vector<int64_t>& inner) {
      int64_t lk = l, rk = r;
      for (size_t k = 0; k < inner.size(); ++k) {
        lk += inner[k] * c.lhs.strides[c.lhs.contracting[k]];
        rk += inner[k] * c.rhs.strides[c.rhs.contracting[k]];
      }
      sum += lhs[lk] * rhs[rk];
    });
    result.push_back(sum);
  });
  return result;
}

// Caches the expected sums of each case. Types whose test elements are equal share them.
template <typename Wide>
std::vector<std::vector<Wide>>& KnownSums(bool unsigned_lhs, bool unsigned_rhs) {
  static auto* known = new std::array<std::vector<std::vector<Wide>>, 4>;
  return (*known)[2 * unsigned_lhs + unsigned_rhs];
}

template <typename L, typename R>
const std::vector<WideOf<L>>& Expected(size_t i, const std::vector<L>& lhs,
                                       const std::vector<R>& rhs) {
  auto& known = KnownSums<WideOf<L>>(std::is_unsigned_v<L>, std::is_unsigned_v<R>);
  known.resize(Cases().size());
  if (known[i].empty()) known[i] = Sums(Cases()[i], Widened(lhs), Widened(rhs));
  return known[i];
}

// Compares bit for bit. With small integers every product and sum is exact in any order.
template <PrimitiveType kLhs, PrimitiveType kRhs, PrimitiveType kOut>
void CheckExact() {
  for (size_t i = 0; i < Cases().size(); ++i) {
    SCOPED_TRACE(testing::Message() << "case " << i << " " << PrimitiveTypeName(kLhs) << " "
                                    << PrimitiveTypeName(kOut));
    const Case& c = Cases()[i];
    const auto lhs = RandomElements<NativeOf<kLhs>>(Reach(c.lhs), 1);
    const auto rhs = RandomElements<NativeOf<kRhs>>(Reach(c.rhs), 2);
    const auto expected = Narrowed<NativeOf<kOut>>(Expected(i, lhs, rhs));
    ForEachIsa([&] {
      std::vector<NativeOf<kOut>> output(expected.size());
      const DotRequest request = {OperandOf(c.lhs, lhs.data(), kLhs),
                                  OperandOf(c.rhs, rhs.data(), kRhs), kOut, output.data()};
      ASSERT_TRUE(Dot(Parallel(), request).ok());
      EXPECT_EQ(Differences(output, expected), 0);
    });
  }
}

using T = PrimitiveType;

TEST(DotTest, F32) { CheckExact<T::kF32, T::kF32, T::kF32>(); }
TEST(DotTest, F64) { CheckExact<T::kF64, T::kF64, T::kF64>(); }
TEST(DotTest, Complex) {
  CheckExact<T::kC64, T::kC64, T::kC64>();
  CheckExact<T::kC128, T::kC128, T::kC128>();
}
TEST(DotTest, NarrowFloats) {
  FlushedAndNot([] {
    CheckExact<T::kBF16, T::kBF16, T::kBF16>();
    CheckExact<T::kBF16, T::kBF16, T::kF32>();
  });
  CheckExact<T::kF16, T::kF16, T::kF32>();
  CheckExact<T::kF8E5M2, T::kBF16, T::kF32>();
}
TEST(DotTest, IntegersWrap) {
  CheckExact<T::kS8, T::kS8, T::kS8>();
  CheckExact<T::kS8, T::kS8, T::kS32>();
  CheckExact<T::kS32, T::kS32, T::kS32>();
  CheckExact<T::kU64, T::kU64, T::kU64>();
  CheckExact<T::kS64, T::kS32, T::kS64>();
  CheckExact<T::kS4, T::kS4, T::kS32>();
  CheckExact<T::kU8, T::kS8, T::kS32>();
  CheckExact<T::kS16, T::kS16, T::kS32>();
}
TEST(DotTest, IntegersToFloat) { CheckExact<T::kS8, T::kS8, T::kF32>(); }

// Tests operands whose elements all have the largest magnitude that the type or an s32 sum permits.
template <typename L, typename R>
void CheckLargest(T lhs, T rhs, L l, R r) {
  const int64_t m = 20, k = 2600, n = 35;
  const std::vector<L> a(m * k, l);
  const std::vector<R> b(k * n, r);
  const Side left = {{m, k}, {k, 1}, {}, {1}}, right = {{k, n}, {n, 1}, {}, {0}};
  ForEachIsa([&] {
    std::vector<int32_t> output(m * n);
    ASSERT_TRUE(Dot(Parallel(), {OperandOf(left, a.data(), lhs), OperandOf(right, b.data(), rhs),
                                 T::kS32, output.data()})
                    .ok());
    for (int32_t x : output) ASSERT_EQ(x, k * l * r);
  });
}
TEST(DotTest, SumsOfTheLargestBytesAreExact) {
  CheckLargest<int8_t, int8_t>(T::kS8, T::kS8, -128, -128);
  CheckLargest<uint8_t, uint8_t>(T::kU8, T::kU8, 255, 255);
  CheckLargest<uint8_t, int8_t>(T::kU8, T::kS8, 255, -128);
  CheckLargest<int8_t, uint8_t>(T::kS8, T::kU8, -128, 255);
  CheckLargest<int16_t, int16_t>(T::kS16, T::kS16, -900, 900);
}

TEST(DotTest, PredIsOrOfAnds) {
  const bool lhs[2] = {true, true}, rhs[2] = {true, true};
  bool output = false;
  const Side side = {{2}, {1}, {}, {0}};
  ForEachIsa([&] {
    ASSERT_TRUE(Dot(Parallel(), {OperandOf(side, lhs, T::kPred), OperandOf(side, rhs, T::kPred),
                                 T::kPred, &output})
                    .ok());
    EXPECT_TRUE(output);
    EXPECT_EQ(*reinterpret_cast<uint8_t*>(&output), 1);
  });
}

// Checks |error| <= k u sum |a b|, a bound for any order of additions, and that bits do not depend
// on the number of threads.
TEST(DotTest, RandomF32IsWithinItsBoundForAnyThreadCount) {
  const int64_t m = 150, k = 700, n = 130;
  const std::vector<float> a = RandomFloats(m * k, 1), b = RandomFloats(k * n, 2);
  ForEachIsa([&] {
    std::vector<float> one(m * n), more(m * n);
    const Side lhs = {{m, k}, {k, 1}, {}, {1}}, rhs = {{k, n}, {n, 1}, {}, {0}};
    DotRequest request = {OperandOf(lhs, a.data(), T::kF32), OperandOf(rhs, b.data(), T::kF32),
                          T::kF32, one.data()};
    ASSERT_TRUE(Dot(Parallel(1), request).ok());
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        double exact = 0, magnitude = 0;
        for (int64_t p = 0; p < k; ++p) {
          const double x = double{a[i * k + p]} * b[p * n + j];
          exact += x, magnitude += std::fabs(x);
        }
        ASSERT_LE(std::fabs(one[i * n + j] - exact), k * 0x1p-24 * magnitude);
      }
    }
    request.output = more.data();
    for (int threads : {2, 5}) {
      ASSERT_TRUE(Dot(Parallel(threads), request).ok());
      EXPECT_TRUE(more == one);
    }
  });
}

// A matrix times its transpose is symmetric, so the engine computes only half of the product. The
// bits must be those of the product with a copy of the matrix, whatever dimension is contracted.
TEST(DotTest, ProductOfAMatrixWithItselfTurnedOver) {
  const int64_t k = 530;
  for (const int64_t m : {40, 65, 150, 201}) {
    const std::vector<float> a = RandomFloats(m * k, 1), copy = a;
    for (const bool by_rows : {true, false}) {
      SCOPED_TRACE(testing::Message() << m << (by_rows ? " rows" : " columns"));
      const Side side = by_rows ? Side{{m, k}, {k, 1}, {}, {1}} : Side{{k, m}, {m, 1}, {}, {0}};
      ForEachIsa([&] {
        std::vector<float> apart(m * m), one(m * m, 7.0f);
        DotRequest request = {OperandOf(side, a.data(), T::kF32),
                              OperandOf(side, copy.data(), T::kF32), T::kF32, apart.data()};
        ASSERT_TRUE(Dot(Parallel(), request).ok());
        request.rhs = request.lhs;
        request.output = one.data();
        ASSERT_TRUE(Dot(Parallel(3), request).ok());
        EXPECT_TRUE(one == apart);
      });
    }
  }
}

TEST(DotTest, EmptySumIsZeroAndMismatchIsAnError) {
  std::vector<float> output(6, 1.0f);
  const Side lhs = {{2, 0}, {0, 1}, {}, {1}}, rhs = {{0, 3}, {3, 1}, {}, {0}};
  const float none = 0;
  DotRequest request = {OperandOf(lhs, &none, T::kF32), OperandOf(rhs, &none, T::kF32), T::kF32,
                        output.data()};
  ASSERT_TRUE(Dot(Parallel(), request).ok());
  EXPECT_EQ(output, std::vector<float>(6, 0.0f));
  const Side other = {{4, 3}, {3, 1}, {}, {0}};
  request.rhs = OperandOf(other, &none, T::kF32);
  EXPECT_EQ(Dot(Parallel(), request).code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace hlocts::kernels
