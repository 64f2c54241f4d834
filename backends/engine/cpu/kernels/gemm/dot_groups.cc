// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/kernels/gemm/dot_groups.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/engine/cpu/kernels/gemm/dot_groups.cc"
#include "hwy/foreach_target.h"
// Must follow foreach_target.h, which includes this file again for each target.
#include "backends/engine/cpu/kernels/runtime/vector-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hlocts::kernels {
namespace HWY_NAMESPACE {

bool Pairs() {
#if HWY_TARGET == HWY_AVX3
  constexpr unsigned kFlush = 0x8040;
  return __builtin_cpu_supports("avx512bf16") && (_mm_getcsr() & kFlush) == kFlush;
#else
  return false;
#endif
}

bool Quads() {
#if HWY_TARGET == HWY_AVX3
  return __builtin_cpu_supports("avx512vnni");
#else
  return false;
#endif
}

// Weaves kRows rows: group j has element j of each row. Elements of missing rows are zeros.
template <typename T, int kRows>
void WeaveRows(const T* from, int64_t stride, int64_t count, uint32_t flip,
               uint32_t* __restrict to) {
  for (int64_t j = 0; j < count; ++j) {
    uint32_t group = 0;
    HLOCTS_UNROLL for (int q = 0; q < kRows; ++q) {
      group |= static_cast<uint32_t>(from[q * stride + j]) << (8 * sizeof(T) * q);
    }
    to[j] = group ^ flip;
  }
}

void Weave8(const char* from, int64_t stride, int rows, int64_t count, uint32_t flip,
            uint32_t* to) {
  constexpr decltype(&WeaveRows<uint8_t, 1>) kWeave[] = {
      WeaveRows<uint8_t, 1>, WeaveRows<uint8_t, 2>, WeaveRows<uint8_t, 3>, WeaveRows<uint8_t, 4>};
  kWeave[rows - 1](reinterpret_cast<const uint8_t*>(from), stride, count, flip, to);
}

void Weave16(const char* from, int64_t stride, int rows, int64_t count, uint32_t flip,
             uint32_t* to) {
  const auto weave = rows == 1 ? WeaveRows<uint16_t, 1> : WeaveRows<uint16_t, 2>;
  weave(reinterpret_cast<const uint16_t*>(from), stride, count, flip, to);
}

void Encode(const float* from, int64_t count, uint16_t* __restrict to) {
  for (int64_t i = 0; i < count; ++i) to[i] = FloatToBf16(from[i]);
}

}  // namespace HWY_NAMESPACE
}  // namespace hlocts::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hlocts::kernels {
HWY_EXPORT(Pairs);
HWY_EXPORT(Quads);
HWY_EXPORT(Weave8);
HWY_EXPORT(Weave16);
HWY_EXPORT(Encode);

bool MultipliesPairs() { return HWY_DYNAMIC_DISPATCH(Pairs)(); }
bool MultipliesQuads() { return HWY_DYNAMIC_DISPATCH(Quads)(); }

absl::Status MakeGroups(const Parallel& parallel, int bytes, int64_t batch, int64_t free,
                        int64_t depth, uint32_t flip, std::unique_ptr<Scratch>& copy,
                        Matrices& matrices) {
  const Matrices from = matrices;
  const int64_t group = sizeof(uint32_t) / bytes, groups = (depth + group - 1) / group;
  const bool lines = from.depth_stride == 1;
  const auto whole = [&](int64_t size, int64_t stride) { return size == 1 || stride % group == 0; };
  if (lines && flip == 0 && depth % group == 0 && whole(free, from.free_stride) &&
      whole(batch, from.batch_stride) &&
      reinterpret_cast<uintptr_t>(from.data) % sizeof(uint32_t) == 0) {
    matrices.batch_stride /= group;
    matrices.free_stride /= group;
    return absl::OkStatus();
  }
  if (from.batch_stride == 0) batch = 1;
  const int64_t rows = lines ? free : groups, columns = lines ? groups : free;
  auto to = std::make_unique<Scratch>(batch * rows * columns * sizeof(uint32_t));
  if (!to->ok()) return OutOfScratch(batch * rows * columns * sizeof(uint32_t));
  const auto weave = bytes == 1 ? HWY_DYNAMIC_DISPATCH(Weave8) : HWY_DYNAMIC_DISPATCH(Weave16);
  parallel.For(batch * rows, 0.1 * columns + 5, [&](int64_t row, int64_t end) {
    for (; row < end; ++row) {
      uint32_t* out = to->As<uint32_t>() + row * columns;
      const char* in = from.data + row / rows * from.batch_stride * bytes;
      const int64_t at = row % rows;
      if (lines) {
        in += at * from.free_stride * bytes;
        out[groups - 1] = 0;
        std::memcpy(out, in, depth * bytes);
        for (int64_t i = 0; i < groups; ++i) out[i] ^= flip;
      } else {
        const int64_t here = std::min(group, depth - at * group);
        weave(in + at * group * from.depth_stride * bytes, from.depth_stride,
              static_cast<int>(here), columns, flip, out);
      }
    }
  });
  matrices = {to->As<char>(), from.batch_stride == 0 ? 0 : rows * columns, lines ? columns : 1,
              lines ? 1 : columns};
  copy = std::move(to);
  return absl::OkStatus();
}

void EncodeBf16(const float* from, int64_t count, uint16_t* to) {
  HWY_DYNAMIC_DISPATCH(Encode)(from, count, to);
}

}  // namespace hlocts::kernels
#endif
