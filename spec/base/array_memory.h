// SPDX-License-Identifier: Apache-2.0
// Memory that arrays lie in.
#ifndef HLOCTS_SPEC_BASE_ARRAY_MEMORY_H_
#define HLOCTS_SPEC_BASE_ARRAY_MEMORY_H_

#include <cstddef>

namespace hlocts {

// Begins at a cache line, so that no vector straddles two; that of 4 MiB and more begins at a huge
// page and asks the system for such pages, because on virtual machines looking up addresses takes
// longer than reading. Not zeroed, given back by std::free; null if there
// is none.
void* AllocateArray(size_t bytes);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_BASE_ARRAY_MEMORY_H_
