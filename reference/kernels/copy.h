// SPDX-License-Identifier: Apache-2.0
// Implements all data movement with one kernel that copies strided elements of the operand to
// strided elements of the result. Broadcast, transpose, reverse, slice, pad, concatenate,
// dynamic-slice and dynamic-update-slice differ only in their CopyGeometry
// (kernels/movement_geometry.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace hlocts::reference {

// One dimension of a copy, which assigns for every index (i0, i1, ...) with id < dims[d].size:
//   result[result_base + sum id*result_stride] = operand[operand_base + sum id*operand_stride].
// Strides are in elements. They may be negative; the operand's strides may be 0.
struct CopyDimension {
  int64_t size = 1;
  int64_t operand_stride = 0;
  int64_t result_stride = 0;
};
struct CopyGeometry {
  std::vector<CopyDimension> dims;  // the last varies fastest
  int64_t operand_base = 0;
  int64_t result_base = 0;

  bool empty() const {
    for (const CopyDimension& d : dims) {
      if (d.size <= 0) return true;
    }
    return false;
  }
  // Drops dimensions of size 1 and merges adjacent dimensions that are contiguous.
  void Simplify();
};

// Copies elements of T, any trivially copyable type of the storage width (DispatchStorage).
template <typename T>
void CopyRun(const CopyDimension& run, const T* operand, T* result) {
  if (run.operand_stride == 1 && run.result_stride == 1) {
    std::copy(operand, operand + run.size, result);
  } else if (run.operand_stride == 0 && run.result_stride == 1) {
    std::fill(result, result + run.size, *operand);
  } else {
    for (int64_t i = 0; i < run.size; ++i) {
      result[i * run.result_stride] = operand[i * run.operand_stride];
    }
  }
}

template <typename T>
void CopyKernel(CopyGeometry geometry, absl::Span<const T> operand, absl::Span<T> result) {
  if (geometry.empty()) return;
  geometry.Simplify();
  if (geometry.dims.empty()) {
    result[geometry.result_base] = operand[geometry.operand_base];
    return;
  }
  CopyDimension run = geometry.dims.back();
  absl::Span<const CopyDimension> outer =
      absl::MakeConstSpan(geometry.dims).first(geometry.dims.size() - 1);
  std::vector<int64_t> index(outer.size(), 0);
  const T* from = operand.data() + geometry.operand_base;
  T* to = result.data() + geometry.result_base;
  while (true) {
    CopyRun(run, from, to);
    int64_t d = static_cast<int64_t>(outer.size()) - 1;
    for (; d >= 0; --d) {
      from += outer[d].operand_stride;
      to += outer[d].result_stride;
      if (++index[d] < outer[d].size) break;
      from -= outer[d].operand_stride * outer[d].size;
      to -= outer[d].result_stride * outer[d].size;
      index[d] = 0;
    }
    if (d < 0) return;
  }
}

}  // namespace hlocts::reference
