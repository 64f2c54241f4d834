// SPDX-License-Identifier: Apache-2.0
// Checks of arguments, which several kernels use.
#pragma once

#include <cstdint>

#include "absl/types/span.h"
#include "spec/base/status.h"

namespace hlocts::kernels {

// Sets `count` to the product of the sizes. Returns an error if a size is negative, or if memory
// cannot address so many elements.
inline absl::Status CountElements(absl::Span<const int64_t> sizes, int64_t& count) {
  constexpr int64_t kLimit = int64_t{1} << 46;
  count = 1;
  for (int64_t size : sizes) {
    if (size < 0) return InvalidInput("expected sizes of at least 0, found ", size);
    if (size == 0) {
      count = 0;
      return absl::OkStatus();
    }
    if (count > kLimit / size) return absl::ResourceExhaustedError("too many elements");
    count *= size;
  }
  return absl::OkStatus();
}

}  // namespace hlocts::kernels
