// SPDX-License-Identifier: Apache-2.0
// Functions that reduce runs of elements. They are compiled once for each instruction set.
#pragma once

#include <cstdint>

#include "backends/engine/cpu/kernels/reduce/reduce.h"

namespace hlocts::kernels {

// The functions of one kind of reduction, computed in one type.
struct ReduceOps {
  int bytes = 0;                                    // size of an element
  void (*fill)(void* to, int64_t count) = nullptr;  // fills with the identity
  // Reduces a run of elements into one accumulator.
  void (*row)(const void* from, int64_t count, void* accumulator) = nullptr;
  // Reduces rows that are row_bytes apart into contiguous accumulators.
  void (*rows)(const void* from, int64_t row_bytes, int64_t rows, int64_t count,
               void* accumulators) = nullptr;
  // Computes accumulators[j] op= rows[r * row_bytes][j] for each r < row_count and j < count.
  void (*columns)(void* accumulators, const void* rows, int64_t row_bytes, int64_t row_count,
                  int64_t count) = nullptr;
  void (*scan)(const void* from, int64_t count, void* to, void* carry) = nullptr;
};

// Returns the type in which reductions of `type` are computed: f32 for narrow floats, else `type`.
inline PrimitiveType ReduceComputeType(PrimitiveType type) {
  return IsFloat(type) && BitWidth(type) < 32 ? PrimitiveType::kF32 : type;
}

// Returns the functions of a reduction for which ReduceSupported is true.
ReduceOps ReduceOpsFor(ReduceKind kind, PrimitiveType type);

// Replaces kinds on pred, which is 0 or 1: add and maximum by or, multiply and minimum by and.
inline ReduceKind KindOnBits(ReduceKind kind) {
  if (kind == ReduceKind::kAdd || kind == ReduceKind::kMaximum) return ReduceKind::kOr;
  if (kind == ReduceKind::kMultiply || kind == ReduceKind::kMinimum) return ReduceKind::kAnd;
  return kind;
}

}  // namespace hlocts::kernels
