// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/kernels/reduce/reduce.h"

#include <cstring>

#include "backends/engine/cpu/kernels/runtime/checks.h"
#include "backends/engine/cpu/kernels/runtime/isa.h"

namespace hlocts::kernels {

bool ReduceSupported(ReduceKind kind, PrimitiveType type) {
  if (!IsArrayType(type)) return false;
  switch (kind) {
    case ReduceKind::kAdd:
    case ReduceKind::kMultiply:
      return true;
    case ReduceKind::kMinimum:
    case ReduceKind::kMaximum:
      return !IsComplex(type);
    default:
      return !IsFloat(type) && !IsComplex(type);
  }
}

absl::Status Reduce(const Parallel& parallel, const ReduceRequest& request) {
  if (!ReduceSupported(request.kind, request.type)) {
    return Unsupported("reduce of ", PrimitiveTypeName(request.type));
  }
  if (request.strides.size() != request.dimensions.size()) {
    return InvalidInput("reduce: ", request.strides.size(), " strides for rank ",
                        request.dimensions.size());
  }
  int64_t count = 1, outputs = 1;
  HLOCTS_RETURN_IF_ERROR(CountElements(request.dimensions, count));
  for (size_t d = 0; d < request.dimensions.size(); ++d) {
    bool is_reduced = false;
    for (int64_t r : request.reduced) is_reduced = is_reduced || r == static_cast<int64_t>(d);
    if (!is_reduced) outputs *= request.dimensions[d];
  }
  if (count > 0) return Kernels().reduce(parallel, request);
  const int64_t bytes = StorageBytes(request.type);
  for (int64_t i = 0; i < outputs; ++i) {
    std::memcpy(static_cast<char*>(request.output) + i * bytes, request.init, bytes);
  }
  return absl::OkStatus();
}

absl::Status RowReduce(const RowReduceRequest& request) {
  const PrimitiveType type = request.type;
  const bool as_stored =
      !IsComplex(type) && !IsSubByte(type) && (!IsFloat(type) || BitWidth(type) >= 32);
  if (as_stored && request.size > 0 && ReduceSupported(request.kind, type)) {
    return Kernels().row_reduce(Parallel(1), request);
  }
  const int64_t dimensions[2] = {request.rows, request.size}, strides[2] = {request.size, 1},
                reduced[1] = {1};
  return Reduce(Parallel(1), {request.kind, type, dimensions, strides, reduced, request.operand,
                              request.init, request.output});
}

}  // namespace hlocts::kernels
