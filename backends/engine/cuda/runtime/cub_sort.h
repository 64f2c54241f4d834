// SPDX-License-Identifier: Apache-2.0
// The kernels of cub::DeviceRadixSort, compiled into this library.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace hlocts::cuda {

// Returns a cudaError_t. If `memory` is null, only sets `bytes` to its size. kind: a SortKind.
int CubSort(int kind, void* memory, size_t* bytes, const void* keys, void* sorted,
            const uint32_t* values, uint32_t* moved, int count, int end_bit, void* stream);

}  // namespace hlocts::cuda
