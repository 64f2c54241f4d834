// SPDX-License-Identifier: Apache-2.0
// Tests that every index is processed once, for any count, grain and number of threads.
#include "backends/engine/cpu/kernels/runtime/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "absl/strings/str_cat.h"

namespace hlocts::kernels {
namespace {

constexpr double kExpensiveNs = 1e6;  // per index: enough to wake threads

void CheckFor(int threads, int64_t count, int64_t grain, double cost) {
  SCOPED_TRACE(absl::StrCat(threads, " threads, ", count, " indices by ", grain));
  std::vector<std::atomic<int>> done(count);
  std::atomic<int> odd{0};
  Parallel(threads).For(
      count, cost,
      [&](int64_t begin, int64_t end) {
        odd += begin >= end || begin % grain != 0 || (end % grain != 0 && end != count);
        for (; begin < end; ++begin) ++done[begin];
      },
      grain);
  EXPECT_EQ(odd, 0);
  for (int64_t i = 0; i < count; ++i) ASSERT_EQ(done[i], 1) << i;
}

TEST(ThreadPoolTest, EveryIndexIsDoneOnce) {
  for (const int threads : {1, 2, 3, 16}) {
    for (const int64_t count : {0, 1, 2, 7, 64, 255, 4096, 100003}) {
      for (const int64_t grain : {1, 3, 64}) {
        CheckFor(threads, count, grain, kExpensiveNs);
        CheckFor(threads, count, grain, 1);
      }
    }
  }
}

TEST(ThreadPoolTest, CheapWorkIsOneRangeOfTheCaller) {
  int ranges = 0;  // not atomic: no other thread may run the body
  Parallel(8).For(1000, 1, [&](int64_t begin, int64_t end) { ranges += end - begin == 1000; });
  EXPECT_EQ(ranges, 1);
}

TEST(ThreadPoolTest, RangesShrinkTowardsTheEnd) {
  constexpr int64_t kCount = 1 << 20;
  std::atomic<int64_t> first{0}, last{0};
  Parallel(4).For(kCount, kExpensiveNs, [&](int64_t begin, int64_t end) {
    if (begin == 0) first = end;
    if (end == kCount) last = end - begin;
  });
  EXPECT_GT(last, 0);
  EXPECT_GT(first, 8 * last);
}

TEST(ThreadPoolTest, ABodyMayCallForAgain) {
  std::atomic<int64_t> sum{0};
  const Parallel parallel(4);
  parallel.For(64, kExpensiveNs, [&](int64_t begin, int64_t end) {
    for (; begin < end; ++begin) {
      parallel.For(100, kExpensiveNs, [&](int64_t from, int64_t to) { sum += to - from; });
    }
  });
  EXPECT_EQ(sum, 6400);
}

}  // namespace
}  // namespace hlocts::kernels
