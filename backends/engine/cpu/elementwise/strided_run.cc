// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/elementwise/strided_run.h"

#include <cstring>

#include "spec/ir/element_width.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/engine/cpu/elementwise/strided_run.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h, which includes this file again for each target.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hlocts::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <typename T>
void CopyElements(const T* from, int64_t stride, int64_t count, T* to) {
  for (int64_t i = 0; i < count; ++i) to[i] = from[i * stride];
}

#if HWY_TARGET == HWY_SCALAR

template <typename T>
void CopyReversed(const T* from, int64_t count, T* to) {
  CopyElements(from, -1, count, to);
}
template <typename T>
void CopySecond(const T* from, int64_t count, T* to) {
  CopyElements(from, 2, count, to);
}

#else

// The lanes in reverse; of bytes by way of pairs.
template <class D, class V>
HWY_INLINE V Turned(D d, V v) {
  if constexpr (sizeof(hn::TFromD<D>) == 1) {
    const hn::Repartition<uint16_t, D> pairs;
    const auto turned = hn::Reverse(pairs, hn::BitCast(pairs, v));
    return hn::BitCast(d, hn::Or(hn::ShiftLeft<8>(turned), hn::ShiftRight<8>(turned)));
  } else {
    return hn::Reverse(d, v);
  }
}

// Backwards: whole vectors, their lanes turned.
template <typename T>
void CopyReversed(const T* from, int64_t count, T* to) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::StoreU(Turned(d, hn::LoadU(d, from - i - (lanes - 1))), d, to + i);
  }
  CopyElements(from - i, -1, count - i, to + i);
}

// Every second: two vectors give one.
template <typename T>
void CopySecond(const T* from, int64_t count, T* to) {
  int64_t i = 0;
  if constexpr (sizeof(T) >= 4) {
    const hn::ScalableTag<T> d;
    const auto lanes = static_cast<int64_t>(hn::Lanes(d));
    // The last element read is behind the last one that is wanted: none is read there.
    for (; i + lanes < count; i += lanes) {
      const auto low = hn::LoadU(d, from + 2 * i), high = hn::LoadU(d, from + 2 * i + lanes);
      hn::StoreU(hn::ConcatEven(d, high, low), d, to + i);
    }
  }
  CopyElements(from + 2 * i, 2, count - i, to + i);
}

#endif

template <typename T>
void CopyAs(const void* from, int64_t stride, int64_t count, void* out) {
  const T* x = static_cast<const T*>(from);
  T* to = static_cast<T*>(out);
  if (stride == 1) {
    std::memcpy(to, x, static_cast<size_t>(count) * sizeof(T));
  } else if (stride == -1) {
    CopyReversed(x, count, to);
  } else if (stride == 2) {
    CopySecond(x, count, to);
  } else {
    CopyElements(x, stride, count, to);
  }
}

void CopyRunOf(const void* from, int64_t stride, int width, int64_t count, void* out) {
  VisitUnsigned(width, [&](auto zero) { CopyAs<decltype(zero)>(from, stride, count, out); });
}

}  // namespace HWY_NAMESPACE
}  // namespace hlocts::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlocts::cpu {
HWY_EXPORT(CopyRunOf);

void CopyStridedRun(const void* from, int64_t stride, int width, int64_t count, void* out) {
  if (width <= 8) return HWY_DYNAMIC_DISPATCH(CopyRunOf)(from, stride, width, count, out);
  const auto* x = static_cast<const uint8_t*>(from);
  auto* to = static_cast<uint8_t*>(out);
  for (int64_t i = 0; i < count; ++i) std::memcpy(to + 16 * i, x + 16 * stride * i, 16);
}
}  // namespace hlocts::cpu
#endif
