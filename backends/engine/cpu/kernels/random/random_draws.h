// SPDX-License-Identifier: Apache-2.0
// Arrays of random numbers of one distribution, for rng. The engine defines the sequence: Philox
// yields two random 64-bit numbers for each counter. Counters are processed in blocks.
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "backends/engine/cpu/kernels/runtime/thread_pool.h"
#include "spec/ir/primitive_type.h"

namespace hlocts::kernels {

enum class Distribution : uint8_t { kUniformFloat, kUniformInteger, kNormal };

struct RandomDrawsRequest {
  Distribution distribution = Distribution::kUniformFloat;
  PrimitiveType type = PrimitiveType::kF32;
  uint64_t key = 0, stream = 0;  // each execution has another stream
  double a = 0, b = 0;           // floats: interval [a, b), or mean and deviation
  uint64_t low = 0, range = 0;   // integers: low + [0, range), modulo 2^64
  const void* first = nullptr;   // `a` as stored: the result of an empty interval
  int64_t count = 0;
  void* output = nullptr;
};

absl::Status RandomDraws(const Parallel& parallel, const RandomDrawsRequest& request);

}  // namespace hlocts::kernels
