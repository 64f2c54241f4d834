// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/elementwise/strided_run.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace hlocts::cpu {
namespace {

// Elements of any width at any distance, from arrays that end where the last one stands.
TEST(StridedRunTest, TakesEveryStridethElement) {
  for (int width : {1, 2, 4, 8, 16}) {
    for (int64_t stride : {-3, -2, -1, 1, 2, 3, 7}) {
      for (int64_t count : {1, 2, 15, 16, 17, 64, 65, 200}) {
        const int64_t reach = (count - 1) * std::abs(stride) + 1;
        std::vector<uint8_t> array(reach * width);
        for (size_t i = 0; i < array.size(); ++i) array[i] = static_cast<uint8_t>(i * 37 + i / 256);
        const int64_t first = stride < 0 ? reach - 1 : 0;
        std::vector<uint8_t> expected(count * width), actual(count * width + 1, 0xee);
        for (int64_t i = 0; i < count; ++i) {
          std::memcpy(&expected[i * width], &array[(first + i * stride) * width], width);
        }
        CopyStridedRun(&array[first * width], stride, width, count, actual.data());
        EXPECT_EQ(actual.back(), 0xee);
        actual.pop_back();
        EXPECT_EQ(actual, expected) << width << " " << stride << " " << count;
      }
    }
  }
}

}  // namespace
}  // namespace hlocts::cpu
