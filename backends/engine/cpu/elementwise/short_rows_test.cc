// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/elementwise/short_rows.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace hlocts::cpu {
namespace {

// Rows of every size and distance, from arrays that end with the last element.
void Check(const ShortRows& rows, int width) {
  const int64_t reach = (rows.rows - 1) * rows.row_stride + (rows.size - 1) * rows.stride + 1;
  std::vector<uint8_t> array(reach * width);
  for (size_t i = 0; i < array.size(); ++i) array[i] = static_cast<uint8_t>(i * 41 + i / 256);
  std::vector<uint8_t> expected(rows.rows * rows.size * width), actual(expected.size() + 1, 0xee);
  for (int64_t r = 0; r < rows.rows; ++r) {
    for (int64_t i = 0; i < rows.size; ++i) {
      std::memcpy(&expected[(r * rows.size + i) * width],
                  &array[(r * rows.row_stride + i * rows.stride) * width], width);
    }
  }
  CopyShortRows(array.data(), rows, width, actual.data());
  EXPECT_EQ(actual.back(), 0xee);
  actual.pop_back();
  EXPECT_EQ(actual, expected) << rows.rows << "x" << rows.size << " by " << rows.row_stride
                              << " and " << rows.stride << ", " << width << " bytes";
}

TEST(ShortRowsTest, CopiesEveryElement) {
  for (int width : {1, 2, 4, 8, 16}) {
    for (int64_t size : {1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 33, 48}) {
      for (int64_t count : {1, 2, 3, 5, 40}) {
        for (int64_t stride : {0, 1, 2, 5}) {
          for (int64_t row_stride : {0, 1, 3, 50}) Check({count, size, row_stride, stride}, width);
        }
      }
    }
  }
}

}  // namespace
}  // namespace hlocts::cpu
