// SPDX-License-Identifier: Apache-2.0
#include <cub/device/device_radix_sort.cuh>

#include "backends/engine/cuda/base/libraries.h"
#include "backends/engine/cuda/runtime/cub_sort.h"

namespace hlocts::cuda {

int CubSort(int kind, void* memory, size_t* bytes, const void* keys, void* sorted,
            const uint32_t* values, uint32_t* moved, int count, int end_bit, void* stream) {
  cudaStream_t s = static_cast<cudaStream_t>(stream);
  switch (kind) {
    case kSortF32:
      return cub::DeviceRadixSort::SortKeys(memory, *bytes, static_cast<const float*>(keys),
                                            static_cast<float*>(sorted), count, 0, 32, s);
    case kSort32:
      return cub::DeviceRadixSort::SortPairs(memory, *bytes, static_cast<const uint32_t*>(keys),
                                             static_cast<uint32_t*>(sorted), values, moved, count,
                                             0, end_bit, s);
    default:
      return cub::DeviceRadixSort::SortPairs(memory, *bytes, static_cast<const uint64_t*>(keys),
                                             static_cast<uint64_t*>(sorted), values, moved, count,
                                             0, end_bit, s);
  }
}

}  // namespace hlocts::cuda
