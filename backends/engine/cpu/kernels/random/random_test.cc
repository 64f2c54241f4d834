// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/kernels/random/random.h"

#include <algorithm>
#include <cmath>

#include "backends/engine/cpu/kernels/random/random_draws.h"
#include "backends/engine/cpu/kernels/runtime/kernel_testing.h"

namespace hlocts::kernels {
namespace {

template <typename T>
std::vector<T> Bits(RandomAlgorithm algorithm, uint64_t key, std::array<uint64_t, 2> counter,
                    const std::vector<int64_t>& dimensions, PrimitiveType type, uint64_t* steps) {
  int64_t count = 1;
  for (int64_t size : dimensions) count *= size;
  std::vector<T> output(count);
  const auto moved =
      RandomBits(Parallel(), {algorithm, key, counter, dimensions, type, output.data()});
  EXPECT_TRUE(moved.ok());
  *steps = moved.value_or(0);
  return output;
}

// Checks the known results of ruling 0030.
TEST(RandomTest, KnownAnswers) {
  ForEachIsa([] {
    uint64_t steps = 0;
    EXPECT_EQ(
        Bits<uint32_t>(RandomAlgorithm::kThreeFry, 1, {2, 0}, {4}, PrimitiveType::kU32, &steps),
        (std::vector<uint32_t>{43444564u, 2150618427u, 3979645651u, 3745730563u}));
    EXPECT_EQ(steps, 2);
    EXPECT_EQ(Bits<uint32_t>(RandomAlgorithm::kPhilox, 1, {2, 3}, {4}, PrimitiveType::kU32, &steps),
              (std::vector<uint32_t>{4031113034u, 1366700262u, 495645701u, 3051723414u}));
    EXPECT_EQ(steps, 1);
  });
}

// Compares parts of a long array with short arrays that begin at the parts' counters.
TEST(RandomTest, LongArraysAreTheirCountersInOrder) {
  ForEachIsa([] {
    uint64_t steps = 0;
    const uint64_t start = 0xFFFFFFFFFFFFFF00u;  // the counter wraps within the array
    const auto all = Bits<uint32_t>(RandomAlgorithm::kThreeFry, 77, {start, 0}, {2000},
                                    PrimitiveType::kU32, &steps);
    EXPECT_EQ(steps, 1000);
    const auto wide = Bits<uint64_t>(RandomAlgorithm::kThreeFry, 77, {start, 0}, {1000},
                                     PrimitiveType::kU64, &steps);
    EXPECT_EQ(steps, 1000);
    const auto bytes = Bits<uint8_t>(RandomAlgorithm::kThreeFry, 77, {start, 0}, {2000},
                                     PrimitiveType::kU8, &steps);
    for (uint64_t i = 0; i < 1000; i += 37) {
      const auto pair = Bits<uint32_t>(RandomAlgorithm::kThreeFry, 77, {start + i, 0}, {2},
                                       PrimitiveType::kU32, &steps);
      EXPECT_EQ(all[2 * i], pair[0]);
      EXPECT_EQ(all[2 * i + 1], pair[1]);
      EXPECT_EQ(wide[i], pair[0] | uint64_t{pair[1]} << 32);
      EXPECT_EQ(bytes[2 * i], static_cast<uint8_t>(pair[0]));
    }
    const auto philox = Bits<uint32_t>(RandomAlgorithm::kPhilox, 5, {start, 9}, {2001},
                                       PrimitiveType::kU32, &steps);
    EXPECT_EQ(steps, 501);
    const auto doubles = Bits<uint64_t>(RandomAlgorithm::kPhilox, 5, {start, 9}, {1000},
                                        PrimitiveType::kS64, &steps);
    for (uint64_t i = 0; i < 500; i += 19) {
      const uint64_t low = start + i;
      const auto block = Bits<uint32_t>(RandomAlgorithm::kPhilox, 5, {low, low < start ? 10u : 9u},
                                        {4}, PrimitiveType::kU32, &steps);
      EXPECT_TRUE(std::equal(block.begin(), block.end(), philox.begin() + 4 * i));
      EXPECT_EQ(doubles[2 * i + 1], block[2] | uint64_t{block[3]} << 32);
    }
  });
}

// In [3, 4, 5] the second dimension is the first of even size. [3, 5] has none, so the largest one
// is halved, rounding up.
TEST(RandomTest, PairsLieAlongOneDimension) {
  ForEachIsa([] {
    uint64_t steps = 0;
    const auto line =
        Bits<uint32_t>(RandomAlgorithm::kThreeFry, 3, {0, 0}, {60}, PrimitiveType::kU32, &steps);
    const auto cube = Bits<uint32_t>(RandomAlgorithm::kThreeFry, 3, {0, 0}, {3, 4, 5},
                                     PrimitiveType::kU32, &steps);
    EXPECT_EQ(steps, 30);
    for (int64_t a = 0; a < 3; ++a) {
      for (int64_t b = 0; b < 4; ++b) {
        for (int64_t c = 0; c < 5; ++c) {
          EXPECT_EQ(cube[(a * 4 + b) * 5 + c], line[2 * ((a * 2 + b / 2) * 5 + c) + b % 2]);
        }
      }
    }
    const auto odd =
        Bits<uint32_t>(RandomAlgorithm::kThreeFry, 3, {0, 0}, {3, 5}, PrimitiveType::kU32, &steps);
    EXPECT_EQ(steps, 9);
    for (int64_t a = 0; a < 3; ++a) {
      for (int64_t b = 0; b < 5; ++b) {
        EXPECT_EQ(odd[a * 5 + b], line[2 * (a * 3 + b / 2) + b % 2]);
      }
    }
  });
}

template <typename T>
std::vector<T> Draws(RandomDrawsRequest request, int64_t count) {
  std::vector<T> output(count);
  const T first = static_cast<T>(request.a);
  request.first = &first;
  request.count = count;
  request.output = output.data();
  EXPECT_TRUE(RandomDraws(Parallel(), request).ok());
  return output;
}

// Checks the means of powers of random numbers, with a tolerance of six standard deviations.
void ExpectMoments(const std::vector<double>& x, const std::vector<double>& moments) {
  for (size_t power = 1; power <= moments.size(); ++power) {
    double sum = 0, squares = 0;
    for (double value : x) {
      sum += std::pow(value, power);
      squares += std::pow(value, 2 * power);
    }
    const double count = static_cast<double>(x.size());
    EXPECT_NEAR(sum / count, moments[power - 1], 6 * std::sqrt(squares) / count) << power;
  }
}

TEST(RandomTest, DrawsFollowTheirDistributions) {
  ForEachIsa([] {
    RandomDrawsRequest request;
    request.type = PrimitiveType::kF64;
    request.key = 7;
    request.b = 1;
    const auto uniform = Draws<double>(request, 100001);
    ExpectMoments(uniform, {1. / 2, 1. / 3, 1. / 4, 1. / 5});
    request.distribution = Distribution::kNormal;
    const auto normal = Draws<double>(request, 100001);
    ExpectMoments(normal, {0, 1, 0, 3, 0, 15});
    // Adjacent numbers must be independent, and so must the two numbers of one counter.
    std::vector<double> neighbours, pairs;
    for (size_t i = 0; i + 512 < normal.size(); ++i) {
      neighbours.push_back(normal[i] * normal[i + 1]);
      pairs.push_back(normal[i] * normal[i + 512]);
    }
    ExpectMoments(neighbours, {0, 1});
    ExpectMoments(pairs, {0, 1});
    request.distribution = Distribution::kUniformInteger;
    request.type = PrimitiveType::kS64;
    request.low = 10;
    request.range = 3;
    std::vector<double> integers;
    for (int64_t x : Draws<int64_t>(request, 100001)) integers.push_back(static_cast<double>(x));
    ExpectMoments(integers, {11, (100. + 121 + 144) / 3});
  });
}

// The interval is one ulp wide: half of the draws round to the limit b, and must be replaced.
TEST(RandomTest, UniformStaysBelowItsLimit) {
  ForEachIsa([] {
    RandomDrawsRequest request;
    request.a = 1;
    request.b = std::nextafter(1.0f, 2.0f);
    for (float x : Draws<float>(request, 3000)) EXPECT_EQ(x, 1.0f);
    request.b = 1;  // an empty interval
    for (float x : Draws<float>(request, 10)) EXPECT_EQ(x, 1.0f);
  });
}

}  // namespace
}  // namespace hlocts::kernels
