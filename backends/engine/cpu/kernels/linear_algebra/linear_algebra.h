// SPDX-License-Identifier: Apache-2.0
// Cholesky decomposition and triangular solve by blocks, whose products Eigen computes. Batches run
// on the thread pool.
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "backends/engine/cpu/kernels/runtime/thread_pool.h"
#include "spec/ir/primitive_type.h"

namespace hlocts::kernels {

// Cholesky decompositions of a batch of f32, f64, c64 or c128 matrices.
struct CholeskyRequest {
  PrimitiveType type = PrimitiveType::kF32;
  bool lower = true;  // the triangle to read and write; the other becomes zero
  int64_t batch = 1, size = 1;
  const void* operand = nullptr;  // dense [batch, size, size]
  void* output = nullptr;         // may be the operand
};

// Decomposes matrices. A factor is NaN from the first pivot on that is not positive.
absl::Status Cholesky(const Parallel& parallel, const CholeskyRequest& request);

enum class TransposeKind : uint8_t { kNone, kTranspose, kAdjoint };

struct TriangularSolveRequest {
  PrimitiveType type = PrimitiveType::kF32;
  bool left_side = true, lower = true, unit_diagonal = false;
  TransposeKind transpose = TransposeKind::kNone;
  // The rows and columns of `b`. `a` is rows x rows if left_side, else columns x columns.
  int64_t batch = 1, rows = 1, columns = 1;
  const void* a = nullptr;
  const void* b = nullptr;
  void* output = nullptr;  // may be `b`
};

absl::Status TriangularSolve(const Parallel& parallel, const TriangularSolveRequest& request);

}  // namespace hlocts::kernels
