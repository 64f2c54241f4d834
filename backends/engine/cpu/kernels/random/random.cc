// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/kernels/random/random.h"

#include <algorithm>

#include "backends/engine/cpu/kernels/runtime/checks.h"
#include "backends/engine/cpu/kernels/runtime/isa.h"

namespace hlocts::kernels {
namespace {

// How far the counter moves: see random_isa.cc for the orders.
uint64_t Steps(const RandomBitsRequest& request, int64_t count) {
  const bool wide = StorageBytes(request.type) == 8;
  if (request.algorithm == RandomAlgorithm::kPhilox) {
    const int64_t per_counter = wide ? 2 : 4;
    return static_cast<uint64_t>((count + per_counter - 1) / per_counter);
  }
  if (wide || request.dimensions.empty()) return static_cast<uint64_t>(count);
  // One dimension is halved, rounding up: an even one, or else the largest.
  int64_t largest = 1;
  for (int64_t size : request.dimensions) {
    if (size % 2 == 0) return static_cast<uint64_t>(count / 2);
    largest = std::max(largest, size);
  }
  return static_cast<uint64_t>(count / largest * ((largest + 1) / 2));
}

}  // namespace

absl::StatusOr<uint64_t> RandomBits(const Parallel& parallel, const RandomBitsRequest& request) {
  if (!IsArrayType(request.type) || IsComplex(request.type) || IsSubByte(request.type)) {
    return Unsupported("random bits of ", PrimitiveTypeName(request.type));
  }
  int64_t count = 0;
  HLOCTS_RETURN_IF_ERROR(CountElements(request.dimensions, count));
  if (count > 0) HLOCTS_RETURN_IF_ERROR(Kernels().random_bits(parallel, request));
  return Steps(request, count);
}

}  // namespace hlocts::kernels
