// SPDX-License-Identifier: Apache-2.0
// The counter-based generators of rng-bit-generator: ThreeFry2x32 with 20 rounds, and Philox4x32
// with 10. They process several counters at a time. Bits are in XLA's order (target fact
// rng.xla_layout).
#pragma once

#include <array>
#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backends/engine/cpu/kernels/runtime/thread_pool.h"
#include "spec/ir/primitive_type.h"

namespace hlocts::kernels {

enum class RandomAlgorithm : uint8_t { kThreeFry, kPhilox };

struct RandomBitsRequest {
  RandomAlgorithm algorithm = RandomAlgorithm::kThreeFry;
  uint64_t key = 0;
  std::array<uint64_t, 2> counter = {0, 0};  // low word first; ThreeFry has no high word
  absl::Span<const int64_t> dimensions;
  PrimitiveType type = PrimitiveType::kU32;  // any integer type of 8, 16, 32 or 64 bits
  void* output = nullptr;
};

// Fills the output. Returns the number of counters that are used.
absl::StatusOr<uint64_t> RandomBits(const Parallel& parallel, const RandomBitsRequest& request);

}  // namespace hlocts::kernels
