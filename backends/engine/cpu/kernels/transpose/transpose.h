// SPDX-License-Identifier: Apache-2.0
// Exchanges two dimensions of an array.
#pragma once

#include <cstdint>

#include "absl/status/status.h"

namespace hlocts::kernels {

// Computes to[c * to_stride + r] = from[r * from_stride + c] on the calling thread. Callers should
// divide an array into pieces whose pages remain in the TLB.
struct TransposeRequest {
  int bytes = 4;  // bytes of an element: 1, 2, 4 or 8
  int64_t rows = 0, columns = 0;
  const void* from = nullptr;
  int64_t from_stride = 0;
  void* to = nullptr;
  int64_t to_stride = 0;
  // Writes past the caches if vectors are aligned cache lines. The caller must order these stores.
  bool streams = false;
};

absl::Status Transpose(const TransposeRequest& request);

}  // namespace hlocts::kernels
