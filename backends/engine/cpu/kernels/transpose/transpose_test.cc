// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/kernels/transpose/transpose.h"

#include "backends/engine/cpu/kernels/runtime/kernel_testing.h"

namespace hlocts::kernels {
namespace {

template <typename T>
void CheckTranspose(int64_t rows, int64_t columns, bool streams) {
  constexpr int64_t kLine = 64 / sizeof(T);
  const int64_t from_stride = columns + 3;
  const int64_t to_stride = streams ? (rows + kLine - 1) / kLine * kLine : rows + 5;
  const std::vector<T> from = RandomElements<T>(rows * from_stride, 1, 0, 1 << 30);
  std::vector<T> to(columns * to_stride + kLine, 7), expected = to;
  const int64_t first =
      kLine - static_cast<int64_t>(reinterpret_cast<uintptr_t>(to.data()) % 64 / sizeof(T));
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c)
      expected[first + c * to_stride + r] = from[r * from_stride + c];
  }
  TransposeRequest request;
  request.bytes = sizeof(T);
  request.rows = rows, request.columns = columns;
  request.from = from.data(), request.from_stride = from_stride;
  request.to = to.data() + first, request.to_stride = to_stride, request.streams = streams;
  ASSERT_TRUE(Transpose(request).ok());
  EXPECT_EQ(to, expected) << rows << " x " << columns;
}

TEST(TransposeTest, WholeAndBrokenSquares) {
  for (int64_t rows : {1, 8, 16, 37, 100}) {
    for (int64_t columns : {1, 8, 32, 45}) {
      ForEachIsa([&] {
        for (bool streams : {false, true}) {
          CheckTranspose<uint8_t>(rows, columns, streams);
          CheckTranspose<uint16_t>(rows, columns, streams);
          CheckTranspose<uint32_t>(rows, columns, streams);
          CheckTranspose<uint64_t>(rows, columns, streams);
        }
      });
    }
  }
}

TEST(TransposeTest, OtherWidthsAreRefused) {
  TransposeRequest request;
  for (int bytes : {0, 3, 16}) {
    request.bytes = bytes;
    EXPECT_FALSE(Transpose(request).ok());
  }
}

}  // namespace
}  // namespace hlocts::kernels
