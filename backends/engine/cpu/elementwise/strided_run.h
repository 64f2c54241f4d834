// SPDX-License-Identifier: Apache-2.0
// Elements that stand at equal distances in an array, side by side.
#ifndef HLOCTS_BACKENDS_ENGINE_CPU_ELEMENTWISE_STRIDED_RUN_H_
#define HLOCTS_BACKENDS_ENGINE_CPU_ELEMENTWISE_STRIDED_RUN_H_

#include <cstdint>

namespace hlocts::cpu {

// out[i] = from[i * stride] for i < count; elements of `width` bytes, which is 1, 2, 4, 8 or 16.
void CopyStridedRun(const void* from, int64_t stride, int width, int64_t count, void* out);

}  // namespace hlocts::cpu

#endif  // HLOCTS_BACKENDS_ENGINE_CPU_ELEMENTWISE_STRIDED_RUN_H_
