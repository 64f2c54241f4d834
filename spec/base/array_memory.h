// SPDX-License-Identifier: Apache-2.0
// Allocates memory for arrays.
#pragma once

#include <cstddef>

namespace hlocts {

// Returns `bytes` bytes of uninitialized memory that start at a cache line, so that no vector
// straddles two lines. Returns null if out of memory. Blocks of 4 MiB and more start at a huge page
// and request huge pages, because on virtual machines address translation takes longer than
// reading. Release the memory with std::free.
void* AllocateArray(size_t bytes);

}  // namespace hlocts
