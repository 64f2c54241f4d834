// SPDX-License-Identifier: Apache-2.0
#include "spec/base/array_memory.h"

#include <cstdlib>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace hlocts {

void* AllocateArray(size_t bytes) {
  constexpr size_t kLine = 64, kHugePage = size_t{2} << 20, kLong = 2 * kHugePage;
  const bool is_long = bytes >= kLong;
  void* data = nullptr;
  if (posix_memalign(&data, is_long ? kHugePage : kLine, bytes | 1) != 0) return nullptr;
#if defined(MADV_HUGEPAGE)
  // The request for huge pages may fail; the memory is usable without them.
  if (is_long) madvise(data, bytes / kHugePage * kHugePage, MADV_HUGEPAGE);
#endif
  return data;
}

}  // namespace hlocts
