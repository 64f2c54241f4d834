// SPDX-License-Identifier: Apache-2.0
// Compares slices and pads whose attributes are near the ends of int64 with the formulas of the
// documents in 128 bits, for every element of the result.
#include "reference/kernels/movement_geometry.h"

#include <random>

#include "gtest/gtest.h"
#include "spec/base/int128.h"
#include "spec/infer/window_util.h"

namespace hlocts::reference {
namespace {

int64_t DrawStep(std::mt19937& random, int64_t least) {
  const int64_t small = static_cast<int64_t>(random() % 5);
  switch (random() % 4) {
    case 0:
      return INT64_MAX - small;
    case 1:
      return INT64_MAX / 2 - 2 + small;
    default:
      return least + small;
  }
}

// Returns the result of the copy. The operand's elements are 0, 1, 2, ...; result elements to which
// nothing is copied are -1. A copy to an index outside the result is skipped and reported.
std::vector<int64_t> Copied(const CopyGeometry& geometry, int64_t operand, int64_t result) {
  std::vector<int64_t> out(static_cast<size_t>(result), -1);
  const CopyDimension& d = geometry.dims[0];
  for (int64_t i = 0; i < d.size; ++i) {
    const int64_t from = geometry.operand_base + i * d.operand_stride;
    const int64_t to = geometry.result_base + i * d.result_stride;
    const bool inside = from >= 0 && from < operand && to >= 0 && to < result;
    EXPECT_TRUE(inside) << "element " << from << " to place " << to;
    if (inside) out[static_cast<size_t>(to)] = from;
  }
  return out;
}

TEST(MovementGeometry, SlicesOfAnyStride) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 20000; ++trial) {
    const int64_t size = static_cast<int64_t>(random() % 8);
    SliceRange range;
    range.limit = static_cast<int64_t>(random() % (size + 1));
    range.start = static_cast<int64_t>(random() % (range.limit + 1));
    range.stride = DrawStep(random, 1);
    std::vector<int64_t> expected;
    for (Int128 at = range.start; at < range.limit; at += range.stride) {
      expected.push_back(static_cast<int64_t>(at));
    }
    const CopyGeometry geometry = SliceGeometry({size}, {range});
    ASSERT_EQ(Copied(geometry, size, std::ssize(expected)), expected) << "trial " << trial;
  }
}

TEST(MovementGeometry, PadsOfAnyNumbers) {
  std::mt19937 random(2);
  auto draw = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  int64_t kept = 0;
  for (int trial = 0; trial < 100000; ++trial) {
    const int64_t size = draw(0, 4), result = draw(0, 6);
    PaddingDimension padding;
    padding.interior = DrawStep(random, 0);
    const Int128 step = Int128{padding.interior} + 1, low = draw(-3, 3) - draw(0, 3) * step;
    const Int128 high = result - low - size - std::max<int64_t>(size - 1, 0) * (step - 1);
    if (low < INT64_MIN || high < INT64_MIN || high > INT64_MAX) continue;
    padding.low = static_cast<int64_t>(low), padding.high = static_cast<int64_t>(high);
    ASSERT_EQ(PaddedSize(size, padding), result);
    std::vector<int64_t> expected(static_cast<size_t>(result), -1);
    for (int64_t i = 0; i < size; ++i) {
      const Int128 at = low + i * step;
      if (at >= 0 && at < result) expected[static_cast<size_t>(at)] = i, ++kept;
    }
    const CopyGeometry geometry = PadGeometry({size}, {result}, {padding});
    ASSERT_EQ(Copied(geometry, size, result), expected) << "trial " << trial;
  }
  EXPECT_GT(kept, 10000);
}

}  // namespace
}  // namespace hlocts::reference
