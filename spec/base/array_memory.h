// SPDX-License-Identifier: Apache-2.0
// Memory for arrays.
#ifndef HLOCTS_SPEC_BASE_ARRAY_MEMORY_H_
#define HLOCTS_SPEC_BASE_ARRAY_MEMORY_H_

#include <cstddef>

namespace hlocts {

// Starts at a cache line, so that no vector straddles two. Blocks of 4 MiB and more start at a huge
// page and request such pages, because on virtual machines address translation takes longer than
// reading. Not zeroed; release with std::free. Null if out of memory.
void* AllocateArray(size_t bytes);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_BASE_ARRAY_MEMORY_H_
