// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/elementwise/short_rows.h"

#include <algorithm>
#include <cstring>

#include "spec/ir/element_width.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/engine/cpu/elementwise/short_rows.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h, which includes this file again for each target.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hlocts::cpu {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

template <typename T>
void CopyOneByOne(const T* from, const ShortRows& rows, int64_t first, T* out) {
  for (int64_t r = first; r < rows.rows; ++r) {
    for (int64_t i = 0; i < rows.size; ++i) {
      out[r * rows.size + i] = from[r * rows.row_stride + i * rows.stride];
    }
  }
}

// Rows of one element again and again. Vectors reach beyond a row, where the next one is written
// after it: the last rows are left to do.
template <typename T>
int64_t RepeatElements(const T* from, const ShortRows& rows, T* out) {
  const hn::CappedTag<T, 16> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t reach = (rows.size + lanes - 1) / lanes * lanes;
  int64_t r = 0;
  for (; r * rows.size + reach <= rows.rows * rows.size; ++r) {
    const auto element = hn::Set(d, from[r * rows.row_stride]);
    T* const row = out + r * rows.size;
    for (int64_t i = 0; i < reach; i += lanes) hn::StoreU(element, d, row + i);
  }
  return r;
}

// Elements side by side, in vectors of which the last one reaches back.
template <typename T>
int64_t CopyRuns(const T* from, const ShortRows& rows, T* out) {
  const hn::CappedTag<T, 16> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  if (rows.size < lanes) return 0;
  const int64_t last = rows.size - lanes;
  for (int64_t r = 0; r < rows.rows; ++r, from += rows.row_stride, out += rows.size) {
    for (int64_t i = 0; i < last; i += lanes) hn::StoreU(hn::LoadU(d, from + i), d, out + i);
    hn::StoreU(hn::LoadU(d, from + last), d, out + last);
  }
  return rows.rows;
}

// One row again and again: what is there is copied behind itself.
template <typename T>
void RepeatRow(const T* from, const ShortRows& rows, T* out) {
  CopyOneByOne(from, {1, rows.size, 0, rows.stride}, 0, out);
  const int64_t count = rows.rows * rows.size;
  for (int64_t done = rows.size; done < count; done *= 2) {
    std::memcpy(out + done, out, static_cast<size_t>(std::min(done, count - done)) * sizeof(T));
  }
}

template <typename T>
void CopyRowsOf(const T* from, const ShortRows& rows, T* out) {
  if (rows.row_stride == 0) return RepeatRow(from, rows, out);
  int64_t done = 0;
  if constexpr (sizeof(T) <= 8) {
    if (rows.stride == 0) done = RepeatElements(from, rows, out);
    if (rows.stride == 1) done = CopyRuns(from, rows, out);
  }
  CopyOneByOne(from, rows, done, out);
}

void CopyRows(const void* from, const ShortRows& rows, int width, void* out) {
  VisitWidth(width, [&](auto zero) {
    using T = decltype(zero);
    CopyRowsOf(static_cast<const T*>(from), rows, static_cast<T*>(out));
  });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlocts::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlocts::cpu {
HWY_EXPORT(CopyRows);

void CopyShortRows(const void* from, const ShortRows& rows, int width, void* out) {
  HWY_DYNAMIC_DISPATCH(CopyRows)(from, rows, width, out);
}
}  // namespace hlocts::cpu
#endif
