// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/elementwise/stream.h"

#include <cstring>

#include "hwy/cache_control.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/engine/cpu/elementwise/stream.cc"
#include "hwy/foreach_target.h"
// Must follow foreach_target.h, which includes this file again for each target.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hlocts::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void Stream(const uint8_t* from, uint8_t* to, int64_t bytes) {
  const hn::ScalableTag<uint8_t> d;
  const auto vector = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + vector <= bytes; i += vector) hn::Stream(hn::LoadU(d, from + i), d, to + i);
  std::memcpy(to + i, from + i, static_cast<size_t>(bytes - i));
}

}  // namespace HWY_NAMESPACE
}  // namespace hlocts::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlocts::cpu {
HWY_EXPORT(Stream);

void StreamBytes(const uint8_t* from, uint8_t* to, int64_t bytes) {
  HWY_DYNAMIC_DISPATCH(Stream)(from, to, bytes);
}
void FinishStreams() { hwy::FlushStream(); }
}  // namespace hlocts::cpu
#endif
