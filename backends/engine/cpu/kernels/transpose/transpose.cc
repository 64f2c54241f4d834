// SPDX-License-Identifier: Apache-2.0
// Transposes square blocks in registers. Each cache line is read and written completely, and once.
#include "backends/engine/cpu/kernels/transpose/transpose.h"

#include "spec/base/status.h"
#include "spec/ir/element_width.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/engine/cpu/kernels/transpose/transpose.cc"
#include "hwy/foreach_target.h"
// Must follow foreach_target.h, which includes this file again for each target.
#include "backends/engine/cpu/kernels/transpose/transpose-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hlocts::kernels {
namespace HWY_NAMESPACE {

constexpr int64_t kLineBytes = 64;
constexpr int64_t kRowsAhead = 32;  // rows are too distant for the hardware prefetcher

// Elements of one or two bytes use 16-byte vectors. For wider vectors some instruction sets lack
// the necessary shuffles, and there would be more rows than registers.
template <typename T>
inline constexpr int kSide = sizeof(T) < 4 ? 16 / static_cast<int>(sizeof(T)) : kLanes<T>;
template <typename T>
struct SquareRow {
  typedef T Type __attribute__((vector_size(kSide<T> * sizeof(T))));
};

template <typename T, bool kStreams>
void TransposeSquare(const T* from, int64_t from_stride, T* to, int64_t to_stride) {
  using Row = typename SquareRow<T>::Type;
  Row rows[kSide<T>];
  HLOCTS_UNROLL for (int r = 0; r < kSide<T>; ++r) {
    __builtin_memcpy(&rows[r], from + r * from_stride, sizeof(Row));
  }
  TransposeSquare<Row, kSide<T>>(rows);
  HLOCTS_UNROLL for (int c = 0; c < kSide<T>; ++c) {
    if constexpr (kStreams) {
      namespace hn = hwy::HWY_NAMESPACE;
      const hn::FixedTag<T, kSide<T>> d;
      hn::Stream(hn::LoadU(d, reinterpret_cast<const T*>(&rows[c])), d, to + c * to_stride);
    } else {
      __builtin_memcpy(to + c * to_stride, &rows[c], sizeof(Row));
    }
  }
}

template <typename T>
void TransposeElements(const TransposeRequest& q, int64_t row, int64_t row_end, int64_t column) {
  const T* from = static_cast<const T*>(q.from);
  T* to = static_cast<T*>(q.to);
  for (int64_t c = column; c < q.columns; ++c) {
    for (int64_t r = row; r < row_end; ++r) to[c * q.to_stride + r] = from[r * q.from_stride + c];
  }
}

template <typename T, bool kStreams>
void TransposeTiles(const TransposeRequest& q) {
  constexpr int64_t kLine = kLineBytes / static_cast<int64_t>(sizeof(T));
  const T* from = static_cast<const T*>(q.from);
  T* to = static_cast<T*>(q.to);
  int64_t row = 0;
  for (; row + kSide<T> <= q.rows; row += kSide<T>) {
    for (int64_t r = row + kRowsAhead; r < row + kRowsAhead + kSide<T> && r < q.rows; ++r) {
      for (int64_t c = 0; c < q.columns; c += kLine) {
        __builtin_prefetch(from + r * q.from_stride + c);
      }
    }
    int64_t column = 0;
    for (; column + kSide<T> <= q.columns; column += kSide<T>) {
      TransposeSquare<T, kStreams>(from + row * q.from_stride + column, q.from_stride,
                                   to + column * q.to_stride + row, q.to_stride);
    }
    TransposeElements<T>(q, row, row + kSide<T>, column);
  }
  TransposeElements<T>(q, row, q.rows, 0);
}

void TransposeAll(const TransposeRequest& request) {
  VisitUnsigned(request.bytes, [&](auto zero) HWY_ATTR {
    using T = decltype(zero);
    if constexpr (kSide<T> * sizeof(T) == kLineBytes) {
      const auto to = reinterpret_cast<uintptr_t>(request.to);
      if (request.streams && (to | request.to_stride * sizeof(T)) % kLineBytes == 0) {
        return TransposeTiles<T, true>(request);
      }
    }
    TransposeTiles<T, false>(request);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace hlocts::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlocts::kernels {
HWY_EXPORT(TransposeAll);

absl::Status Transpose(const TransposeRequest& request) {
  if (request.bytes > 8 || (request.bytes & (request.bytes - 1)) != 0 || request.bytes < 1) {
    return Unsupported("transpose of elements of ", request.bytes, " bytes is not supported");
  }
  HWY_DYNAMIC_DISPATCH(TransposeAll)(request);
  return absl::OkStatus();
}

}  // namespace hlocts::kernels
#endif
