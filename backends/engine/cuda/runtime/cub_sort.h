// SPDX-License-Identifier: Apache-2.0
// The kernels of cub::DeviceRadixSort, compiled into this library.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_RUNTIME_CUB_SORT_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_RUNTIME_CUB_SORT_H_

#include <stddef.h>
#include <stdint.h>

namespace hlocts::cuda {

// Returns a cudaError_t. If memory is null, only sets `bytes`, the size needed. kind: a SortKind.
int CubSort(int kind, void* memory, size_t* bytes, const void* keys, void* sorted,
            const uint32_t* values, uint32_t* moved, int count, int end_bit, void* stream);

}  // namespace hlocts::cuda

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_RUNTIME_CUB_SORT_H_
