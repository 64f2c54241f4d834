// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/kernels/linear_algebra/linear_algebra.h"

#include "backends/engine/cpu/kernels/runtime/checks.h"
#include "backends/engine/cpu/kernels/runtime/isa.h"

namespace hlocts::kernels {
namespace {

absl::Status CheckType(PrimitiveType type) {
  const bool floating = IsFloat(type) && BitWidth(type) >= 32;
  if (floating || IsComplex(type)) return absl::OkStatus();
  return Unsupported("linear algebra on ", PrimitiveTypeName(type));
}

}  // namespace

absl::Status Cholesky(const Parallel& parallel, const CholeskyRequest& request) {
  HLOCTS_RETURN_IF_ERROR(CheckType(request.type));
  int64_t count = 0;
  HLOCTS_RETURN_IF_ERROR(CountElements({request.batch, request.size, request.size}, count));
  if (count == 0) return absl::OkStatus();
  return Kernels().cholesky(parallel, request);
}

absl::Status TriangularSolve(const Parallel& parallel, const TriangularSolveRequest& request) {
  HLOCTS_RETURN_IF_ERROR(CheckType(request.type));
  int64_t count = 0, triangle = 0;
  const int64_t n = request.left_side ? request.rows : request.columns;
  HLOCTS_RETURN_IF_ERROR(CountElements({request.batch, request.rows, request.columns}, count));
  HLOCTS_RETURN_IF_ERROR(CountElements({request.batch, n, n}, triangle));
  if (count == 0) return absl::OkStatus();
  return Kernels().triangular_solve(parallel, request);
}

}  // namespace hlocts::kernels
